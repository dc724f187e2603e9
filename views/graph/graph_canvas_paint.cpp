#include "views/graph/graph_canvas.h"

#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/theme.h"
#include "views/graph/pixels_taken.h"

#include <QFontMetricsF>
#include <QPaintEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace views {

PaintState GraphCanvas::paintState() const
{
    PaintState state;
    state.theme = &Theme::current();
    state.scene = m_scene.get();
    state.picture = m_picture.get();
    state.overlay = m_overlay;
    state.scale = m_camera.scale;
    state.detail = detailAt(m_camera.scale);
    state.selected = m_rings.selected;
    state.linked = m_rings.linked;
    state.marks = m_rings.marks;
    state.notes = m_rings.notes;
    state.dimmedExcept = m_search.matches.isEmpty() ? m_rings.path : m_search.matches;
    state.isolated = m_isolated;
    state.hovered = m_hovered;
    state.focused = m_keyboard && hasFocus() ? m_focused : kNoSceneKey;
    state.opacity = m_motion.opacity.empty() ? nullptr : &m_motion.opacity;
    return state;
}

GraphDrawing GraphCanvas::drawing(const QSet<SceneKey> &only) const { return {Theme::current(), m_scene, m_target, paintState(), only}; }

QSet<SceneKey> GraphCanvas::part() const
{
    QSet<SceneKey> keys = !m_search.order.empty() ? m_search.matches : !m_rings.path.isEmpty() ? m_rings.path : m_rings.selected;
    keys.remove(kNoSceneKey);
    return keys;
}

void GraphCanvas::paintEvent(QPaintEvent *)
{
    const Theme &theme = Theme::current();
    QPainter painter(this);
    paintGround(painter);
    if (m_layout.pending > 0 && m_scene->nodes.empty()) {
        painter.setFont(theme.font(FontRole::Body));
        painter.setPen(theme.color(Color::TextMuted));
        painter.drawText(rect(), Qt::AlignCenter, tr("Laying out %1").arg(formats::counted(m_layout.pending, formats::Thing::Node)));
    }
    if (!m_layout.isWaiting && !m_scene->nodes.empty()) {
        PaintState state = paintState();
        painter.save();
        painter.scale(m_camera.scale, m_camera.scale);
        painter.translate(-m_camera.origin);
        painter.setRenderHint(QPainter::Antialiasing, state.detail != Detail::Dot);
        const QRectF region = state.view = viewed();
        GraphPainter graph(painter, state);
        graph.paintFrames();
        graph.paintEdges(m_motion.picture ? movingEdges(region) : m_picture->edgeIndex.query(region));
        graph.paintCaptions();
        graph.paintNodes(m_motion.picture ? movingNodes(region) : m_picture->nodeIndex.query(region));
        if (!m_motion.leaving.empty() && m_motion.leavingOpacity > 0) {
            PaintState leaving = state;
            const std::vector<double> fade(m_motion.leavingScene->nodes.size(), m_motion.leavingOpacity);
            leaving.scene = m_motion.leavingScene.get();
            leaving.picture = m_motion.leavingPicture.get();
            leaving.opacity = &fade;
            GraphPainter(painter, leaving).paintNodes(m_motion.leaving);
        }
        painter.restore();
        painter.setRenderHint(QPainter::Antialiasing);
        if (!m_plain) {
            collectChevrons();
            paintChevrons(painter);
        }
        if (!m_note.isEmpty()) paintNote(painter);
        if (hasMinimap()) {
            placeMinimap();
            if (m_minimap.isFolded && !m_minimap.isOpened) paintFoldedMinimap(painter);
            else paintMinimap(painter);
        }
    }
    if (m_keyboard && hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(theme.color(Color::AccentFocus), 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

// The index is that of where they go; on the way there each is asked.
std::vector<int> GraphCanvas::movingNodes(const QRectF &region) const
{
    std::vector<int> seen;
    for (std::size_t i = 0; i < m_picture->nodes.size(); ++i)
        if (m_picture->nodes[i].rect.intersects(region)) seen.push_back(static_cast<int>(i));
    return seen;
}

std::vector<int> GraphCanvas::movingEdges(const QRectF &region) const
{
    std::vector<int> seen;
    for (std::size_t i = 0; i < m_picture->edges.size(); ++i) {
        const auto &curve = m_picture->edges[i].curve;
        const auto [left, right] = std::minmax_element(curve.begin(), curve.end(), [](auto &a, auto &b) { return a.x() < b.x(); });
        const auto [top, bottom] = std::minmax_element(curve.begin(), curve.end(), [](auto &a, auto &b) { return a.y() < b.y(); });
        if (curve.empty() || left->x() > region.right() || right->x() < region.left() || top->y() > region.bottom() ||
            bottom->y() < region.top())
            continue;
        seen.push_back(static_cast<int>(i));
    }
    return seen;
}

// Dots every 20 px of the scene, so that a pan is felt also where nothing is drawn.
void GraphCanvas::paintGround(QPainter &painter) const
{
    const Theme &theme = Theme::current();
    painter.fillRect(rect(), theme.color(m_ground));
    constexpr double kStep = 20;
    if (m_plain || m_camera.scale < 0.4) return;
    painter.setPen(QPen(theme.color(Color::GridDot), m_camera.scale < 0.75 ? 1 : 1.5));
    const QRectF region = viewed();
    QVector<QPointF> dots;
    for (double y = std::floor(region.top() / kStep) * kStep; y < region.bottom(); y += kStep)
        for (double x = std::floor(region.left() / kStep) * kStep; x < region.right(); x += kStep) {
            const QPointF at = toWidget({x, y});
            dots.push_back({std::floor(at.x()) + 0.5, std::floor(at.y()) + 0.5});
        }
    painter.drawPoints(dots.constData(), static_cast<int>(dots.size()));
}

void GraphCanvas::paintNote(QPainter &painter) const
{
    const Theme &theme = Theme::current();
    painter.setFont(theme.font(FontRole::Caption));
    const QFontMetricsF metrics(painter.font());
    // Beside the minimap, where that lies at the bottom.
    const bool isBesideMinimap = hasMinimap() && (m_minimap.corner == Qt::BottomLeftCorner || m_minimap.corner == Qt::BottomRightCorner);
    const double room = width() - theme.px(48) - (isBesideMinimap ? minimapRect().width() : 0);
    if (metrics.horizontalAdvance(m_note) > room) return; // half of it would only cover nodes
    const Qt::Corner corner = isBesideMinimap && m_minimap.corner == Qt::BottomRightCorner ? Qt::BottomLeftCorner : Qt::BottomRightCorner;
    const QRectF rect = atCorner(corner, {metrics.horizontalAdvance(m_note) + theme.px(12), metrics.height() + theme.px(4)});
    QColor ground = theme.color(m_ground);
    ground.setAlphaF(0.85f);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRoundedRect(rect, 4, 4);
    painter.setPen(theme.color(Color::TextMuted));
    painter.drawText(rect, Qt::AlignCenter, m_note);
}

// ---- minimap ----

QRectF GraphCanvas::atCorner(Qt::Corner corner, QSizeF size) const
{
    constexpr double kMargin = 12;
    const bool right = corner == Qt::BottomRightCorner || corner == Qt::TopRightCorner;
    const bool top = corner == Qt::TopLeftCorner || corner == Qt::TopRightCorner;
    return {QPointF(right ? width() - size.width() - kMargin : kMargin, top ? kMargin : height() - size.height() - kMargin), size};
}

bool GraphCanvas::isOverNodes(const QRectF &rect) const
{
    return !m_picture->nodeIndex.query(QRectF(toScene(rect.topLeft()), rect.size() / m_camera.scale)).empty();
}

QRectF GraphCanvas::minimapRect() const
{
    const Theme &theme = Theme::current();
    if (m_minimap.isFolded && !m_minimap.isOpened) return atCorner(m_minimap.corner, QSizeF(theme.px(28), theme.px(24)));
    const QRectF &bounds = m_target->bounds;
    return atCorner(m_minimap.corner, QSizeF(theme.px(144), theme.px(bounds.width() > 1.6 * bounds.height() ? 72 : 96)));
}

// It stays where it is while that is free, else goes to a corner without nodes, else folds.
void GraphCanvas::placeMinimap()
{
    if (m_motion.clock.state() == QAbstractAnimation::Running || m_camera.flight.state() == QAbstractAnimation::Running ||
        m_minimap.isOpened)
        return;
    const Qt::Corner before = m_minimap.corner;
    for (bool folded : {false, true}) {
        m_minimap.isFolded = folded;
        for (Qt::Corner corner : {before, Qt::BottomLeftCorner, Qt::BottomRightCorner, Qt::TopLeftCorner, Qt::TopRightCorner}) {
            m_minimap.corner = corner;
            if (!isOverNodes(minimapRect())) return;
        }
    }
    m_minimap.corner = Qt::BottomLeftCorner;
}

QRectF GraphCanvas::minimapContent(const QRectF &frame) const
{
    const QRectF inner = frame.adjusted(6, 6, -6, -6);
    const QRectF &bounds = m_target->bounds;
    const double scale = std::min(inner.width() / std::max(1.0, bounds.width()), inner.height() / std::max(1.0, bounds.height()));
    QRectF content(QPointF(), bounds.size() * scale);
    content.moveCenter(inner.center());
    return content;
}

QImage GraphCanvas::minimapPicture(const QRectF &frame) const
{
    const Theme &theme = Theme::current();
    const double ratio = devicePixelRatioF();
    QImage image((frame.size() * ratio).toSize(), QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(ratio);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    const QRectF content = minimapContent(QRectF(QPointF(), frame.size()));
    const QRectF &bounds = m_target->bounds;
    const double scale = content.width() / std::max(1.0, bounds.width());
    const PaintState state = paintState();
    const GraphPainter colors(painter, state);
    painter.setPen(Qt::NoPen);
    QHash<QRgb, QVector<QRectF>> bars;
    QVector<QRectF> linked, selected;
    PixelsTaken taken;
    for (std::size_t i = 0; i < m_scene->nodes.size(); ++i) {
        const SceneNode &node = m_scene->nodes[i];
        if (node.open || node.ghost) continue;
        const QRectF &rect = m_target->nodes[i].rect;
        QRectF bar(content.topLeft() + (rect.topLeft() - bounds.topLeft()) * scale, rect.size() * scale);
        const double height = std::clamp(bar.height() * 0.6, 1.0, 3.0);
        bar = QRectF(bar.left(), bar.center().y() - height / 2, std::max(1.5, bar.width()), height);
        if (m_rings.selected.contains(node.key)) selected.push_back(bar.adjusted(-0.5, -0.5, 0.5, 0.5));
        else if (m_rings.linked.contains(node.key)) linked.push_back(bar);
        else if (taken.take(bar.topLeft() * ratio, colors.dotLook(node))) bars[colors.dotOf(node).rgba()].push_back(bar);
    }
    for (auto it = bars.constBegin(); it != bars.constEnd(); ++it) {
        painter.setBrush(QColor::fromRgba(it.key()));
        painter.drawRects(it.value());
    }
    painter.setBrush(theme.color(Color::SelectionLinkedRing));
    painter.drawRects(linked);
    painter.setBrush(theme.color(Color::SelectionRing));
    painter.drawRects(selected);
    return image;
}

// That of thousands of nodes is made in an event of its own, which no other part of the window waits for.
void GraphCanvas::refreshMinimap(const QRectF &frame)
{
    constexpr std::size_t kMostAtOnce = 3000; // nodes
    if (!m_minimap.isOld && m_minimap.image.deviceIndependentSize() == frame.size()) return;
    const auto make = [this](const QRectF &now) {
        m_minimap.image = minimapPicture(now);
        m_minimap.isOld = false;
    };
    if (m_scene->nodes.size() <= kMostAtOnce) {
        make(frame);
        return;
    }
    if (std::exchange(m_minimap.isAsked, true)) return;
    QTimer::singleShot(0, this, [this, make] {
        m_minimap.isAsked = false;
        if (!hasMinimap() || (m_minimap.isFolded && !m_minimap.isOpened)) return;
        make(minimapRect());
        update(minimapRect().toAlignedRect());
    });
}

void GraphCanvas::paintFoldedMinimap(QPainter &painter) const
{
    const Theme &theme = Theme::current();
    const QRectF frame = minimapRect();
    painter.setPen(QPen(theme.color(Color::BorderStrong), 1));
    painter.setBrush(theme.color(Color::Panel));
    painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    const QRectF view(frame.center() - QPointF(6, 4), QSizeF(12, 8));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme.color(Color::Accent), 1.5));
    painter.drawRoundedRect(view, 2, 2);
}

void GraphCanvas::paintMinimap(QPainter &painter)
{
    const Theme &theme = Theme::current();
    const QRectF frame = minimapRect(), content = minimapContent(frame);
    painter.setPen(QPen(theme.color(Color::BorderStrong), 1));
    QColor ground = theme.color(Color::Panel);
    ground.setAlphaF(0.94f);
    painter.setBrush(ground);
    painter.drawRoundedRect(frame.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    refreshMinimap(frame);
    if (m_minimap.image.deviceIndependentSize() == frame.size()) painter.drawImage(frame.topLeft(), m_minimap.image);
    const QRectF &bounds = m_target->bounds;
    const double scale = content.width() / std::max(1.0, bounds.width());
    const QRectF seen = viewed();
    QRectF view(content.topLeft() + (seen.topLeft() - bounds.topLeft()) * scale, seen.size() * scale);
    view = view.intersected(frame.adjusted(2, 2, -2, -2));
    QColor wash = theme.color(Color::Accent);
    wash.setAlphaF(0.08f);
    painter.setBrush(wash);
    painter.setPen(QPen(theme.color(Color::Accent), 1.5));
    painter.drawRoundedRect(view, 2, 2);
}

void GraphCanvas::minimapJump(QPointF at)
{
    const QRectF content = minimapContent(minimapRect());
    const QRectF &bounds = m_target->bounds;
    const double scale = content.width() / std::max(1.0, bounds.width());
    const QPointF center = bounds.topLeft() + (at - content.topLeft()) / scale;
    const QRectF view = viewed();
    m_camera.userMoved = true;
    moveCamera(center - QPointF(view.width(), view.height()) / 2, m_camera.scale, Glide::None);
}

// ---- chevrons: where a selected or linked node out of view lies ----

void GraphCanvas::collectChevrons()
{
    m_chevrons.clear();
    const QRectF view = viewed();
    struct Found {
        SceneKey key = kNoSceneKey;
        double distance = 0;
        int count = 0;
        bool selected = false;
        QPointF at;
    };
    std::array<Found, 4> found;
    auto look = [&](SceneKey key, bool selected) {
        const int index = m_scene->find(key);
        if (index < 0) return;
        const QRectF &rect = m_picture->nodes[index].rect;
        if (view.intersects(rect)) return;
        const QPointF center = rect.center();
        const double dx = center.x() < view.left() ? center.x() - view.left() : std::max(0.0, center.x() - view.right());
        const double dy = center.y() < view.top() ? center.y() - view.top() : std::max(0.0, center.y() - view.bottom());
        const int side = std::abs(dx) > std::abs(dy) ? (dx < 0 ? 0 : 2) : (dy < 0 ? 1 : 3);
        const double distance = std::hypot(dx, dy);
        Found &out = found[side];
        ++out.count;
        if (out.key == kNoSceneKey || (selected && !out.selected) || (selected == out.selected && distance < out.distance)) {
            out.key = key;
            out.distance = distance;
            out.selected = selected;
            out.at = center;
        }
    };
    for (SceneKey key : std::as_const(m_rings.selected)) look(key, true);
    for (SceneKey key : std::as_const(m_rings.linked)) look(key, false);
    const QFontMetricsF metrics(Theme::current().font(FontRole::Caption));
    for (int side = 0; side < 4; ++side) {
        const Found &it = found[side];
        if (it.count == 0) continue;
        Chevron chevron;
        chevron.key = it.key;
        chevron.side = side;
        chevron.selected = it.selected;
        chevron.text = metrics.elidedText(m_scene->node(it.key)->title, Qt::ElideMiddle, 140);
        if (it.count > 1) chevron.text += QStringLiteral(" +%1").arg(it.count - 1);
        const double boxWidth = metrics.horizontalAdvance(chevron.text) + 32, boxHeight = 22;
        const QPointF at = toWidget(it.at);
        QPointF center;
        if (side == 0 || side == 2)
            center = {side == 0 ? 8 + boxWidth / 2 : width() - 8 - boxWidth / 2, std::clamp(at.y(), 40.0, std::max(40.0, height() - 40.0))};
        else
            center = {std::clamp(at.x(), boxWidth / 2 + 8, std::max(boxWidth / 2 + 8, width() - boxWidth / 2 - 8)),
                      side == 1 ? 8 + boxHeight / 2 : height() - 8 - boxHeight / 2};
        chevron.rect = QRectF(center.x() - boxWidth / 2, center.y() - boxHeight / 2, boxWidth, boxHeight);
        if (const QRectF map = minimapRect(); hasMinimap() && chevron.rect.intersects(map)) {
            if (map.center().x() < width() / 2.0) chevron.rect.moveLeft(map.right() + 8);
            else chevron.rect.moveRight(map.left() - 8);
        }
        m_chevrons.push_back(chevron);
    }
}

void GraphCanvas::paintChevrons(QPainter &painter)
{
    const Theme &theme = Theme::current();
    for (const Chevron &chevron : m_chevrons) {
        const QColor color = theme.color(chevron.selected ? Color::SelectionRing : Color::SelectionLinkedRing);
        painter.setPen(QPen(color, 1.5, chevron.selected ? Qt::SolidLine : Qt::DashLine));
        painter.setBrush(theme.color(Color::Panel));
        painter.drawRoundedRect(chevron.rect.adjusted(0.5, 0.5, -0.5, -0.5), 11, 11);
        const bool right = chevron.side == 2;
        const QPointF at(right ? chevron.rect.right() - 12 : chevron.rect.left() + 12, chevron.rect.center().y());
        painter.save();
        painter.translate(at);
        painter.rotate(chevron.side * 90.0 - 90); // drawn pointing up
        painter.setPen(QPen(color, 1.75, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        const QPointF points[] = {{-3.5, 2}, {0, -2}, {3.5, 2}};
        painter.drawPolyline(points, 3);
        painter.restore();
        painter.setFont(theme.font(FontRole::Caption));
        painter.setPen(theme.color(Color::TextPrimary));
        const QRectF text = right ? chevron.rect.adjusted(10, 0, -22, 0) : chevron.rect.adjusted(22, 0, -10, 0);
        painter.drawText(text, Qt::AlignCenter | Qt::TextSingleLine, chevron.text);
    }
}

} // namespace views
