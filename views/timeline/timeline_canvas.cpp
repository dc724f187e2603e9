#include "views/timeline/timeline_canvas.h"

#include "views/common/formats.h"
#include "views/common/palette.h"

#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace views {

using profiler::Track;
using profiler::TrackKind;
using profiler::Zone;
using profiler::ZoneCluster;

namespace {

constexpr double kLabel = 132; // px at 100 %
constexpr double kAxis = 24;
constexpr double kLane = 28;
constexpr double kBlock = 20;
constexpr double kMarkApart = 88;
constexpr double kLeastBlock = 2; // px, whatever the text size: narrower ones are density
constexpr double kLeastText = 18;

Color fillOf(TrackKind kind)
{
    switch (kind) {
    case TrackKind::Compile:
    case TrackKind::Passes: return Color::Compile;
    case TrackKind::Kernels: return Color::Gpu;
    case TrackKind::Copies: return Color::Transfer;
    case TrackKind::Applies: return Color::Cpu;
    default: return Color::Sunken;
    }
}

// Blocks of the host that only hold others are quiet.
bool isQuiet(TrackKind kind)
{
    return kind == TrackKind::Script || kind == TrackKind::Calls || kind == TrackKind::Ranges || kind == TrackKind::Waits;
}

} // namespace

TimelineCanvas::TimelineCanvas(QWidget *parent) : ScrollPicture(parent) {}

double TimelineCanvas::labelWidth() const { return Theme::current().px(kLabel); }
double TimelineCanvas::axisHeight() const { return Theme::current().px(kAxis); }
double TimelineCanvas::laneHeight() const { return Theme::current().px(kLane); }

QSize TimelineCanvas::sizeHint() const
{
    const int lanes = m_rows ? static_cast<int>(m_rows->timeline.tracks.size()) : 4;
    return {Theme::current().px(640), static_cast<int>(axisHeight() + lanes * laneHeight())};
}
QSize TimelineCanvas::minimumSizeHint() const { return {Theme::current().px(240), Theme::current().px(80)}; }

void TimelineCanvas::setRows(std::shared_ptr<const TimelineRows> rows, bool again)
{
    m_rows = std::move(rows);
    m_hovered.reset();
    m_current.reset();
    if (m_rows) m_axis.setExtent(m_rows->timeline.startNs, m_rows->timeline.endNs);
    layOut();
    if (!again) m_axis.fit();
    changed();
}

void TimelineCanvas::setSelection(const Selection &selection, profiler::GraphId graph)
{
    m_selection = selection;
    m_graph = graph;
    viewport()->update();
}

void TimelineCanvas::setRange(const TimeRange &range)
{
    m_range = range;
    viewport()->update();
}

void TimelineCanvas::layOut()
{
    const double lanes = m_rows ? static_cast<double>(m_rows->timeline.tracks.size()) : 0;
    setPictureHeight(axisHeight() + lanes * laneHeight(), laneHeight());
    m_axis.setWidth(viewport()->width() - labelWidth());
}

void TimelineCanvas::changed()
{
    viewport()->update();
    Q_EMIT viewChanged();
}

void TimelineCanvas::fit()
{
    m_axis.fit();
    changed();
}

void TimelineCanvas::zoomBy(double factor)
{
    m_axis.zoom(factor, m_axis.width() / 2);
    changed();
}

QRectF TimelineCanvas::trackRect(std::size_t track) const
{
    const double height = Theme::current().px(kBlock);
    const double top = axisHeight() + static_cast<double>(track) * laneHeight() - verticalScrollBar()->value();
    return {labelWidth(), top + (laneHeight() - height) / 2, viewport()->width() - labelWidth(), height};
}

bool TimelineCanvas::isSelected(const profiler::ZoneLabel &label) const
{
    return m_selection.node.isValid() && m_selection.node.kind == NodeKind::Apply && m_selection.node.side == Side::Optimized &&
           label.apply != profiler::kNoApply && raw(label.apply) == m_selection.node.id && label.graph == m_graph;
}

void TimelineCanvas::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), theme.color(Color::Panel));
    if (!m_rows) return;
    const QRectF lanes(0, axisHeight(), viewport()->width(), viewport()->height() - axisHeight());
    paintAxis(painter);
    painter.setClipRect(lanes);
    for (std::size_t track = 0; track < m_rows->timeline.tracks.size(); ++track) {
        const QRectF rect = trackRect(track);
        if (rect.bottom() < lanes.top() || rect.top() > lanes.bottom()) continue;
        paintTrack(painter, track);
        paintLabels(painter, track);
    }
    paintArrows(painter);
    paintRange(painter);
}

void TimelineCanvas::paintAxis(QPainter &painter) const
{
    const Theme &theme = Theme::current();
    const double apart = theme.px(kMarkApart), height = axisHeight();
    painter.setFont(theme.font(FontRole::Caption));
    const QString base = m_axis.base(apart);
    painter.setPen(theme.color(Color::TextMuted));
    if (!base.isEmpty())
        painter.drawText(QRectF(theme.px(12), 0, labelWidth() - theme.px(20), height), Qt::AlignLeft | Qt::AlignVCenter, base);
    painter.setClipRect(QRectF(labelWidth(), 0, m_axis.width(), viewport()->height()));
    for (const TimelineAxis::Mark &mark : m_axis.marks(apart)) {
        const double x = std::floor(labelWidth() + mark.x);
        painter.fillRect(QRectF(x, height - theme.px(4), 1, viewport()->height()), theme.color(Color::Border));
        if (x + theme.px(4) + painter.fontMetrics().horizontalAdvance(mark.text) > viewport()->width()) continue;
        painter.drawText(QRectF(x + theme.px(4), 0, apart, height), Qt::AlignLeft | Qt::AlignVCenter, mark.text);
    }
    painter.setClipping(false);
    painter.fillRect(QRectF(0, height - 1, viewport()->width(), 1), theme.color(Color::Border));
}

void TimelineCanvas::paintLabels(QPainter &painter, std::size_t index) const
{
    const Theme &theme = Theme::current();
    const Track &track = m_rows->timeline.tracks[index];
    const QRectF rect = trackRect(index);
    const double top = rect.center().y() - laneHeight() / 2;
    painter.fillRect(QRectF(0, top, labelWidth(), laneHeight()), theme.color(Color::Panel));
    painter.fillRect(QRectF(labelWidth() - 1, top, 1, laneHeight()), theme.color(Color::Border));
    painter.fillRect(QRectF(0, top + laneHeight() - 1, viewport()->width(), 1), theme.color(Color::Border));
    const bool isHere = hasFocus() && m_current && m_current->track == index;
    if (isHere) painter.fillRect(QRectF(0, top, theme.px(3), laneHeight() - 1), theme.color(Color::Accent));
    const double left = theme.px(12), room = labelWidth() - left - theme.px(6);
    const QString title = m_rows->trackTitle(track), detail = m_rows->trackDetail(track);
    painter.setFont(theme.font(FontRole::CellStrong));
    const QFontMetricsF strong(painter.font());
    double used = 0;
    if (!title.isEmpty()) {
        painter.setPen(theme.color(Color::TextPrimary));
        const QString shown = strong.elidedText(title, Qt::ElideRight, room);
        painter.drawText(QRectF(left, top, room, laneHeight()), Qt::AlignLeft | Qt::AlignVCenter, shown);
        used = strong.horizontalAdvance(shown) + theme.px(6);
    }
    painter.setFont(theme.font(FontRole::Caption));
    painter.setPen(theme.color(Color::TextMuted));
    const QFontMetricsF quiet(painter.font());
    if (used == 0 || quiet.horizontalAdvance(detail) <= room - used)
        painter.drawText(QRectF(left + used, top, room - used, laneHeight()), Qt::AlignLeft | Qt::AlignVCenter,
                         quiet.elidedText(detail, Qt::ElideRight, room - used));
}

void TimelineCanvas::paintTrack(QPainter &painter, std::size_t index) const
{
    const Track &track = m_rows->timeline.tracks[index];
    const QRectF rect = trackRect(index);
    painter.setFont(Theme::current().font(FontRole::Caption));
    const auto apart = static_cast<std::int64_t>(std::ceil(kLeastBlock * m_axis.nsPerPx()));
    for (const ZoneCluster &cluster : track.zones.see(m_axis.from(), m_axis.to(), apart)) {
        const double left = std::max(xOf(static_cast<double>(cluster.startNs)), labelWidth() - 2);
        const double right = std::min(xOf(static_cast<double>(cluster.endNs)), rect.right() + 2);
        const QRectF block(left, rect.top(), std::max(right - left, 1.0), rect.height());
        if (cluster.count == 1 && right - left >= kLeastBlock) paintZone(painter, track, track.zones.zones()[cluster.first], block);
        else paintDensity(painter, track, cluster, block);
    }
}

void TimelineCanvas::paintDensity(QPainter &painter, const Track &track, const ZoneCluster &cluster, const QRectF &block) const
{
    const Theme &theme = Theme::current();
    const double length = static_cast<double>(std::max<std::int64_t>(cluster.endNs - cluster.startNs, 1));
    const double busy = std::clamp(static_cast<double>(cluster.busyNs) / length, 0.2, 1.0);
    const double width = std::max(std::ceil(block.width()), 1.0);
    const QRectF bar(std::floor(block.left()), block.bottom() - std::round(block.height() * busy), width,
                     std::round(block.height() * busy));
    painter.fillRect(bar, theme.color(isQuiet(track.kind) ? Color::BorderStrong : fillOf(track.kind)));
}

void TimelineCanvas::paintZone(QPainter &painter, const Track &track, const Zone &zone, const QRectF &block) const
{
    const Theme &theme = Theme::current();
    const profiler::ZoneLabel &label = m_rows->timeline.labels[zone.label];
    const QRectF cell = block.width() > 4 ? block.adjusted(0.5, 0.5, -1.5, -0.5) : block;
    QColor ink;
    if (label.gap && !label.notKept) { // nothing was recorded here: a line, not a block
        painter.setPen(QPen(theme.color(Color::BorderStrong), 1, Qt::DotLine));
        painter.drawLine(QPointF(cell.left(), cell.bottom()), QPointF(cell.right(), cell.bottom()));
        ink = theme.color(Color::TextMuted);
    } else if (label.notKept) {
        painter.fillRect(cell, theme.color(Color::Sunken));
        fillHatched(painter, cell, theme.color(Color::BorderStrong));
        ink = theme.color(Color::TextSecondary);
    } else if (isQuiet(track.kind)) {
        painter.setPen(QPen(theme.color(Color::BorderStrong), 1));
        painter.setBrush(theme.color(Color::Sunken));
        painter.drawRect(cell);
        ink = theme.color(Color::TextPrimary);
    } else if (track.kind == TrackKind::Copies) {
        fillHatched(painter, cell, theme.color(Color::Transfer));
        ink = theme.color(Color::TextPrimary);
    } else if (track.kind == TrackKind::Passes) {
        painter.setPen(QPen(theme.color(Color::Compile), 1));
        painter.setBrush(theme.color(Color::SoftCompile));
        painter.drawRect(cell);
        ink = theme.color(Color::TextPrimary);
    } else {
        painter.fillRect(cell, theme.color(fillOf(track.kind)));
        ink = Theme::textOn(theme.color(fillOf(track.kind)));
    }
    if (cell.width() >= theme.px(kLeastText)) {
        const QString text = m_rows->labelText(label);
        const QFontMetricsF metrics(painter.font());
        const double room = cell.width() - theme.px(8);
        const QString shown = metrics.elidedText(text, Qt::ElideRight, room);
        const QRectF place = cell.adjusted(theme.px(4), 0, -theme.px(4), 0);
        if (shown.size() > 3 || shown == text) {
            if (label.notKept) { // hatching would eat the letters
                const double width = std::min(metrics.horizontalAdvance(shown) + theme.px(6), cell.width());
                painter.fillRect(QRectF(cell.left(), cell.top(), width, cell.height()), theme.color(Color::Panel));
            } else if (track.kind == TrackKind::Copies) {
                painter.fillRect(QRectF(cell.left() + 2, cell.top() + 2, metrics.horizontalAdvance(shown) + theme.px(6), cell.height() - 4),
                                 theme.color(Color::SoftTransfer));
            }
            painter.setPen(ink);
            painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, shown);
        }
    }
    const bool isCurrent =
        m_current && &m_rows->timeline.tracks[m_current->track] == &track && &track.zones.zones()[m_current->zone] == &zone;
    if (isCurrent || isSelected(label)) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.color(Color::SelectionRing), 2, isCurrent ? Qt::SolidLine : Qt::DashLine));
        painter.drawRect(block.adjusted(0, -1, -1, 1));
    }
}

void TimelineCanvas::paintArrows(QPainter &painter) const
{
    if (!m_current && !m_hovered) return;
    TimelineRows::Place place = m_current ? *m_current : TimelineRows::Place{m_hovered->track, m_hovered->cluster.first};
    if (!m_current && m_hovered->cluster.count != 1) return;
    const std::vector<TimelineRows::Place> places = m_rows->correlated(place);
    if (places.size() < 2) return;
    const Theme &theme = Theme::current();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.color(Color::Accent), 1.5));
    const auto zoneOf = [&](const TimelineRows::Place &one) -> const Zone & {
        return m_rows->timeline.tracks[one.track].zones.zones()[one.zone];
    };
    const QRectF first = trackRect(places.front().track);
    const QPointF from(xOf(static_cast<double>(zoneOf(places.front()).startNs)) + 2, first.bottom());
    for (std::size_t i = 1; i < places.size(); ++i) {
        const QRectF rect = trackRect(places[i].track);
        const QPointF to(xOf(static_cast<double>(zoneOf(places[i]).startNs)) + 2, rect.top());
        QPainterPath path(from);
        const double half = (to.y() - from.y()) / 2;
        path.cubicTo(from + QPointF(0, half), to - QPointF(0, half), to);
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
        painter.setBrush(theme.color(Color::Accent));
        painter.drawPolygon(QPolygonF({to, to + QPointF(-3, -6), to + QPointF(3, -6)}));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void TimelineCanvas::paintRange(QPainter &painter) const
{
    if (!m_range.isValid()) return;
    const Theme &theme = Theme::current();
    painter.setClipRect(QRectF(labelWidth(), 0, m_axis.width(), viewport()->height()));
    const double left = xOf(static_cast<double>(m_range.startNs)), right = xOf(static_cast<double>(m_range.endNs));
    QColor fill = theme.color(Color::Accent);
    fill.setAlphaF(0.12F);
    painter.fillRect(QRectF(left, 0, right - left, viewport()->height()), fill);
    for (const double x : {left, right}) painter.fillRect(QRectF(std::floor(x), 0, 1, viewport()->height()), theme.color(Color::Accent));
    const QString text = formats::timeNs(m_range.endNs - m_range.startNs);
    painter.setFont(theme.font(FontRole::CellStrong));
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(text) + theme.px(10);
    const double center = std::clamp((std::max(left, labelWidth()) + std::min(right, double(viewport()->width()))) / 2,
                                     labelWidth() + width / 2, viewport()->width() - width / 2);
    const QRectF pill(center - width / 2, theme.px(2), width, axisHeight() - theme.px(4));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.color(Color::Accent));
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    painter.setPen(theme.color(Color::TextOnAccent));
    painter.drawText(pill, Qt::AlignCenter, text);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace views
