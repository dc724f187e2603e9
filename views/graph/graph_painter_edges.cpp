#include "views/graph/graph_painter.h"

#include "views/common/theme.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <array>

namespace views {
namespace {

constexpr double kHeadLength = 7;
constexpr double kHeadWidth = 6;

} // namespace

QColor GraphPainter::edgeColor(SceneEdgeKind kind) const
{
    switch (kind) {
    case SceneEdgeKind::View: return m_theme.color(Color::ViewEdge);
    case SceneEdgeKind::Destroy: return m_theme.color(Color::DestroyEdge);
    case SceneEdgeKind::Transfer: return m_theme.color(Color::Transfer);
    case SceneEdgeKind::Data: break;
    }
    return m_theme.color(Color::DataEdge);
}

// While nodes move, or some are dimmed, each edge is drawn by itself: what they have in common is not.
bool GraphPainter::drawsBundles() const { return !m_state.opacity && m_state.dimmedExcept.isEmpty() && !m_state.isolated; }

void GraphPainter::paintFans()
{
    if (!drawsBundles()) return;
    for (const FanShape &fan : m_state.picture->fans) {
        if (!isSeen(fan.bounds)) continue;
        const bool lit = m_state.selected.contains(m_state.scene->nodes[fan.node].key);
        QColor color = lit && fan.kind == SceneEdgeKind::Data ? m_theme.color(Color::SelectionRing) : edgeColor(fan.kind);
        if (m_state.detail == Detail::Dot) color.setAlphaF(0.4f);
        QPen pen(color, line(lit ? 3 : 2));
        pen.setCapStyle(Qt::RoundCap);
        m_painter.setPen(pen);
        m_painter.drawLine(fan.left, fan.right);
        m_painter.setPen(QPen(color, line(lit ? 4 : 3), Qt::SolidLine, Qt::FlatCap));
        const QPointF meet(fan.root.x(), fan.left.y());
        const double head = !fan.out && m_state.detail > Detail::Box ? px(kHeadLength) : 0;
        m_painter.drawLine(meet, fan.root - QPointF(0, head));
        if (m_state.detail <= Detail::Box) continue;
        if (!fan.out) paintHead(fan.kind, fan.root, color, line(1.75));
        const QString count = QChar(0x00d7) + QString::number(fan.count);
        const QFontMetricsF metrics(m_captionFont);
        const double above = std::min(fan.root.y(), meet.y()), height = metrics.height();
        const QRectF place(fan.root.x() + px(6), (above + std::max(fan.root.y(), meet.y()) - height) / 2,
                           metrics.horizontalAdvance(count) + px(6), height);
        m_painter.setFont(m_captionFont);
        m_painter.fillRect(place, m_theme.color(Color::Canvas));
        m_painter.setPen(m_theme.color(Color::TextSecondary));
        m_painter.drawText(place, Qt::AlignCenter, count);
    }
}

void GraphPainter::paintEdges(const std::vector<int> &edges)
{
    paintFans();
    if (m_state.detail <= Detail::Box) {
        paintFar(edges);
        return;
    }
    std::vector<int> highlighted;
    for (int index : edges) {
        const SceneEdge &edge = m_state.scene->edges[index];
        const bool strong =
            !edge.ghost && std::any_of(m_state.selected.begin(), m_state.selected.end(), [&](SceneKey key) { return touches(edge, key); });
        if (strong) highlighted.push_back(index);
        else paintEdge(index, false);
        if (!goesOn()) return;
    }
    for (int index : highlighted) paintEdge(index, true);
    m_painter.setOpacity(1);
}

// Without heads and curves, one call per kind: thousands of edges must stay cheap.
void GraphPainter::paintFar(const std::vector<int> &edges)
{
    constexpr double kShortest = 1.5; // px on the screen
    std::array<QVector<QLineF>, 4> lines;
    QVector<QLineF> strong;
    for (int index : edges) {
        const PictureEdge &edge = m_state.picture->edges[index];
        const SceneEdge &link = m_state.scene->edges[index];
        if (edge.stub || edge.curve.size() < 2 || link.ghost) continue;
        const bool lit =
            m_state.selected.contains(m_state.scene->nodes[link.from].key) || m_state.selected.contains(m_state.scene->nodes[link.to].key);
        const auto [first, last] = ownPart(edge, !lit && drawsBundles());
        const QPointF reach = edge.curve[last] - edge.curve[first];
        if (reach.manhattanLength() * m_state.scale < kShortest) continue;
        auto &out = lit ? strong : lines[static_cast<std::size_t>(link.kind)];
        // Long edges bend around boxes in their lanes; straight through would hide where they go.
        for (std::size_t k = first + 3; k <= last; k += 3) out.push_back(QLineF(edge.curve[k - 3], edge.curve[k]));
    }
    for (std::size_t kind = 0; kind < lines.size(); ++kind) {
        QColor color = edgeColor(static_cast<SceneEdgeKind>(kind));
        if (m_state.detail == Detail::Dot) color.setAlphaF(0.4f);
        m_painter.setPen(QPen(color, 0));
        m_painter.drawLines(lines[kind]);
    }
    m_painter.setPen(QPen(m_theme.color(Color::SelectionRing), line(2)));
    m_painter.drawLines(strong);
}

void GraphPainter::paintEdge(int index, bool highlighted)
{
    const SceneEdge &link = m_state.scene->edges[index];
    const PictureEdge &edge = m_state.picture->edges[index];
    const double opacity = std::min(opacityOf(link.from), opacityOf(link.to));
    if (edge.curve.size() < 2 || opacity <= 0) return;
    m_painter.setOpacity(opacity);
    const bool special = link.kind != SceneEdgeKind::Data;
    const QColor color = highlighted && !special ? m_theme.color(Color::SelectionRing) : edgeColor(link.kind);
    const double width = line(highlighted ? 2 : special ? 1.75 : 1.25);
    if (edge.stub) {
        paintLeaving(link);
        paintStub(edge, color, width);
        paintHead(link.kind, edge.curve.back(), color, width);
        if (highlighted || touches(link, m_state.hovered)) paintWhole(link, edge, color);
        return;
    }
    const auto [first, last] = ownPart(edge, !highlighted && drawsBundles());
    const bool arrives = last + 1 == edge.curve.size();
    const double head = arrives ? px(link.kind == SceneEdgeKind::Destroy ? kHeadLength + 1 : kHeadLength) - 0.5 : 0;
    QPainterPath path(edge.curve[first]);
    for (std::size_t k = first + 1; k + 2 <= last; k += 3) {
        const bool end = k + 2 == last;
        const QPointF lift = end ? QPointF(0, head) : QPointF();
        path.cubicTo(edge.curve[k], edge.curve[k + 1] - (end ? lift / 2 : QPointF()), edge.curve[k + 2] - lift);
    }
    QPen pen(color, width);
    pen.setCapStyle(Qt::FlatCap);
    if (link.kind == SceneEdgeKind::View) pen.setDashPattern({6 / width, 3 / width});
    else if (link.kind == SceneEdgeKind::Transfer) pen.setDashPattern({2 / width, 3 / width});
    m_painter.setPen(pen);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawPath(path);
    if (arrives) paintHead(link.kind, edge.curve.back(), color, width);
}

// First and last point of what is drawn for an edge alone.
std::pair<std::size_t, std::size_t> GraphPainter::ownPart(const PictureEdge &edge, bool inBundles) const
{
    const std::size_t end = edge.curve.size() - 1;
    if (!inBundles) return {0, end};
    return {static_cast<std::size_t>(edge.ownFrom), edge.ownTo < 0 ? end : static_cast<std::size_t>(edge.ownTo)};
}

bool GraphPainter::touches(const SceneEdge &edge, SceneKey key) const
{
    return m_state.scene->nodes[edge.from].key == key || m_state.scene->nodes[edge.to].key == key;
}

// The full way of a stub, thin and dotted: shown while one of its ends is looked at.
void GraphPainter::paintWhole(const SceneEdge &link, const PictureEdge &edge, const QColor &color)
{
    const QRectF &from = m_state.picture->nodes[link.from].rect;
    const QPointF start(from.center().x(), from.bottom()), end = edge.curve.front();
    const double half = (end.y() - start.y()) / 2;
    QPainterPath path(start);
    path.cubicTo(start + QPointF(0, half), end - QPointF(0, half), end);
    QPen pen(color, line(1));
    pen.setDashPattern({1, 3});
    m_painter.setPen(pen);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawPath(path);
}

// Below a node that long edges leave: a short dotted line says that there are more readers far away.
void GraphPainter::paintLeaving(const SceneEdge &link)
{
    const QRectF &from = m_state.picture->nodes[link.from].rect;
    const QPointF start(from.center().x(), from.bottom());
    QPen pen(edgeColor(SceneEdgeKind::Data), line(1.25));
    pen.setDashPattern({1.5, 2});
    m_painter.setPen(pen);
    m_painter.drawLine(start, start + QPointF(0, px(12)));
}

void GraphPainter::paintStub(const PictureEdge &edge, const QColor &color, double width)
{
    const QPointF top = edge.curve.front(), tip = edge.curve.back();
    m_painter.setPen(QPen(color, width));
    m_painter.drawLine(top, tip - QPointF(0, px(kHeadLength) - 0.5));
    if (m_state.detail < Detail::Full) return;
    const QFontMetricsF metrics(m_captionFont);
    m_painter.setFont(m_captionFont);
    m_painter.setPen(m_theme.color(Color::TextLink));
    m_painter.drawText(QRectF(top.x() - edge.stubWidth / 2 - 4, top.y() - metrics.height() - 1, edge.stubWidth + 8, metrics.height()),
                       Qt::AlignCenter | Qt::TextSingleLine, edge.stubText);
}

void GraphPainter::paintHead(SceneEdgeKind kind, QPointF tip, const QColor &color, double width)
{
    const double length = px(kHeadLength), half = px(kHeadWidth) / 2;
    const QPolygonF head({tip, tip + QPointF(-half, -length), tip + QPointF(half, -length)});
    const bool hollow = kind == SceneEdgeKind::View;
    QPen pen(color, hollow ? line(1.25) : line(0.5));
    pen.setJoinStyle(Qt::MiterJoin);
    m_painter.setPen(pen);
    m_painter.setBrush(hollow ? m_theme.color(Color::Canvas) : color);
    m_painter.drawPolygon(hollow ? head.translated(0, -0.6) : head);
    if (kind == SceneEdgeKind::Destroy) {
        const double y = tip.y() - length - px(2.5);
        m_painter.setPen(QPen(color, std::max(width, line(1.75))));
        m_painter.drawLine(QPointF(tip.x() - half - 2, y), QPointF(tip.x() + half + 2, y));
    }
}

} // namespace views
