#include "views/graph/graph_canvas.h"

#include "views/common/formats.h"
#include "views/common/theme.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>

namespace views {
namespace {

const QSet<int> kStepKeys{Qt::Key_Left, Qt::Key_Right, Qt::Key_Up, Qt::Key_Down, Qt::Key_Home, Qt::Key_End};

}

int GraphCanvas::indexAt(QPointF widgetPoint) const
{
    if (m_layout.isWaiting) return -1;
    const QPointF at = toScene(widgetPoint);
    const double slack = std::max(2.0, 3 / m_camera.scale);
    int best = -1;
    for (int index : m_picture->nodeIndex.query(QRectF(at - QPointF(slack, slack), QSizeF(2 * slack, 2 * slack)))) {
        const QRectF &rect = m_picture->nodes[index].rect;
        const SceneNode &node = m_scene->nodes[index];
        if (!rect.adjusted(-slack, -slack, slack, slack).contains(at)) continue;
        if (node.open) { // its title line only: inside lie its members
            if (at.y() > rect.top() + Theme::current().px(28)) continue;
        }
        best = index; // later ones lie above
    }
    return best;
}

SceneKey GraphCanvas::nodeAt(QPointF widgetPoint) const
{
    const int at = indexAt(widgetPoint);
    return at < 0 ? kNoSceneKey : m_scene->nodes[at].key;
}

int GraphCanvas::edgeAt(QPointF widgetPoint) const
{
    if (detailAt(m_camera.scale) < Detail::Title) return -1;
    const double slack = 5 / m_camera.scale;
    const QPointF at = toScene(widgetPoint);
    int best = -1;
    double nearest = slack;
    for (int index : m_picture->edgeIndex.query(QRectF(at - QPointF(slack, slack), QSizeF(2 * slack, 2 * slack)))) {
        const PictureEdge &edge = m_picture->edges[index];
        if (edge.stub) continue;
        for (std::size_t segment = 0; 3 * segment + 3 < edge.curve.size(); ++segment)
            for (int step = 0; step <= 16; ++step) {
                const QPointF delta = pointOnCurve(edge.curve, segment, step / 16.0) - at;
                const double distance = std::hypot(delta.x(), delta.y());
                if (distance < nearest) {
                    nearest = distance;
                    best = index;
                }
            }
    }
    return best;
}

int GraphCanvas::stubAt(QPointF widgetPoint) const
{
    const QPointF at = toScene(widgetPoint);
    for (int index : m_picture->edgeIndex.query(QRectF(at - QPointF(1, 1), QSizeF(2, 2))))
        if (m_picture->edges[index].stub && m_picture->edges[index].bounds.contains(at)) return index;
    return -1;
}

bool GraphCanvas::onFoldButton(int index, QPointF widgetPoint) const
{
    const QRectF &rect = m_picture->nodes[index].rect;
    const double size = Theme::current().px(28);
    return m_scene->nodes[index].open && QRectF(rect.right() - size, rect.top(), size, size).contains(toScene(widgetPoint));
}

SceneKey GraphCanvas::captionAt(QPointF widgetPoint) const
{
    if (m_layout.isWaiting || detailAt(m_camera.scale) < Detail::Title) return kNoSceneKey;
    const QPointF at = toScene(widgetPoint);
    for (std::size_t i = m_scene->frames.size(); i-- > 0;) // inner ones lie above
        if (isFold(m_scene->frames[i].fold) && m_picture->frames[i].closeAt.contains(at)) return m_scene->frames[i].fold;
    return kNoSceneKey;
}

SceneKey GraphCanvas::openGroupAround(SceneKey key) const
{
    for (SceneKey group : m_scene->groupsAround(key))
        if (std::any_of(m_scene->frames.begin(), m_scene->frames.end(), [&](const SceneFrame &frame) { return frame.fold == group; }))
            return group;
    return kNoSceneKey;
}

void GraphCanvas::mousePressEvent(QMouseEvent *event)
{
    m_keyboard = false;
    m_drag.pressed = event->position();
    m_drag.origin = m_camera.origin;
    if (event->button() == Qt::MiddleButton) {
        m_drag.what = Drag::Pan;
    } else if (event->button() == Qt::LeftButton) {
        m_drag.what = Drag::Maybe;
        if (hasMinimap() && minimapRect().contains(m_drag.pressed)) {
            const bool opens = m_minimap.isFolded && !m_minimap.isOpened;
            m_minimap.isOpened = m_minimap.isFolded;
            m_drag.what = Drag::Minimap;
            if (!opens) minimapJump(m_drag.pressed);
        }
    }
    update();
}

void GraphCanvas::mouseMoveEvent(QMouseEvent *event)
{
    const QPointF at = event->position();
    constexpr double kDragStart = 4;
    if (m_drag.what == Drag::Maybe && (at - m_drag.pressed).manhattanLength() > kDragStart) {
        m_drag.what = Drag::Pan;
        setCursor(Qt::ClosedHandCursor);
    }
    if (m_drag.what == Drag::Pan) {
        m_camera.userMoved = true;
        moveCamera(m_drag.origin - (at - m_drag.pressed) / m_camera.scale, m_camera.scale, Glide::None);
        return;
    }
    if (m_drag.what == Drag::Minimap) {
        minimapJump(at);
        return;
    }
    if (const bool over = m_minimap.isFolded && hasMinimap() && minimapRect().contains(at); over != m_minimap.isOpened) {
        m_minimap.isOpened = over;
        update();
    }
    const SceneKey key = m_minimap.isOpened ? kNoSceneKey : nodeAt(at);
    if (key != m_hovered) {
        m_hovered = key;
        Q_EMIT nodeHovered(key);
        update();
    }
    const bool onChevron =
        std::any_of(m_chevrons.begin(), m_chevrons.end(), [&](const Chevron &chevron) { return chevron.rect.contains(at); });
    setCursor(key != kNoSceneKey || onChevron || captionAt(at) != kNoSceneKey || stubAt(at) >= 0 ? Qt::PointingHandCursor
                                                                                                 : Qt::ArrowCursor);
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent *event)
{
    const Drag drag = std::exchange(m_drag.what, Drag::None);
    unsetCursor();
    if (event->button() != Qt::LeftButton || drag != Drag::Maybe) return;
    const QPointF at = event->position();
    for (const Chevron &chevron : m_chevrons)
        if (chevron.rect.contains(at)) {
            centerOn(chevron.key);
            return;
        }
    const int index = indexAt(at);
    if (const SceneKey group = captionAt(at); index < 0 && group != kNoSceneKey) {
        Q_EMIT groupToggled(group);
        return;
    }
    if (index >= 0 && onFoldButton(index, at)) {
        Q_EMIT groupToggled(m_scene->nodes[index].key);
        return;
    }
    if (index < 0)
        if (const int stub = stubAt(at); stub >= 0) {
            const SceneKey source = m_scene->nodes[m_scene->edges[stub].from].key;
            Q_EMIT nodeClicked(source, false);
            centerOn(source);
            return;
        }
    m_focused = index < 0 ? kNoSceneKey : m_scene->nodes[index].key;
    Q_EMIT nodeClicked(m_focused, event->modifiers().testFlag(Qt::ShiftModifier));
}

void GraphCanvas::mouseDoubleClickEvent(QMouseEvent *event)
{
    const int index = indexAt(event->position());
    if (index < 0) return;
    const SceneNode &node = m_scene->nodes[index];
    if (node.inner >= 0 && !node.open) Q_EMIT innerOpened(node.key);
    else if (node.expandable) Q_EMIT groupToggled(node.key);
}

void GraphCanvas::wheelEvent(QWheelEvent *event)
{
    if (event->modifiers().testFlag(Qt::ShiftModifier)) {
        m_camera.userMoved = true;
        moveCamera(m_camera.origin - QPointF(event->angleDelta().y() + event->angleDelta().x(), 0) / m_camera.scale, m_camera.scale,
                   Glide::None);
    } else {
        constexpr double kPerUnit = 1.0015; // of an eighth of a degree: a notch is about 20 %
        setScale(m_camera.scale * std::pow(kPerUnit, event->angleDelta().y()), event->position());
    }
    event->accept();
}

// Up and down follow edges (the first argument, the first reader), left and right go along the layer.
void GraphCanvas::walk(int key)
{
    int at = m_scene->find(m_focused);
    if (at < 0 && m_rings.selected.size() == 1) at = m_scene->find(*m_rings.selected.begin());
    if (at < 0) {
        for (std::size_t i = 0; i < m_scene->nodes.size(); ++i)
            if (at < 0 || m_target->nodes[i].rect.top() < m_target->nodes[at].rect.top()) at = static_cast<int>(i);
        if (at >= 0) setFocused(m_scene->nodes[at].key);
        return;
    }
    const QRectF &here = m_target->nodes[at].rect;
    int best = -1;
    double least = std::numeric_limits<double>::max();
    auto offer = [&](int node, double cost) {
        if (cost < least) {
            least = cost;
            best = node;
        }
    };
    if (key == Qt::Key_Up || key == Qt::Key_Down) {
        for (const SceneEdge &edge : m_scene->edges) {
            if (edge.ghost) continue;
            if (key == Qt::Key_Up && edge.to == at) offer(edge.from, edge.slot);
            if (key == Qt::Key_Down && edge.from == at) offer(edge.to, m_target->nodes[edge.to].rect.center().x());
        }
    } else {
        for (std::size_t i = 0; i < m_scene->nodes.size(); ++i) {
            const QRectF &there = m_target->nodes[i].rect;
            const double dx = there.center().x() - here.center().x();
            if (static_cast<int>(i) == at || m_scene->nodes[i].ghost || m_scene->nodes[i].parent != m_scene->nodes[at].parent ||
                (key == Qt::Key_Left ? dx >= 0 : dx <= 0))
                continue;
            offer(static_cast<int>(i), std::abs(dx) + 8 * std::abs(there.center().y() - here.center().y()));
        }
    }
    if (best >= 0) setFocused(m_scene->nodes[best].key);
}

void GraphCanvas::setFocused(SceneKey key)
{
    m_focused = key;
    m_keyboard = true;
    reveal(key);
    if (const SceneNode *node = m_scene->node(key)) setAccessibleDescription(tr("%1, %2").arg(node->title, sceneKindName(node->kind)));
    update();
}

void GraphCanvas::keyPressEvent(QKeyEvent *event)
{
    const bool isWalking = m_keyboard && m_scene->find(m_focused) >= 0;
    if (m_stepsByKey && !isWalking && kStepKeys.contains(event->key()) && !(event->modifiers() & ~Qt::KeypadModifier)) {
        Q_EMIT stepKeyPressed(event->key());
        return;
    }
    m_keyboard = true;
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Left:
    case Qt::Key_Right: walk(event->key()); return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_scene->find(m_focused) >= 0) Q_EMIT nodeClicked(m_focused, event->modifiers().testFlag(Qt::ShiftModifier));
        else walk(Qt::Key_Down); // to the first node, or the selected one
        return;
    case Qt::Key_Space: fit(); return;
    case Qt::Key_Plus:
    case Qt::Key_Equal: setScale(m_camera.scale * 1.25, QRectF(rect()).center()); return;
    case Qt::Key_Minus: setScale(m_camera.scale / 1.25, QRectF(rect()).center()); return;
    case Qt::Key_Escape:
        m_rings.path.clear();
        setIsolated(false);
        m_focused = kNoSceneKey;
        Q_EMIT nodeClicked(kNoSceneKey, false);
        update();
        return;
    case Qt::Key_L: layOutAgain(); return;
    case Qt::Key_O:
        if (const SceneNode *node = m_scene->node(m_focused); node && node->expandable) Q_EMIT groupToggled(m_focused);
        return;
    case Qt::Key_C:
        if (const SceneKey group = openGroupAround(m_focused); group != kNoSceneKey) Q_EMIT groupToggled(group);
        return;
    default: break;
    }
    QWidget::keyPressEvent(event);
}

void GraphCanvas::focusInEvent(QFocusEvent *event)
{
    m_keyboard =
        event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason || event->reason() == Qt::ShortcutFocusReason;
    update();
}

void GraphCanvas::focusOutEvent(QFocusEvent *) { update(); }

void GraphCanvas::leaveEvent(QEvent *)
{
    m_minimap.isOpened = false;
    update();
    if (m_hovered == kNoSceneKey) return;
    m_hovered = kNoSceneKey;
    Q_EMIT nodeHovered(m_hovered);
    update();
}

bool GraphCanvas::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        auto *help = static_cast<QHelpEvent *>(event);
        const QPointF at = help->pos();
        QString text;
        if (const int node = indexAt(at); node >= 0) text = toolTipOf(node);
        else if (const int stub = stubAt(at); stub >= 0) text = toolTipOfEdge(stub);
        else if (const int edge = edgeAt(at); edge >= 0) text = toolTipOfEdge(edge);
        if (text.isEmpty()) QToolTip::hideText();
        else QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    if (event->type() == QEvent::ContextMenu) {
        auto *menu = static_cast<QContextMenuEvent *>(event);
        const bool byKey = menu->reason() == QContextMenuEvent::Keyboard;
        const SceneKey key = byKey ? m_focused : nodeAt(menu->pos());
        const QPoint at = byKey ? mapToGlobal(widgetRect(key).center().toPoint()) : menu->globalPos();
        Q_EMIT contextMenuRequested(key, at);
        return true;
    }
    return QWidget::event(event);
}

// Tool tips read rich text: what comes from a session is escaped.
QString GraphCanvas::toolTipOf(int index) const
{
    const SceneNode &node = m_scene->nodes[index];
    QStringList lines{QStringLiteral("<b>%1</b>").arg(node.title.toHtmlEscaped())};
    constexpr int kLongest = 400;
    if (node.exactName != node.title) lines << QStringLiteral("<code>%1</code>").arg(node.exactName.left(kLongest).toHtmlEscaped());
    QStringList facts{sceneKindName(node.kind)};
    if (node.number >= 0) facts << tr("apply %1").arg(node.number);
    if (!node.type.isEmpty()) facts << node.type.toHtmlEscaped();
    if (!node.shape.isEmpty()) facts << node.shape.toHtmlEscaped();
    lines << facts.join(QStringLiteral(" · "));
    if (node.cost.seconds >= 0)
        lines << tr("%1 per call, %2 of all applies")
                     .arg(formats::time(node.cost.seconds), formats::percent(std::max(0.0, node.cost.shareOfTotal)));
    if (node.cost.bytes >= 0) lines << tr("%1 of output").arg(formats::bytes(node.cost.bytes));
    if (!node.phase.isEmpty()) lines << tr("made in phase %1").arg(node.phase.toHtmlEscaped());
    if (const QString kernel = frameSentence(*m_scene, index); !kernel.isEmpty()) lines << kernel.toHtmlEscaped();
    if (node.ghost) lines << tr("removed by this step");
    if (!node.warning.isEmpty()) lines << node.warning.toHtmlEscaped();
    if (!node.values.bornSentence.isEmpty()) lines << node.values.bornSentence.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>"));
    if (const auto note = m_rings.notes.constFind(node.key); note != m_rings.notes.cend())
        lines << QStringLiteral("<i>%1</i>").arg(note->toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")));
    if (node.inner >= 0) lines << tr("Double click goes into its graph, O opens it in place");
    else if (node.expandable) lines << tr("Double click opens it in place");
    return lines.join(QStringLiteral("<br>"));
}

QString GraphCanvas::toolTipOfEdge(int index) const
{
    const SceneEdge &edge = m_scene->edges[index];
    QStringList lines{tr("<b>%1</b> → argument %2 of <b>%3</b>")
                          .arg(m_scene->nodes[edge.from].title.toHtmlEscaped())
                          .arg(edge.slot)
                          .arg(m_scene->nodes[edge.to].title.toHtmlEscaped())};
    if (edge.count > 1)
        lines = {tr("<b>%1</b> → <b>%2</b>, %3 edges")
                     .arg(m_scene->nodes[edge.from].title.toHtmlEscaped(), m_scene->nodes[edge.to].title.toHtmlEscaped(),
                          formats::count(edge.count))};
    if (!edge.type.isEmpty()) lines << edge.type.toHtmlEscaped() + (edge.shape.isEmpty() ? QString() : u' ' + edge.shape.toHtmlEscaped());
    if (edge.bytes >= 0) lines << formats::bytes(edge.bytes);
    if (edge.kind == SceneEdgeKind::View) lines << tr("the result is a view of it");
    if (edge.kind == SceneEdgeKind::Destroy) lines << tr("the result is written over it");
    if (m_picture->edges[index].stub) lines << tr("Click jumps to where it comes from");
    return lines.join(QStringLiteral("<br>"));
}

} // namespace views
