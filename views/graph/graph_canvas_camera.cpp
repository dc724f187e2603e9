// Where the canvas looks: fitting, zooming, bringing things into view.
#include "views/graph/graph_canvas.h"

#include <algorithm>
#include <cmath>

namespace views {
namespace {

constexpr double kSmallestScale = 0.02;
constexpr double kLargestScale = 4;
constexpr double kMargin = 24; // around a fitted picture, px on the screen

} // namespace

QRectF GraphCanvas::viewed() const { return {m_origin, QSizeF(size()) / m_scale}; }

double GraphCanvas::fitScale() const
{
    const QRectF &bounds = m_target->bounds;
    if (bounds.isEmpty()) return 1;
    return std::clamp(std::min((width() - 2 * kMargin) / bounds.width(), (height() - 2 * kMargin) / bounds.height()), kSmallestScale, 1.0);
}

// First look: everything where that is readable, else the top of it; a little less readable if all of it fits then.
void GraphCanvas::resetView()
{
    constexpr double kReadable = 0.75;
    constexpr double kStillReadable = 0.7;
    const QRectF &bounds = m_target->bounds;
    const double whole = fitScale();
    const double scale = m_plain || whole >= kStillReadable ? whole : kReadable;
    const QSizeF view = QSizeF(size()) / scale;
    QPointF origin = bounds.center() - QPointF(view.width(), view.height()) / 2;
    const double spare = std::max(0.0, view.height() - bounds.height() - 2 * kMargin / scale);
    origin.setY(bounds.top() - kMargin / scale - spare * (m_plain ? 0.4 : 0.2)); // hangs from the top, as one reads
    if (view.width() < bounds.width()) origin.setX(busiestLeft(origin.y(), view));
    // A picture of a step shows what the step did.
    if (const int change = changeOutside(QRectF(origin, view)); change >= 0) {
        const QPointF center = m_target->nodes[change].rect.center();
        origin.setY(center.y() - view.height() / 2);
        if (view.width() < bounds.width()) origin.setX(center.x() - view.width() / 2);
    }
    m_userMoved = false;
    moveCamera(origin, scale, false);
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
    m_userMoved = false;
    moveCamera(m_target->bounds.center() - QPointF(view.width(), view.height()) / 2, scale, true);
}

void GraphCanvas::moveCamera(QPointF origin, double scale, bool animated)
{
    const int duration = animated && isVisible() ? Theme::current().motionMs("camera") : 0;
    m_camera.stop();
    m_cameraTo = origin;
    m_cameraScaleTo = scale;
    if (duration > 0) {
        m_cameraFrom = m_origin;
        m_cameraScaleFrom = m_scale;
        m_camera.setDuration(duration);
        m_camera.start();
        return;
    }
    m_origin = origin;
    m_scale = scale;
    Q_EMIT scaleChanged(m_scale);
    update();
}

void GraphCanvas::setScale(double scale, QPointF around)
{
    const QPointF fixed = toScene(around);
    scale = std::clamp(scale, kSmallestScale, kLargestScale);
    m_userMoved = true;
    moveCamera(fixed - around / scale, scale, false);
}

bool GraphCanvas::everythingInView() const { return viewed().contains(m_target->bounds); }

bool GraphCanvas::showOpened(SceneKey key)
{
    QRectF rect;
    if (const int at = m_scene.find(key); at >= 0) rect = m_target->nodes[at].rect;
    for (std::size_t i = 0; i < m_scene.frames.size(); ++i)
        if (m_scene.frames[i].fold == key) rect = m_target->frames[i].bounds | m_target->frames[i].closeAt;
    if (rect.isNull()) return false;
    constexpr double kReadable = 0.5;
    const double room = std::min((width() - 2 * kMargin) / rect.width(), (height() - 2 * kMargin) / rect.height());
    const double scale = std::clamp(room, std::min(kReadable, m_scale), std::max(kReadable, m_scale));
    const QSizeF view = QSizeF(size()) / scale;
    QPointF origin = rect.center() - QPointF(view.width(), view.height()) / 2;
    if (rect.height() > view.height()) origin.setY(rect.top() - kMargin / scale); // its head, with the caption that closes it
    m_userMoved = true;
    moveCamera(origin, scale, true);
    return true;
}

void GraphCanvas::reveal(SceneKey key)
{
    const int at = m_scene.find(key);
    if (at < 0) return;
    const QRectF rect = m_target->nodes[at].rect.adjusted(-32, -32, 32, 32);
    const QRectF view = viewed();
    if (view.contains(rect)) return;
    QPointF origin = m_origin;
    if (rect.width() > view.width() || rect.height() > view.height()) {
        origin = rect.center() - QPointF(view.width(), view.height()) / 2;
    } else {
        origin.setX(std::clamp(origin.x(), rect.right() - view.width(), rect.left()));
        origin.setY(std::clamp(origin.y(), rect.bottom() - view.height(), rect.top()));
    }
    m_userMoved = true;
    moveCamera(origin, m_scale, true);
}

// The first node that a step made (or, if it made none, removed) when none of them is in the view; -1 else.
int GraphCanvas::changeOutside(const QRectF &view) const
{
    for (bool ghosts : {false, true}) {
        int first = -1;
        for (std::size_t i = 0; i < m_scene.nodes.size(); ++i) {
            const SceneNode &node = m_scene.nodes[i];
            if (node.diff == DiffState::None || node.ghost != ghosts) continue;
            if (view.contains(m_target->nodes[i].rect)) return -1;
            if (first < 0) first = static_cast<int>(i);
        }
        if (first >= 0) return first;
    }
    return -1;
}

// A step that happens out of view scrolls there; one that is in view moves nothing.
void GraphCanvas::revealChange()
{
    const int change = changeOutside(QRectF(m_cameraTo, QSizeF(size()) / m_cameraScaleTo));
    if (change >= 0) reveal(m_scene.nodes[change].key);
}

void GraphCanvas::centerOn(SceneKey key)
{
    const int at = m_scene.find(key);
    if (at < 0) return;
    const QRectF view = viewed();
    m_userMoved = true;
    moveCamera(m_target->nodes[at].rect.center() - QPointF(view.width(), view.height()) / 2, m_scale, true);
}

// What was in view stays where it is on the screen, even when the whole picture shifted.
void GraphCanvas::keepInPlace(const Scene &oldScene, const Picture &oldPicture)
{
    const QRectF view = viewed();
    QPointF sum;
    int count = 0;
    for (std::size_t i = 0; i < oldScene.nodes.size(); ++i) {
        const int now = m_scene.find(oldScene.nodes[i].key);
        if (now < 0 || !view.intersects(oldPicture.nodes[i].rect)) continue;
        sum += m_target->nodes[now].rect.center() - oldPicture.nodes[i].rect.center();
        ++count;
    }
    if (count == 0) return;
    const QPointF shift = sum / count;
    if (m_userMoved && std::hypot(shift.x(), shift.y()) > 1) moveCamera(m_origin + shift, m_scale, true);
    else if (!m_userMoved && !everythingInView()) resetView();
}

QRectF GraphCanvas::widgetRect(SceneKey key) const
{
    const int at = m_scene.find(key);
    if (at < 0) return {};
    const QRectF &rect = m_picture->nodes[at].rect;
    return {toWidget(rect.topLeft()), rect.size() * m_scale};
}

} // namespace views
