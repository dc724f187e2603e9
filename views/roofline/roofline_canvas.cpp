#include "views/roofline/roofline_canvas.h"
#include "views/session/roof_texts.h"

#include "views/common/formats.h"
#include "views/common/node_title.h"
#include "views/common/text.h"
#include "views/common/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace views {

using profiler::RooflinePoint;

namespace {

constexpr double kLeastRadius = 4, kMostRadius = 14; // px at 100 %
constexpr int kStandOut = 64;                        // points that take longest

} // namespace

RooflineCanvas::RooflineCanvas(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

QSize RooflineCanvas::sizeHint() const { return {Theme::current().px(640), Theme::current().px(240)}; }
QSize RooflineCanvas::minimumSizeHint() const { return {Theme::current().px(240), Theme::current().px(120)}; }

void RooflineCanvas::setRoofline(std::shared_ptr<const RooflineRows> rows, const profiler::Roofline *roofline)
{
    if (roofline != m_roofline) m_chosen = -1;
    m_rows = std::move(rows);
    m_roofline = roofline;
    update();
}

void RooflineCanvas::setChosen(int point)
{
    m_chosen = point;
    update();
}

QRectF RooflineCanvas::area() const
{
    const Theme &theme = Theme::current();
    return QRectF(rect()).adjusted(theme.px(92), theme.px(14), -theme.px(16), -theme.px(34));
}

double RooflineCanvas::xOf(double intensity) const
{
    const double low = std::log10(m_roofline->lowIntensity), high = std::log10(m_roofline->highIntensity);
    return area().left() + (std::log10(intensity) - low) / (high - low) * area().width();
}

double RooflineCanvas::yOf(double rate) const
{
    const double low = std::log10(m_roofline->lowRate), high = std::log10(m_roofline->highRate);
    return area().bottom() - (std::log10(rate) - low) / (high - low) * area().height();
}

double RooflineCanvas::radiusOf(const RooflinePoint &point) const
{
    return Theme::current().px(kLeastRadius) +
           (Theme::current().px(kMostRadius) - Theme::current().px(kLeastRadius)) * std::sqrt(point.share);
}

QPointF RooflineCanvas::placeOf(int index) const
{
    if (!m_roofline || index < 0 || index >= static_cast<int>(m_roofline->points.size())) return {};
    const RooflinePoint &point = m_roofline->points[static_cast<std::size_t>(index)];
    return {xOf(point.intensity), yOf(point.rate)};
}

int RooflineCanvas::pointAt(const QPointF &place) const
{
    int nearest = -1;
    double best = 1e9;
    for (int i = 0; m_roofline && i < static_cast<int>(m_roofline->points.size()); ++i) {
        const QPointF away = placeOf(i) - place;
        const double distance = std::hypot(away.x(), away.y());
        if (distance > radiusOf(m_roofline->points[static_cast<std::size_t>(i)]) + 3 || distance >= best) continue;
        nearest = i;
        best = distance;
    }
    return nearest;
}

void RooflineCanvas::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.color(Color::Panel));
    if (!m_roofline) return;
    painter.setFont(theme.font(FontRole::Caption));
    paintAxes(painter);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(area().adjusted(-1, -1, 1, 1));
    std::vector<QRectF> names = paintRoofs(painter);
    painter.setClipping(false);
    paintPoints(painter, std::move(names));
}

std::vector<QRectF> RooflineCanvas::paintRoofs(QPainter &painter) const
{
    const Theme &theme = Theme::current();
    std::vector<QRectF> names;
    std::vector<profiler::DrawnRoof> roofs = m_roofline->roofs;
    std::ranges::stable_sort(roofs, std::greater<>(), &profiler::DrawnRoof::flops);
    for (const profiler::DrawnRoof &roof : roofs) {
        const bool isDevice = roof.device != "cpu";
        const QColor ink = theme.color(isDevice ? Color::Gpu : Color::TextSecondary);
        const QString of = isDevice || roofs.size() > 1 ? text(roof.device) + u' ' : QString();
        if (roof.memory > 0)
            names.push_back(
                paintSlope(painter, roof.flops, roof.memory, of + tr("memory %1").arg(formats::byteRate(roof.memory)), Qt::DashLine, ink));
        if (roof.cache > 0)
            names.push_back(
                paintSlope(painter, roof.flops, roof.cache, of + tr("cache %1").arg(formats::byteRate(roof.cache)), Qt::SolidLine, ink));
        painter.setPen(ink);
        const QString name = of + QStringLiteral("%1 %2").arg(text(roof.dtype), formats::flopRate(roof.flops));
        // The highest is named above its line, the others below: two that are near each other keep their names apart.
        const bool isHighest = &roof == &roofs.front();
        painter.drawText(QRectF(area().left(), yOf(roof.flops) + theme.px(isHighest ? -17 : 2), area().width() - theme.px(4), theme.px(16)),
                         Qt::AlignRight | (isHighest ? Qt::AlignBottom : Qt::AlignTop), name);
    }
    return names;
}

void RooflineCanvas::paintAxes(QPainter &painter) const
{
    const Theme &theme = Theme::current();
    const QRectF place = area();
    for (double at = m_roofline->lowIntensity; at <= m_roofline->highIntensity * 1.01; at *= 10) {
        const double x = std::floor(xOf(at));
        painter.fillRect(QRectF(x, place.top(), 1, place.height()), theme.color(Color::Border));
        painter.setPen(theme.color(Color::TextMuted));
        painter.drawText(QRectF(x - theme.px(30), place.bottom() + theme.px(2), theme.px(60), theme.px(15)),
                         Qt::AlignHCenter | Qt::AlignTop, QString::number(at));
    }
    double above = 1e9; // where the last number stands: in a low picture not every line has one
    for (double at = m_roofline->lowRate; at <= m_roofline->highRate * 1.01; at *= 10) {
        const double y = std::floor(yOf(at));
        painter.fillRect(QRectF(place.left(), y, place.width(), 1), theme.color(Color::Border));
        if (above - y < theme.px(15)) continue;
        above = y;
        painter.setPen(theme.color(Color::TextMuted));
        painter.drawText(QRectF(0, y - theme.px(8), place.left() - theme.px(8), theme.px(16)), Qt::AlignRight | Qt::AlignVCenter,
                         formats::flopRate(at));
    }
    painter.setPen(theme.color(Color::TextSecondary));
    const QFontMetricsF metrics(painter.font());
    const QRectF line(theme.px(8), place.bottom() + theme.px(16), width() - theme.px(16), theme.px(16));
    const QString said = legend(metrics, line.width());
    const double center = place.center().x(), half = metrics.horizontalAdvance(said) / 2;
    const double shift = std::clamp(center - line.center().x(), line.left() + half - line.center().x(),
                                    std::max(line.left() + half, line.right() - half) - line.center().x());
    painter.drawText(line.translated(shift, 0), Qt::AlignHCenter | Qt::AlignTop, said);
}

// Of the signs those that are there, and as many words before them as have room.
QString RooflineCanvas::legend(const QFontMetricsF &metrics, double room) const
{
    const auto has = [this](auto is) { return std::ranges::any_of(m_roofline->points, is); };
    QStringList signs;
    if (has([](const RooflinePoint &point) { return point.runs == "library"; })) signs << tr("● library");
    if (has([](const RooflinePoint &point) { return point.runs == "compiled"; })) signs << tr("■ generated code");
    if (has([](const RooflinePoint &point) { return point.runs != "library" && point.runs != "compiled"; })) signs << tr("◆ interpreter");
    if (has([](const RooflinePoint &point) { return point.device != "cpu"; })) signs << tr("⊙ on a device");
    QString said;
    for (const QString &axis : {tr("flop for each byte of inputs and outputs"), tr("flop for each byte"), QString()}) {
        said = axis + (axis.isEmpty() || signs.isEmpty() ? QString() : QStringLiteral(" · ")) + signs.join(QStringLiteral("  "));
        if (metrics.horizontalAdvance(said) <= room) break;
    }
    return metrics.elidedText(said, Qt::ElideRight, room);
}

QRectF RooflineCanvas::paintSlope(QPainter &painter, double flops, double bandwidth, const QString &name, Qt::PenStyle style,
                                  const QColor &ink) const
{
    const Theme &theme = Theme::current();
    const double ridge = flops / bandwidth;
    const QPointF low(xOf(m_roofline->lowIntensity / 10), yOf(m_roofline->lowIntensity / 10 * bandwidth)), top(xOf(ridge), yOf(flops));
    painter.setPen(QPen(ink, 2, style));
    painter.drawPolyline(QPolygonF({low, top, QPointF(area().right(), top.y())}));
    // The name stands along the slope, near the ridge.
    const double angle = std::atan2(low.y() - top.y(), top.x() - low.x());
    const double across = top.x() - area().left(), down = area().bottom() - top.y(); // how much of the slope is seen
    const double seen = std::min(across, down / std::max(1e-9, std::tan(angle))) / std::max(1e-9, std::cos(angle));
    if (area().height() < theme.px(90) || seen < QFontMetricsF(painter.font()).horizontalAdvance(name) + theme.px(34))
        return {}; // the table names it
    painter.save();
    painter.translate(top);
    painter.rotate(-angle * 180 / 3.14159265358979);
    painter.setPen(ink);
    const bool isInner = style == Qt::SolidLine; // above its line: those of memory and cache are near each other
    QRectF written;
    painter.drawText(QRectF(-theme.px(290), isInner ? -theme.px(21) : theme.px(3), theme.px(260), theme.px(18)),
                     Qt::AlignRight | (isInner ? Qt::AlignBottom : Qt::AlignTop), name, &written);
    written = painter.transform().mapRect(written);
    painter.restore();
    return painter.transform().inverted().mapRect(written);
}

void RooflineCanvas::paintPoints(QPainter &painter, std::vector<QRectF> taken) const
{
    const Theme &theme = Theme::current();
    // The largest are named; they are drawn last.
    for (int i = static_cast<int>(m_roofline->points.size()) - 1; i >= 0; --i) {
        const RooflinePoint &point = m_roofline->points[static_cast<std::size_t>(i)];
        const QPointF place = placeOf(i);
        const double radius = radiusOf(point);
        const bool isDevice = point.device != "cpu";
        QColor fill = theme.color(isDevice ? Color::Gpu : Color::Cpu);
        fill.setAlphaF(0.75F);
        painter.setBrush(fill);
        painter.setPen(QPen(theme.color(Color::Panel), 1));
        const QRectF square(place.x() - radius * 0.9, place.y() - radius * 0.9, radius * 1.8, radius * 1.8);
        if (point.runs == "library") painter.drawEllipse(place, radius, radius);
        else if (point.runs == "compiled") painter.drawRect(square);
        else
            painter.drawPolygon(QPolygonF({place + QPointF(0, -radius * 1.2), place + QPointF(radius * 1.2, 0),
                                           place + QPointF(0, radius * 1.2), place + QPointF(-radius * 1.2, 0)}));
        if (isDevice) {
            painter.setBrush(theme.color(Color::Panel));
            painter.drawEllipse(place, theme.px(2), theme.px(2));
        }
        if (i != m_chosen) continue;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.color(Color::SelectionRing), 2));
        painter.drawEllipse(place, radius + 4, radius + 4);
    }
    const QFontMetricsF metrics(painter.font());
    std::vector<QRectF> large;
    for (int i = 0; i < std::min(kStandOut, static_cast<int>(m_roofline->points.size())); ++i) {
        const double radius = radiusOf(m_roofline->points[static_cast<std::size_t>(i)]);
        large.push_back(QRectF(-radius, -radius, 2 * radius, 2 * radius).translated(placeOf(i)));
    }
    for (int i = 0; i < static_cast<int>(m_roofline->points.size()); ++i) {
        const RooflinePoint &point = m_roofline->points[static_cast<std::size_t>(i)];
        const QPointF place = placeOf(i);
        const double away = radiusOf(point) + theme.px(5);
        const double onRight = rect().right() - 4 - (place.x() + away), onLeft = place.x() - away - area().left();
        const QString rest = QStringLiteral(" · %1").arg(atMostText(point));
        const double forName = std::max(onRight, onLeft) - metrics.horizontalAdvance(rest);
        if (forName < theme.px(20)) continue; // its tool tip says it
        const QString name = metrics.elidedText(friendlyName(text(point.name)), Qt::ElideMiddle, std::min<double>(theme.px(150), forName));
        const QString said = name + rest;
        const double width = metrics.horizontalAdvance(said), height = metrics.height();
        const auto at = [&](bool right) {
            return QRectF(right ? place.x() + away : place.x() - away - width, place.y() - height / 2, width, height);
        };
        // On no other name and on no other point that stands out: beside it, else its tool tip says it.
        const auto isFree = [&](const QRectF &label) {
            const auto lies = [&](const QRectF &other) { return other.intersects(label); };
            for (int other = 0; other < static_cast<int>(large.size()); ++other)
                if (other != i && placeOf(other) != place && lies(large[static_cast<std::size_t>(other)])) return false;
            return std::none_of(taken.begin(), taken.end(), lies);
        };
        const bool fitsRight = width <= onRight, fitsLeft = width <= onLeft;
        const bool isRight = fitsRight && (isFree(at(true)) || !fitsLeft || !isFree(at(false)));
        const QRectF label = at(isRight);
        if (!isFree(label) && i != m_chosen) continue;
        taken.push_back(label);
        QColor ground = theme.color(Color::Panel);
        ground.setAlphaF(0.8F);
        painter.fillRect(label.adjusted(-2, 0, 2, 0), ground);
        painter.setPen(theme.color(Color::TextPrimary));
        painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter, said);
    }
}

void RooflineCanvas::mousePressEvent(QMouseEvent *event)
{
    const int point = pointAt(event->position());
    if (event->button() != Qt::LeftButton || point < 0) return;
    setChosen(point);
    Q_EMIT chosenByPerson(point);
}

void RooflineCanvas::keyPressEvent(QKeyEvent *event)
{
    const bool next = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down;
    const bool before = event->key() == Qt::Key_Left || event->key() == Qt::Key_Up;
    if (!m_roofline || m_roofline->points.empty() || (!next && !before)) return QWidget::keyPressEvent(event);
    const int last = static_cast<int>(m_roofline->points.size()) - 1;
    setChosen(m_chosen < 0 ? 0 : std::clamp(m_chosen + (next ? 1 : -1), 0, last));
    Q_EMIT chosenByPerson(m_chosen);
}

bool RooflineCanvas::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        auto *help = static_cast<QHelpEvent *>(event);
        const int point = pointAt(help->pos());
        if (point < 0) QToolTip::hideText();
        else QToolTip::showText(help->globalPos(), RooflineRows::tip(m_roofline->points[static_cast<std::size_t>(point)]), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace views
