#include "views/timeline/timeline_canvas.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace views {
namespace {

constexpr double kWheelStep = 1.25; // nearer for one notch
constexpr double kKeyStep = 1.5;
constexpr double kPanShare = 0.2; // of the width, for one key
constexpr int kClickSlack = 3;    // px

} // namespace

std::optional<TimelineCanvas::Hit> TimelineCanvas::hitAt(const QPointF &place) const
{
    if (!m_rows || place.x() < labelWidth() || place.y() < axisHeight()) return std::nullopt;
    const double lane = (place.y() - axisHeight() + verticalScrollBar()->value()) / laneHeight();
    const auto track = static_cast<std::size_t>(lane);
    if (lane < 0 || track >= m_rows->timeline.tracks.size()) return std::nullopt;
    const auto apart = static_cast<std::int64_t>(std::ceil(2 * m_axis.nsPerPx()));
    const double at = m_axis.nsAt(place.x() - labelWidth());
    const auto slack = static_cast<std::int64_t>(m_axis.nsPerPx());
    // As it is drawn: what is joined around the pointer is one.
    const auto seen = m_rows->timeline.tracks[track].zones.see(m_axis.from(), m_axis.to(), apart);
    for (const profiler::ZoneCluster &cluster : seen)
        if (at >= static_cast<double>(cluster.startNs - slack) && at < static_cast<double>(cluster.endNs + slack))
            return Hit{track, cluster};
    return std::nullopt;
}

void TimelineCanvas::resizeEvent(QResizeEvent *event)
{
    ScrollPicture::resizeEvent(event);
    changed();
}

void TimelineCanvas::wheelEvent(QWheelEvent *event)
{
    const QPoint turn = event->angleDelta();
    const bool sideways = event->modifiers() & Qt::ShiftModifier || std::abs(turn.x()) > std::abs(turn.y());
    if (event->modifiers() & Qt::ControlModifier) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() - turn.y() / 4);
    } else if (sideways) {
        m_axis.pan(-(turn.x() ? turn.x() : turn.y()) / 2.0);
        changed();
    } else if (turn.y()) {
        m_axis.zoom(std::pow(kWheelStep, turn.y() / 120.0), event->position().x() - labelWidth());
        changed();
    }
    event->accept();
}

void TimelineCanvas::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || !m_rows) return;
    m_drag = event->modifiers() & Qt::ShiftModifier ? Drag::Range : Drag::Pan;
    m_pressed = m_last = event->position();
    m_moved = false;
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent *event)
{
    const QPointF now = event->position();
    if (m_drag == Drag::None) {
        const auto hit = hitAt(now);
        const bool same = hit.has_value() == m_hovered.has_value() &&
                          (!hit || (hit->track == m_hovered->track && hit->cluster.first == m_hovered->cluster.first));
        m_hovered = hit;
        if (!same && m_rows) viewport()->update();
        return;
    }
    if (!m_moved && (now - m_pressed).manhattanLength() < kClickSlack) return;
    m_moved = true;
    if (m_drag == Drag::Pan) {
        m_axis.pan(m_last.x() - now.x());
        verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(m_last.y() - now.y()));
        changed();
    } else {
        const double a = m_axis.nsAt(m_pressed.x() - labelWidth()), b = m_axis.nsAt(now.x() - labelWidth());
        const auto low = static_cast<double>(m_rows->timeline.startNs), high = static_cast<double>(m_rows->timeline.endNs);
        setRange({static_cast<std::int64_t>(std::clamp(std::min(a, b), low, high)),
                  static_cast<std::int64_t>(std::clamp(std::max(a, b), low, high))});
    }
    m_last = now;
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent *event)
{
    const Drag drag = std::exchange(m_drag, Drag::None);
    if (event->button() != Qt::LeftButton || !m_rows) return;
    if (drag == Drag::Range) {
        if (!m_moved) setRange({});
        Q_EMIT rangeChosen(m_range);
        return;
    }
    if (m_moved) return;
    const auto hit = hitAt(event->position());
    if (hit && hit->cluster.count == 1) choose({hit->track, hit->cluster.first});
    else if (!hit) {
        m_current.reset();
        viewport()->update();
    }
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent *event)
{
    const auto hit = hitAt(event->position());
    if (!hit) return fit();
    const std::int64_t margin = (hit->cluster.endNs - hit->cluster.startNs) / 8 + 10;
    m_axis.show(hit->cluster.startNs - margin, hit->cluster.endNs + margin);
    changed();
}

void TimelineCanvas::choose(const TimelineRows::Place &place)
{
    m_current = place;
    viewport()->update();
    Q_EMIT zoneChosen(place.track, place.zone);
}

void TimelineCanvas::reveal(const TimelineRows::Place &place)
{
    const profiler::Zone &zone = m_rows->timeline.tracks[place.track].zones.zones()[place.zone];
    m_current = place;
    // So near that the zone can be told from its neighbours.
    const double px = static_cast<double>(zone.durationNs) / m_axis.nsPerPx();
    if (px < 4) m_axis.zoom(24 / std::max(px, 1e-9), m_axis.width() / 2);
    m_axis.reveal(zone.startNs, zone.endNs());
    const QRectF rect = trackRect(place.track);
    if (rect.bottom() > viewport()->height())
        verticalScrollBar()->setValue(verticalScrollBar()->value() + static_cast<int>(rect.bottom()) - viewport()->height() + 4);
    else if (rect.top() < axisHeight())
        verticalScrollBar()->setValue(verticalScrollBar()->value() - static_cast<int>(axisHeight() - rect.top()) - 4);
    changed();
}

void TimelineCanvas::step(int by)
{
    if (!m_rows || m_rows->timeline.tracks.empty()) return;
    TimelineRows::Place place = m_current.value_or(TimelineRows::Place{});
    const std::vector<profiler::Zone> &zones = m_rows->timeline.tracks[place.track].zones.zones();
    if (!m_current) {
        place.zone = std::min(m_rows->timeline.tracks[place.track].zones.within(m_axis.from(), m_axis.to()).first, zones.size() - 1);
    } else if (by < 0 && place.zone > 0) {
        --place.zone;
    } else if (by > 0 && place.zone + 1 < zones.size()) {
        ++place.zone;
    }
    reveal(place);
    choose(place);
}

void TimelineCanvas::keyPressEvent(QKeyEvent *event)
{
    const auto otherTrack = [this](int by) {
        if (!m_rows || m_rows->timeline.tracks.empty()) return;
        const auto last = static_cast<int>(m_rows->timeline.tracks.size()) - 1;
        const int track = m_current ? std::clamp(static_cast<int>(m_current->track) + by, 0, last) : 0;
        const auto &zones = m_rows->timeline.tracks[static_cast<std::size_t>(track)].zones;
        const std::size_t zone = std::min(zones.within(m_axis.from(), m_axis.to()).first, zones.zones().size() - 1);
        reveal({static_cast<std::size_t>(track), zone});
        choose(*m_current);
    };
    const bool far = event->modifiers() & Qt::ShiftModifier;
    switch (event->key()) {
    case Qt::Key_Left: m_axis.pan(-m_axis.width() * (far ? 1 : kPanShare)); return changed();
    case Qt::Key_Right: m_axis.pan(m_axis.width() * (far ? 1 : kPanShare)); return changed();
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoomBy(kKeyStep);
    case Qt::Key_Minus: return zoomBy(1 / kKeyStep);
    case Qt::Key_Space:
    case Qt::Key_0: return fit();
    case Qt::Key_Home: m_axis.pan(-1e15); return changed();
    case Qt::Key_End: m_axis.pan(1e15); return changed();
    case Qt::Key_Up: return otherTrack(-1);
    case Qt::Key_Down: return otherTrack(1);
    case Qt::Key_N: return step(far ? -1 : 1);
    case Qt::Key_P: return step(-1);
    case Qt::Key_Escape:
        if (!m_range.isValid()) break;
        setRange({});
        Q_EMIT rangeChosen(m_range);
        return;
    default: break;
    }
    ScrollPicture::keyPressEvent(event);
}

QString TimelineCanvas::tipAt(const QPointF &place) const
{
    const auto hit = m_rows ? hitAt(place) : std::nullopt;
    return hit ? m_rows->zoneText(m_rows->timeline.tracks[hit->track], hit->cluster) : QString();
}

void TimelineCanvas::focusInEvent(QFocusEvent *event)
{
    ScrollPicture::focusInEvent(event);
    viewport()->update();
}

void TimelineCanvas::focusOutEvent(QFocusEvent *event)
{
    ScrollPicture::focusOutEvent(event);
    viewport()->update();
}

} // namespace views
