#include "views/graph/key_panel.h"

#include "views/common/controls.h"
#include "views/common/formats.h"
#include "views/common/palette.h"
#include "views/session/cost_texts.h"

#include <QPainter>

#include <cmath>

namespace views {

KeyPanel::KeyPanel(QWidget *parent) : QWidget(parent)
{
    setSurface(this, "panel");
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setAccessibleName(tr("Graph key"));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

void KeyPanel::feed(const ViewFeed &feed)
{
    if (!feed.hasNewFunction()) return;
    const profiler::FunctionCosts *costs = feed.costs();
    setTimes(costs ? seconds(costs->fastestNs) : -1, costs ? seconds(costs->slowestNs) : -1);
}

void KeyPanel::setTimes(double fastest, double slowest)
{
    m_fastest = fastest;
    m_slowest = slowest;
    updateGeometry();
    update();
}

QSize KeyPanel::sizeHint() const { return {200, Theme::current().px(m_slowest > 0 ? 148 : 96)}; }

void KeyPanel::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme.color(Color::Panel));
    const double left = theme.px(12);
    const double length = theme.px(46);
    double y = theme.px(16);
    auto row = [&](Color color, double thickness, const QList<qreal> &dash, int head, const QString &text) {
        QPen pen(theme.color(color), thickness);
        if (!dash.isEmpty()) pen.setDashPattern(dash);
        painter.setPen(pen);
        const double end = left + length;
        painter.drawLine(QPointF(left, y), QPointF(end - 6, y));
        QPen solid(theme.color(color), thickness);
        painter.setPen(solid);
        painter.setBrush(head == 1 ? QBrush(theme.color(Color::Panel)) : QBrush(theme.color(color)));
        painter.drawPolygon(QPolygonF{QPointF(end - 7, y - 3), QPointF(end - 7, y + 3), QPointF(end - 1, y)});
        if (head == 2) {
            painter.setPen(QPen(theme.color(color), 1.75));
            painter.drawLine(QPointF(end - 10, y - 4), QPointF(end - 10, y + 4));
        }
        painter.setFont(theme.font(FontRole::Cell));
        painter.setPen(theme.color(Color::TextSecondary));
        painter.drawText(QRectF(end + theme.px(10), y - theme.px(10), width() - end, theme.px(20)), Qt::AlignVCenter, text);
        y += theme.px(20);
    };
    row(Color::DataEdge, 1.25, {}, 0, tr("value"));
    row(Color::ViewEdge, 1.25, {4, 2}, 1, tr("view of the input"));
    row(Color::DestroyEdge, 1.75, {}, 2, tr("destroys the input"));
    row(Color::Transfer, 1.25, {1.5, 2.5}, 0, tr("transfer"));
    if (!(m_slowest > 0)) return;
    y += theme.px(2);
    painter.setFont(theme.font(FontRole::Cell));
    painter.setPen(theme.color(Color::TextSecondary));
    painter.drawText(QRectF(left, y - theme.px(10), width(), theme.px(18)), Qt::AlignVCenter, tr("Time per call"));
    y += theme.px(10);
    const double room = width() - 2 * left;
    for (int i = 0; i < 9; ++i) painter.fillRect(QRectF(left + room * i / 9, y, std::ceil(room / 9), theme.px(8)), theme.hot(i / 8.0));
    y += theme.px(10);
    painter.setFont(theme.font(FontRole::Caption));
    const QRectF ends(left, y, room, theme.px(16));
    drawTabular(painter, ends, Qt::AlignLeft, formats::time(m_fastest));
    drawTabular(painter, ends, Qt::AlignRight, formats::time(m_slowest));
}

} // namespace views
