#include "views/common/axis_break.h"

#include <QPainter>

namespace views {

void paintAxisBreak(QPainter &painter, const QRectF &bar, bool toTheRight, const QColor &ground)
{
    const double x = toTheRight ? bar.right() : bar.left(), out = toTheRight ? 1 : -1;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    for (const double back : {6.0, 12.0})
        painter.drawPolygon(QPolygonF({{x - out * back, bar.top() - 1},
                                       {x - out * (back - 2), bar.top() - 1},
                                       {x - out * (back + 2), bar.bottom() + 1},
                                       {x - out * (back + 4), bar.bottom() + 1}}));
    painter.restore();
}

} // namespace views
