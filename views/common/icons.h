#pragma once

#include <QColor>
#include <QIcon>
#include <QPixmap>
#include <QString>

class QPainter;
class QRectF;

namespace views {

/// Monoline icon of resources/icons by file name. Follows the theme: secondary text colour, disabled when disabled.
QIcon themedIcon(const QString &name);
/// The same with a fixed colour, for buttons with their own foreground.
QIcon coloredIcon(const QString &name, const QColor &color);
/// Draws the icon in the square `rect`, stroke width by its size as the visual guide says.
void paintIcon(QPainter &painter, const QString &name, const QRectF &rect, const QColor &color);
/// Pixmap of `px` logical pixels for labels.
QPixmap iconPixmap(const QString &name, int px, const QColor &color, double devicePixelRatio = 1.0);
/// Whether an icon of that name is in the resources.
/// The program's own mark, in its own colours.
QIcon applicationIcon();

} // namespace views
