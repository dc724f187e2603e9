#include "views/memory/memory_canvas.h"

#include "views/common/formats.h"
#include "views/common/palette.h"

#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace views {

using profiler::BufferKind;
using profiler::Lifetime;

namespace {

constexpr double kTop = 10; // px at 100 %, above the highest level

} // namespace

void MemoryCanvas::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(viewport());
    painter.fillRect(viewport()->rect(), theme.color(Color::Panel));
    if (!m_rows) return;
    if (m_picture == MemoryPicture::OverTime) return paintOverTime(painter);
    if (!m_function) return;
    paintPieces(painter);
    painter.fillRect(QRectF(0, 0, viewport()->width(), piecesTop() - theme.px(2)), theme.color(Color::Panel));
    paintCourse(painter);
    if (m_hovered >= 0) { // who lives then
        QColor mark = theme.color(Color::Accent);
        mark.setAlphaF(0.12F);
        painter.fillRect(QRectF(xOf(m_hovered), 0, xOf(m_hovered + 1) - xOf(m_hovered), viewport()->height()), mark);
    }
}

void MemoryCanvas::paintLevel(QPainter &painter, std::int64_t level, const QString &name, Qt::PenStyle style,
                              std::vector<double> &labels) const
{
    if (level < 0) return;
    const Theme &theme = Theme::current();
    const double base = courseHeight(), top = theme.px(kTop);
    const std::int64_t scale = m_function->memory.scaleBytes;
    const bool isBeyond = level > scale; // it is named at the top
    const double y = std::round(base - static_cast<double>(std::min(level, scale)) / static_cast<double>(scale) * (base - top)) + 0.5;
    painter.setPen(
        QPen(theme.color(style == Qt::SolidLine ? Color::TextPrimary : Color::BorderStrong), style == Qt::SolidLine ? 1.5 : 1, style));
    painter.drawLine(QPointF(left(), y), QPointF(right(), y));
    // Names keep apart from one another; a line that found no room goes without, its number is in the table's caption.
    const double height = theme.lineHeight(FontRole::Caption) - 2;
    double at = std::clamp(y, height / 2, base + theme.px(4));
    for (const double other : labels)
        if (std::abs(other - at) < height) at = other + height;
    if (at > base + theme.px(14)) return;
    labels.push_back(at);
    std::sort(labels.begin(), labels.end());
    painter.setFont(theme.font(FontRole::Caption));
    painter.setPen(theme.color(style == Qt::SolidLine ? Color::TextPrimary : Color::TextSecondary));
    const QRectF place(right() + theme.px(6), at - height / 2, viewport()->width() - right() - theme.px(10), height);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(
                         QStringLiteral("%1%2 %3").arg(isBeyond ? QStringLiteral("↑ ") : QString(), formats::bytes(level), name),
                         Qt::ElideRight, static_cast<int>(place.width())));
}

void MemoryCanvas::paintCourse(QPainter &painter) const
{
    const Theme &theme = Theme::current();
    const profiler::CallMemory &memory = m_function->memory;
    const double base = courseHeight(), top = theme.px(kTop), scale = (base - top) / static_cast<double>(memory.scaleBytes);
    QPainterPath steps(QPointF(left(), base));
    for (std::size_t i = 0; i < memory.report.liveBytes.size(); ++i) {
        const double y = base - static_cast<double>(memory.report.liveBytes[i]) * scale;
        steps.lineTo(xOf(static_cast<double>(i)), y);
        steps.lineTo(xOf(static_cast<double>(i + 1)), y);
    }
    steps.lineTo(xOf(static_cast<double>(memory.report.liveBytes.size())), base);
    painter.fillPath(steps, theme.color(Color::SoftMemory));
    painter.setPen(QPen(theme.color(Color::Memory), 1));
    painter.drawPath(steps);
    painter.fillRect(QRectF(left(), base, right() - left(), 1), theme.color(Color::BorderStrong));
    painter.setFont(theme.font(FontRole::Caption));
    painter.setPen(theme.color(Color::TextMuted));
    const double width = left() - theme.px(8);
    painter.drawText(QRectF(0, base - theme.px(8), width, theme.px(16)), Qt::AlignRight | Qt::AlignVCenter, tr("0 B"));
    painter.drawText(QRectF(0, top - theme.px(8), width, theme.px(16)), Qt::AlignRight | Qt::AlignVCenter,
                     formats::bytes(memory.scaleBytes));

    std::vector<double> labels;
    paintLevel(painter, memory.report.peak.bytes, tr("peak, as planned"), Qt::DotLine, labels);
    const bool hasDevices = memory.devicePeaks.size() > memory.devicePeaks.count("cpu"); // their arrays are in the course
    paintLevel(painter, memory.plan.measuredPeakBytes, hasDevices ? tr("measured on the host") : tr("measured"), Qt::SolidLine, labels);
    paintLevel(painter, memory.plan.peakNoInplaceBytes, tr("without in-place"), Qt::DashLine, labels);
    paintLevel(painter, memory.plan.peakNoGcBytes, tr("without freeing"), Qt::DashLine, labels);
    // The flag at the peak, and what runs there.
    const int at = m_hovered >= 0 ? m_hovered : memory.report.peak.position;
    const QString op =
        at < static_cast<int>(m_function->positions.size()) ? m_function->positions[static_cast<std::size_t>(at)] : QString();
    const std::int64_t live =
        at < static_cast<int>(memory.report.liveBytes.size()) ? memory.report.liveBytes[static_cast<std::size_t>(at)] : 0;
    if (memory.report.peak.bytes > 0) {
        const double x = (xOf(memory.report.peak.position) + xOf(memory.report.peak.position + 1)) / 2;
        const double y = base - static_cast<double>(memory.report.peak.bytes) * scale;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.color(Color::Memory));
        painter.drawPolygon(QPolygonF({{x, y}, {x - theme.px(4), y - theme.px(7)}, {x + theme.px(4), y - theme.px(7)}}));
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
    painter.setPen(theme.color(Color::TextSecondary));
    const QString said = m_hovered >= 0 ? tr("step %1, %2: %3 held").arg(at).arg(op, formats::bytes(live))
                                        : tr("most is held at step %1, %2").arg(at).arg(op);
    const QRectF line(left(), base + theme.px(4), this->width() - left() - theme.px(8), theme.px(20));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(said, Qt::ElideRight, static_cast<int>(line.width())));
}

void MemoryCanvas::paintPiece(QPainter &painter, int index, const QRectF &rect) const
{
    const Theme &theme = Theme::current();
    const Lifetime &life = m_function->memory.lifetimes[static_cast<std::size_t>(index)];
    const bool gpu = !life.device.empty() && life.device != "cpu";
    const QColor ink = theme.color(gpu ? Color::Gpu : Color::Memory);
    if (!life.counted) { // not the call's own: an outline
        painter.setPen(QPen(theme.color(Color::BorderStrong), 1));
        painter.setBrush(theme.color(Color::Sunken));
        painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
    } else if (life.atPeak) {
        painter.fillRect(rect, ink);
    } else {
        painter.fillRect(rect, theme.color(gpu ? Color::SoftGpu : Color::SoftMemory));
        painter.setPen(QPen(ink, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    painter.setPen(QPen(theme.color(Color::DestroyEdge), 1.75));
    for (const int at : life.overwritten) { // written over here
        const double x = xOf(at);
        if (x > rect.left() && x < rect.right()) painter.drawLine(QPointF(x, rect.top()), QPointF(x, rect.bottom()));
    }
    if (index == m_chosen) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme.color(Color::SelectionRing), 2));
        painter.drawRect(rect.adjusted(-1, -1, 1, 1));
    }
}

void MemoryCanvas::paintPieces(QPainter &painter) const
{
    const Theme &theme = Theme::current();
    painter.setFont(theme.font(FontRole::Caption));
    for (int i = 0; i < static_cast<int>(m_function->memory.lifetimes.size()); ++i) {
        const QRectF rect = rectOf(i);
        if (rect.isEmpty() || rect.bottom() < piecesTop() || rect.top() > viewport()->height()) continue;
        paintPiece(painter, i, rect);
        const Lifetime &life = m_function->memory.lifetimes[static_cast<std::size_t>(i)];
        const QString name = m_function->names[static_cast<std::size_t>(i)];
        if (m_picture == MemoryPicture::Lifetimes) {
            painter.setPen(theme.color(Color::TextSecondary));
            drawTabular(painter, QRectF(0, rect.top() - 2, left() - theme.px(8), rect.height() + 4), Qt::AlignRight | Qt::AlignVCenter,
                        formats::bytes(life.bytes));
            const QRectF place(right() + theme.px(6), rect.top() - 2, viewport()->width() - right() - theme.px(10), rect.height() + 4);
            const QString kind = life.counted ? QString() : QStringLiteral(" · ") + MemoryRows::kindText(life.kind);
            painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                             painter.fontMetrics().elidedText(name + kind, Qt::ElideRight, static_cast<int>(place.width())));
        } else if (rect.height() >= painter.fontMetrics().height() && rect.width() > theme.px(24)) {
            painter.setPen(life.atPeak ? Theme::textOn(theme.color(Color::Memory)) : theme.color(Color::TextPrimary));
            const QString shown = painter.fontMetrics().elidedText(name, Qt::ElideRight, static_cast<int>(rect.width()) - theme.px(8));
            painter.drawText(rect.adjusted(theme.px(4), 0, -theme.px(4), 0), Qt::AlignLeft | Qt::AlignVCenter, shown);
        }
    }
    if (m_picture != MemoryPicture::Arena) return;
    painter.setPen(theme.color(Color::TextMuted));
    const double bottom = viewport()->height() - theme.px(6);
    painter.drawText(QRectF(0, bottom - theme.px(14), left() - theme.px(8), theme.px(16)), Qt::AlignRight | Qt::AlignVCenter, tr("0 B"));
    painter.drawText(QRectF(0, piecesTop(), left() - theme.px(8), theme.px(16)), Qt::AlignRight | Qt::AlignVCenter,
                     formats::bytes(m_function->memory.arenaUsed));
    painter.fillRect(QRectF(left(), bottom, right() - left(), 1), theme.color(Color::BorderStrong));
    std::int64_t outside = 0;
    for (const Lifetime &life : m_function->memory.lifetimes) outside += life.offset < 0 && life.counted ? 1 : 0;
    const QRectF said(right() + theme.px(6), piecesTop(), viewport()->width() - right() - theme.px(10), bottom - piecesTop());
    painter.drawText(said, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                     m_function->memory.arenaUsed == 0 ? tr("nothing lies in the arena")
                     : outside == 1                    ? tr("by address; 1 piece lies outside of the arena")
                                                       : tr("by address; %1 pieces lie outside of the arena").arg(outside));
}

void MemoryCanvas::paintOverTime(QPainter &painter) const
{
    const Theme &theme = Theme::current();
    const std::vector<profiler::MemoryEvent> &events = m_rows->events;
    if (events.empty()) return;
    const double base = viewport()->height() - theme.px(28), top = theme.px(16);
    const auto start = static_cast<double>(events.front().timeNs), end = std::max(static_cast<double>(events.back().timeNs), start + 1);
    const double edge = viewport()->width() - theme.px(96);
    const auto x = [&](std::int64_t ns) { return left() + (static_cast<double>(ns) - start) / (end - start) * (edge - left()); };
    const auto y = [&](std::int64_t live) {
        return base - static_cast<double>(live) / static_cast<double>(std::max<std::int64_t>(m_rows->highest, 1)) * (base - top);
    };
    // One stroke from the lowest to the highest of each column.
    QPainterPath fill(QPointF(left(), base));
    QPolygonF line;
    double before = y(events.front().liveBytes);
    for (std::size_t i = 0; i < events.size();) {
        const double column = std::floor(x(events[i].timeNs));
        double low = before, high = before, last = before;
        for (; i < events.size() && std::floor(x(events[i].timeNs)) == column; ++i) {
            last = y(events[i].liveBytes);
            low = std::max(low, last);
            high = std::min(high, last);
        }
        for (const double at : {before, low, high, last}) line << QPointF(column + 0.5, at);
        before = last;
    }
    line << QPointF(edge, before);
    for (const QPointF &point : line) fill.lineTo(point);
    fill.lineTo(edge, base);
    painter.fillPath(fill, theme.color(Color::SoftMemory));
    painter.setPen(QPen(theme.color(Color::Memory), 1.5));
    painter.drawPolyline(line);
    painter.fillRect(QRectF(left(), base, edge - left(), 1), theme.color(Color::BorderStrong));
    painter.setFont(theme.font(FontRole::Caption));
    painter.setPen(theme.color(Color::TextMuted));
    const double height = theme.px(16);
    painter.drawText(QRectF(0, base - height / 2, left() - theme.px(8), height), Qt::AlignRight | Qt::AlignVCenter, tr("0 B"));
    painter.drawText(QRectF(0, top - height / 2, left() - theme.px(8), height), Qt::AlignRight | Qt::AlignVCenter,
                     formats::bytes(m_rows->highest));
    painter.drawText(QRectF(left(), base + theme.px(4), edge - left(), height), Qt::AlignLeft | Qt::AlignVCenter,
                     formats::timeNs(events.front().timeNs));
    painter.drawText(QRectF(left(), base + theme.px(4), edge - left(), height), Qt::AlignRight | Qt::AlignVCenter,
                     formats::timeNs(events.back().timeNs));
    painter.setPen(theme.color(Color::TextSecondary));
    painter.drawText(QRectF(edge + theme.px(6), before - height / 2, theme.px(88), height), Qt::AlignLeft | Qt::AlignVCenter,
                     formats::bytes(events.back().liveBytes));
    const double peak = x(m_rows->highestNs);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.color(Color::Memory));
    painter.drawPolygon(QPolygonF({{peak, top}, {peak - theme.px(4), top - theme.px(7)}, {peak + theme.px(4), top - theme.px(7)}}));
}

} // namespace views
