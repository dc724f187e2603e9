#include "views/flame/flame_canvas.h"

#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/palette.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace views {

using profiler::FlameKind;
using profiler::FlameNode;

namespace {

constexpr double kLeast = 2; // px: narrower frames are drawn as one
constexpr double kMargin = 12;
constexpr int kLevels = 5; // of a script that calls nothing: all, function, line, apply, what runs it

// Lightness by depth, so that neighbours can be told apart.
QColor fillOf(const FlameNode &node)
{
    const Theme &theme = Theme::current();
    const bool gpu = !node.device.empty() && node.device != "cpu";
    switch (node.kind) {
    case FlameKind::All:
    case FlameKind::Function: return theme.color(Color::Sunken);
    case FlameKind::Line: return theme.color(Color::SoftCpu);
    case FlameKind::Apply: return theme.color(gpu ? Color::Gpu : Color::Cpu);
    case FlameKind::Runner: {
        const QColor base = theme.color(gpu ? Color::Gpu : Color::Cpu);
        return theme.isDark() ? base.darker(118) : base.lighter(124);
    }
    }
    return {};
}

} // namespace

FlameCanvas::FlameCanvas(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        updateGeometry();
        update();
    });
}

double FlameCanvas::rowHeight() const
{
    return std::max(Theme::current().size(Size::Flame), Theme::current().lineHeight(FontRole::Caption) + 2) + 1;
}
int FlameCanvas::levels() const { return m_rows ? std::max(kLevels, m_rows->levels) : kLevels; }
QSize FlameCanvas::sizeHint() const { return {Theme::current().px(640), minimumSizeHint().height()}; }
QSize FlameCanvas::minimumSizeHint() const
{
    return {Theme::current().px(240), static_cast<int>(std::ceil(levels() * rowHeight())) + Theme::current().px(16)};
}

void FlameCanvas::setRows(std::shared_ptr<const FlameRows> rows)
{
    m_rows = std::move(rows);
    m_hits = {};
    m_zoom = 0;
    m_chosen = m_hovered = kNone;
    updateGeometry();
    update();
}

void FlameCanvas::setHits(profiler::FlameHits hits)
{
    m_hits = std::move(hits);
    update();
}

void FlameCanvas::zoomTo(std::size_t node)
{
    if (!m_rows || node >= m_rows->flame.nodes.size() || node == m_zoom) return;
    m_zoom = node;
    update();
    Q_EMIT zoomChanged(node);
}

void FlameCanvas::setChosen(std::size_t node)
{
    m_chosen = node;
    update();
}

bool FlameCanvas::isAbove(std::size_t node) const { return node <= m_zoom && m_zoom < m_rows->flame.nodes[node].end; }

QRectF FlameCanvas::rectOf(std::size_t index) const
{
    if (!m_rows || index >= m_rows->flame.nodes.size()) return {};
    const FlameNode &node = m_rows->flame.nodes[index], &zoom = m_rows->flame.nodes[m_zoom];
    const double margin = Theme::current().px(kMargin), room = width() - 2 * margin;
    const double top = Theme::current().px(8) + node.depth * rowHeight();
    if (isAbove(index)) return {margin, top, room, rowHeight() - 1};
    if (index < m_zoom || index >= zoom.end) return {};
    return {margin + (node.startNs - zoom.startNs) / zoom.ns * room, top, node.ns / zoom.ns * room, rowHeight() - 1};
}

std::size_t FlameCanvas::nodeAt(const QPointF &place) const
{
    if (!m_rows) return kNone;
    for (std::size_t i = 0; i < m_rows->flame.nodes.size();) {
        const QRectF rect = rectOf(i);
        const bool within = !rect.isEmpty() && place.x() >= rect.left() && place.x() < rect.right();
        if (within && place.y() >= rect.top() && place.y() < rect.bottom() + 1) return i;
        i = within ? i + 1 : m_rows->flame.nodes[i].end;
    }
    return kNone;
}

void FlameCanvas::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.color(Color::Panel));
    if (!m_rows) return;
    painter.setFont(theme.font(FontRole::Caption));
    QRectF narrow; // neighbours that are too narrow to be told apart
    int joined = 0;
    const auto flush = [&] {
        if (joined > 0 && narrow.width() >= 1) paintJoined(painter, narrow, joined);
        narrow = {};
        joined = 0;
    };
    for (std::size_t i = 0; i < m_rows->flame.nodes.size();) {
        const QRectF place = rectOf(i);
        if (place.width() < kLeast) { // with all that is within it
            if (!place.isEmpty()) {
                if (joined > 0 && (place.top() != narrow.top() || place.left() > narrow.right() + 1)) flush();
                narrow = joined == 0 ? place : narrow.united(place);
                ++joined;
            }
            i = m_rows->flame.nodes[i].end;
            continue;
        }
        flush();
        paintNode(painter, i, place);
        ++i;
    }
    flush();
    if (m_chosen == kNone || rectOf(m_chosen).isEmpty()) return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.color(Color::SelectionRing), 2));
    painter.drawRect(rectOf(m_chosen).adjusted(0, 0, -1, 0));
}

void FlameCanvas::paintJoined(QPainter &painter, const QRectF &rect, int count) const
{
    const Theme &theme = Theme::current();
    fillHatched(painter, rect, theme.color(Color::BorderStrong));
    const QString text = formats::counted(count, formats::Thing::Narrower);
    const double width = painter.fontMetrics().horizontalAdvance(text) + theme.px(8);
    if (width > rect.width()) return;
    const QRectF label(rect.left(), rect.top(), width, rect.height());
    painter.fillRect(label, theme.color(Color::Panel));
    painter.setPen(theme.color(Color::TextSecondary));
    painter.drawText(label, Qt::AlignCenter, text);
}

void FlameCanvas::paintNode(QPainter &painter, std::size_t index, const QRectF &rect) const
{
    const Theme &theme = Theme::current();
    const FlameNode &node = m_rows->flame.nodes[index];
    const bool pale = m_hits.count > 0 && !m_hits.isHit[index];
    QColor fill = fillOf(node);
    if (index == m_hovered) fill = theme.isDark() ? fill.lighter(112) : fill.darker(108);
    if (pale) { // 30 % of it over the panel
        const QColor panel = theme.color(Color::Panel);
        const auto mix = [](int a, int b) { return (3 * a + 7 * b) / 10; };
        fill = QColor(mix(fill.red(), panel.red()), mix(fill.green(), panel.green()), mix(fill.blue(), panel.blue()));
    }
    const QRectF cell = rect.width() > 3 ? rect.adjusted(0, 0, -1, 0) : rect;
    painter.fillRect(cell, fill);
    if (node.kind == FlameKind::Line && cell.width() > 2) { // pale as it is, it needs an edge
        painter.setPen(QPen(theme.color(pale ? Color::Border : Color::BorderStrong), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    const double padding = theme.px(5), room = cell.width() - 2 * padding;
    if (room < theme.px(12)) return;
    QString text = m_rows->texts[index];
    if (node.estimated && node.kind == FlameKind::Line) text.prepend(QStringLiteral("~ "));
    const QString shown = painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(room));
    if (shown.size() < 4 && shown != text) return;
    painter.setPen(pale ? theme.color(Color::TextSecondary) : Theme::textOn(fill));
    painter.drawText(cell.adjusted(padding, 0, -padding, 0), Qt::AlignLeft | Qt::AlignVCenter, shown);
}

void FlameCanvas::mousePressEvent(QMouseEvent *event)
{
    const std::size_t node = nodeAt(event->position());
    if (event->button() != Qt::LeftButton || node == kNone) return;
    setChosen(node);
    Q_EMIT chosenByPerson(node);
}

void FlameCanvas::mouseDoubleClickEvent(QMouseEvent *event)
{
    const std::size_t node = nodeAt(event->position());
    zoomTo(node == kNone || (node == m_zoom && node != 0) ? 0 : node);
}

void FlameCanvas::mouseMoveEvent(QMouseEvent *event)
{
    const std::size_t node = nodeAt(event->position());
    if (node == m_hovered) return;
    m_hovered = node;
    update();
}

void FlameCanvas::leaveEvent(QEvent *)
{
    m_hovered = kNone;
    update();
}

void FlameCanvas::walk(int key)
{
    const std::vector<FlameNode> &nodes = m_rows->flame.nodes;
    std::size_t next = m_chosen == kNone ? m_zoom : m_chosen;
    if (m_chosen != kNone) {
        const std::size_t parent = nodes[next].parent;
        if (key == Qt::Key_Up) next = parent;
        else if (key == Qt::Key_Down && next + 1 < nodes[next].end) ++next;
        else if (key == Qt::Key_Right && next != 0 && nodes[next].end < nodes[parent].end) next = nodes[next].end;
        else if (key == Qt::Key_Left && next != 0) {
            std::size_t before = parent + 1;
            while (before < next && nodes[before].end < next) before = nodes[before].end;
            next = before < next ? before : next;
        }
    }
    if (rectOf(next).isEmpty()) zoomTo(nodes[next].parent);
    setChosen(next);
    Q_EMIT chosenByPerson(next);
}

void FlameCanvas::keyPressEvent(QKeyEvent *event)
{
    if (!m_rows || m_rows->flame.nodes.empty()) return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right: return walk(event->key());
    case Qt::Key_Return:
    case Qt::Key_Enter: return zoomTo(m_chosen == kNone ? 0 : m_chosen);
    case Qt::Key_Backspace: return zoomTo(m_rows->flame.nodes[m_zoom].parent);
    case Qt::Key_Space:
    case Qt::Key_Home: return zoomTo(0);
    default: QWidget::keyPressEvent(event);
    }
}

bool FlameCanvas::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        auto *help = static_cast<QHelpEvent *>(event);
        const std::size_t node = nodeAt(help->pos());
        if (node == kNone) QToolTip::hideText();
        else QToolTip::showText(help->globalPos(), m_rows->tip(node), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace views
