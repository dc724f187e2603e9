// Where the canvas looks: fitting, zooming, bringing things into view.
#include "views/graph/graph_canvas.h"

#include <QResizeEvent>

#include <algorithm>
#include <cmath>

namespace views {
namespace {

constexpr double kSmallestScale = 0.02;
constexpr double kLargestScale = 4;
constexpr double kMargin = 24; // around a fitted picture, px on the screen
constexpr double kReadable = 0.75;
constexpr double kStillReadable = 0.7;
constexpr double kLeastNamed = 0.55; // what is small inside something else still has its names

// The origin nearest to the given one from which the rectangle is seen.
QPointF showing(const QRectF &rect, QPointF origin, const QSizeF &view)
{
    origin.setX(std::clamp(origin.x(), rect.right() - view.width(), rect.left()));
    origin.setY(std::clamp(origin.y(), rect.bottom() - view.height(), rect.top()));
    return origin;
}

} // namespace

QRectF GraphCanvas::viewed() const { return {m_camera.origin, QSizeF(size()) / m_camera.scale}; }

double GraphCanvas::fitScale() const
{
    const QRectF &bounds = m_target->bounds;
    if (bounds.isEmpty()) return 1;
    return std::clamp(std::min((width() - 2 * kMargin) / bounds.width(), (height() - 2 * kMargin) / bounds.height()), kSmallestScale, 1.0);
}

// First look: everything where that is readable, else the top of it; a little less readable if all of it fits then.
GraphCanvas::View GraphCanvas::firstView() const
{
    const QRectF &bounds = m_target->bounds;
    const double whole = fitScale();
    const double scale = m_plain ? std::max(whole, kLeastNamed) : whole >= kStillReadable ? whole : kReadable;
    const QSizeF view = QSizeF(size()) / scale;
    QPointF origin = bounds.center() - QPointF(view.width(), view.height()) / 2;
    const double spare = std::max(0.0, view.height() - bounds.height() - 2 * kMargin / scale);
    origin.setY(bounds.top() - kMargin / scale - spare * (m_plain ? 0.4 : 0.2)); // hangs from the top, as one reads
    if (view.width() < bounds.width()) origin.setX(busiestLeft(origin.y(), view));
    // A picture of a step shows what the step did.
    if (const QRectF change = changeRect(view); !change.isNull() && !QRectF(origin, view).contains(change)) {
        origin.setY(change.center().y() - view.height() / 2);
        if (view.width() < bounds.width()) origin.setX(change.center().x() - view.width() / 2);
    }
    return {origin, scale};
}

void GraphCanvas::resetView()
{
    m_camera.userMoved = false;
    const View view = firstView();
    moveCamera(view.origin, view.scale, Glide::None);
}

// Where a view of this size, its top at `top`, shows most nodes.
double GraphCanvas::busiestLeft(double top, const QSizeF &view) const
{
    std::vector<double> centers;
    for (const PictureNode &node : m_target->nodes)
        if (const QPointF center = node.rect.center(); center.y() > top && center.y() < top + view.height()) centers.push_back(center.x());
    if (centers.empty()) return m_target->bounds.center().x() - view.width() / 2;
    std::sort(centers.begin(), centers.end());
    std::size_t best = 0, bestFirst = 0, bestLast = 0;
    for (std::size_t first = 0, last = 0; first < centers.size(); ++first) {
        while (last + 1 < centers.size() && centers[last + 1] - centers[first] < view.width() - 4 * kMargin) ++last;
        if (last - first + 1 > best) {
            best = last - first + 1;
            bestFirst = first;
            bestLast = last;
        }
    }
    return (centers[bestFirst] + centers[bestLast]) / 2 - view.width() / 2;
}

void GraphCanvas::fit()
{
    const double scale = fitScale();
    const QSizeF view = QSizeF(size()) / scale;
    m_camera.userMoved = false;
    moveCamera(m_target->bounds.center() - QPointF(view.width(), view.height()) / 2, scale, Glide::Camera);
}

void GraphCanvas::moveCamera(QPointF origin, double scale, Glide glide)
{
    const int duration = glide == Glide::None || !isVisible() ? 0 : Theme::current().motionMs(glide == Glide::Camera ? "camera" : "step");
    m_camera.flight.stop();
    m_camera.to = origin;
    m_camera.scaleTo = scale;
    if (duration > 0) {
        m_camera.from = m_camera.origin;
        m_camera.scaleFrom = m_camera.scale;
        m_camera.flight.setEasingCurve(glide == Glide::Camera ? QEasingCurve::OutCubic : QEasingCurve::InOutCubic);
        m_camera.flight.setDuration(duration);
        m_camera.flight.start();
        return;
    }
    m_camera.origin = origin;
    m_camera.scale = scale;
    Q_EMIT scaleChanged(m_camera.scale);
    update();
}

void GraphCanvas::setScale(double scale, QPointF around)
{
    const QPointF fixed = toScene(around);
    scale = std::clamp(scale, kSmallestScale, kLargestScale);
    m_camera.userMoved = true;
    moveCamera(fixed - around / scale, scale, Glide::None);
}

bool GraphCanvas::everythingInView() const { return viewed().contains(m_target->bounds); }

bool GraphCanvas::showOpened(SceneKey key)
{
    QRectF rect;
    if (const int at = m_scene->find(key); at >= 0) rect = m_target->nodes[at].rect;
    for (std::size_t i = 0; i < m_scene->frames.size(); ++i)
        if (m_scene->frames[i].fold == key) rect = m_target->frames[i].bounds | m_target->frames[i].closeAt;
    if (rect.isNull()) return false;
    constexpr double kReadable = 0.5;
    const double room = std::min((width() - 2 * kMargin) / rect.width(), (height() - 2 * kMargin) / rect.height());
    const double scale = std::clamp(room, std::min(kReadable, m_camera.scale), std::max(kReadable, m_camera.scale));
    const QSizeF view = QSizeF(size()) / scale;
    QPointF origin = rect.center() - QPointF(view.width(), view.height()) / 2;
    if (rect.height() > view.height()) origin.setY(rect.top() - kMargin / scale); // its head, with the caption that closes it
    m_camera.userMoved = true;
    moveCamera(origin, scale, Glide::Camera);
    return true;
}

void GraphCanvas::reveal(SceneKey key)
{
    const int at = m_scene->find(key);
    if (at < 0) return;
    const QRectF rect = m_target->nodes[at].rect.adjusted(-32, -32, 32, 32);
    const QRectF view = viewed();
    if (view.contains(rect)) return;
    QPointF origin = m_camera.origin;
    if (rect.width() > view.width() || rect.height() > view.height()) {
        origin = rect.center() - QPointF(view.width(), view.height()) / 2;
    } else {
        origin = showing(rect, origin, view.size());
    }
    m_camera.userMoved = true;
    moveCamera(origin, m_camera.scale, Glide::Camera);
}

// What a step made (or, if it made nothing, removed) with a margin, or as much of it as a view of this size shows. Null: no step
// is shown, or it only changed connections.
QRectF GraphCanvas::changeRect(const QSizeF &view) const
{
    constexpr double kAround = 16;
    for (bool ghosts : {false, true}) {
        QRectF all;
        for (std::size_t i = 0; i < m_scene->nodes.size(); ++i) {
            const SceneNode &node = m_scene->nodes[i];
            if (node.diff == DiffState::None || node.ghost != ghosts) continue;
            const QRectF more = all | m_target->nodes[i].rect.adjusted(-kAround, -kAround, kAround, kAround);
            if (all.isNull() || (more.width() <= view.width() && more.height() <= view.height())) all = more;
        }
        if (!all.isNull()) return all;
    }
    return {};
}

// The origin nearest to the given one from which that is seen; from far away, with what is around it.
QPointF GraphCanvas::showingChange(QPointF origin, const QSizeF &view) const
{
    const QRectF change = changeRect(view);
    if (change.isNull()) return origin;
    if (change.width() > view.width() || change.height() > view.height() || !change.intersects(QRectF(origin, view)))
        return change.center() - QPointF(view.width(), view.height()) / 2;
    return showing(change, origin, view);
}

// A change that was in view stays there when less is.
void GraphCanvas::resizeEvent(QResizeEvent *event)
{
    if (m_scene->nodes.empty()) return;
    if (!m_camera.userMoved) {
        resetView();
        return;
    }
    const QRectF before(m_camera.to, QSizeF(event->oldSize()) / m_camera.scaleTo);
    if (!before.contains(changeRect(before.size()))) return;
    const QPointF origin = showingChange(m_camera.to, QSizeF(size()) / m_camera.scaleTo);
    if (origin != m_camera.to) moveCamera(origin, m_camera.scaleTo, Glide::None);
}

void GraphCanvas::centerOn(SceneKey key)
{
    const int at = m_scene->find(key);
    if (at < 0) return;
    const QRectF view = viewed();
    m_camera.userMoved = true;
    moveCamera(m_target->nodes[at].rect.center() - QPointF(view.width(), view.height()) / 2, m_camera.scale, Glide::Camera);
}

// What was in view stays where it is on the screen, even when the whole picture shifted; a step that happens out of view
// scrolls there. A picture that fits is shown whole, unless the person looks at a part of it.
void GraphCanvas::holdChange(const Scene &oldScene, const Picture &oldPicture, bool jump)
{
    View to{m_camera.to, m_camera.scaleTo};
    const QRectF view(to.origin, QSizeF(size()) / to.scale);
    QPointF sum;
    int count = 0;
    for (std::size_t i = 0; i < oldScene.nodes.size(); ++i) {
        const int now = m_scene->find(oldScene.nodes[i].key);
        if (now < 0 || !view.intersects(oldPicture.nodes[i].rect)) continue;
        sum += m_target->nodes[now].rect.center() - oldPicture.nodes[i].rect.center();
        ++count;
    }
    if (count > 0) to.origin += sum / count;
    constexpr double kClearlyLarger = 1.15;
    const bool fits = fitScale() >= kStillReadable;
    const bool seen = QRectF(to.origin, view.size()).contains(m_target->bounds);
    if (!m_camera.userMoved && fits && (!seen || fitScale() > kClearlyLarger * to.scale)) to = firstView();
    to.origin = showingChange(to.origin, QSizeF(size()) / to.scale);
    if (to.origin != m_camera.to || to.scale != m_camera.scaleTo) moveCamera(to.origin, to.scale, jump ? Glide::None : Glide::WithStep);
}

QRectF GraphCanvas::widgetRect(SceneKey key) const
{
    const int at = m_scene->find(key);
    if (at < 0) return {};
    const QRectF &rect = m_picture->nodes[at].rect;
    return {toWidget(rect.topLeft()), rect.size() * m_camera.scale};
}

} // namespace views
