#pragma once

#include <QColor>
#include <QRectF>

class QPainter;

namespace views {

/// Two slanted gaps near the end of a bar that would go on: to the right, else to the left. `ground`: what it stands on.
void paintAxisBreak(QPainter &painter, const QRectF &bar, bool toTheRight, const QColor &ground);

} // namespace views
