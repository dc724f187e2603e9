#include "views/graph/graph_canvas.h"

#include "views/common/theme.h"
#include "views/graph/dot_job.h"

#include <QEasingCurve>
#include <QThread>

#include <algorithm>
#include <cmath>

namespace views {
namespace {

constexpr double kSmallestScale = 0.02;
constexpr double kLargestScale = 4;
constexpr double kMargin = 24;       // around a fitted picture, px on the screen
constexpr int kMostMoving = 1500;    // nodes: more jump
constexpr int kMostOnGuiThread = 800; // nodes whose layout fits between two frames
constexpr int kPatienceMs = 120;     // how long a first picture waits for Graphviz

} // namespace

GraphCanvas::GraphCanvas(QWidget *parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Graph"));
    m_motion.setStartValue(0.0);
    m_motion.setEndValue(1.0);
    connect(&m_motion, &QVariantAnimation::valueChanged, this,
            [this](const QVariant &at) { advanceMotion(at.toDouble() * m_motion.duration()); });
    m_camera.setStartValue(0.0);
    m_camera.setEndValue(1.0);
    m_camera.setEasingCurve(QEasingCurve::OutCubic);
    connect(&m_camera, &QVariantAnimation::valueChanged, this, [this](const QVariant &value) {
        const double t = value.toDouble();
        m_origin = m_cameraFrom * (1 - t) + m_cameraTo * t;
        m_scale = m_cameraScaleFrom * (1 - t) + m_cameraScaleTo * t;
        Q_EMIT scaleChanged(m_scale);
        update();
    });
    m_patience.setSingleShot(true);
    connect(&m_patience, &QTimer::timeout, this, &GraphCanvas::showFirst);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        if (!m_scene.nodes.empty()) // text size may have changed
            adopt(layoutScene(m_scene, Theme::current(), m_picture.memory));
        update();
    });
}

GraphCanvas::~GraphCanvas() = default;

bool GraphCanvas::isSettled() const {
    return !m_waiting && m_pending == 0 && m_motion.state() != QAbstractAnimation::Running &&
           m_camera.state() != QAbstractAnimation::Running;
}

void GraphCanvas::settle() {
    if (m_waiting && m_pending == 0) {
        m_dot.reset();
        showFirst();
    }
    if (m_motion.state() == QAbstractAnimation::Running) {
        m_motion.stop();
        advanceMotion(m_motion.duration());
    }
    if (m_camera.state() == QAbstractAnimation::Running) {
        m_camera.stop();
        moveCamera(m_cameraTo, m_cameraScaleTo, false);
    }
}

void GraphCanvas::clear() { setScene({}, Change::Fresh); }

void GraphCanvas::setScene(Scene scene, Change change, const QHash<SceneKey, SceneKey> &heirs) {
    m_dot.reset();
    m_patience.stop();
    m_path.clear();
    const bool hurried = m_motion.state() == QAbstractAnimation::Running; // a held key: no motion
    if (hurried) {
        m_motion.stop();
        advanceMotion(m_motion.duration());
    }
    int survivors = 0;
    for (const SceneNode &node : scene.nodes)
        survivors += m_picture.memory.nodes.contains(node.key);
    // With little left of the old picture there is nothing to stay close to.
    const bool continues = change == Change::Step && !m_waiting && survivors * 3 > static_cast<int>(scene.nodes.size());
    ++m_generation;
    m_pending = 0;
    m_waiting = false;
    if (static_cast<int>(scene.nodes.size()) > kMostOnGuiThread && isVisible()) {
        layInThread(std::move(scene), continues, heirs);
        return;
    }
    Picture picture = layoutScene(scene, Theme::current(), continues ? m_picture.memory : PictureMemory(),
                                  continues ? heirs : QHash<SceneKey, SceneKey>());
    install(std::move(scene), std::move(picture), continues, heirs, hurried);
}

void GraphCanvas::layInThread(Scene scene, bool continues, const QHash<SceneKey, SceneKey> &heirs) {
    struct Job {
        Scene scene;
        PictureMemory before;
        QHash<SceneKey, SceneKey> heirs;
        Theme theme;
        Picture picture;
    };
    auto job = std::make_shared<Job>(Job{std::move(scene), continues ? m_picture.memory : PictureMemory(), heirs,
                                         Theme::current(), {}});
    m_pending = static_cast<int>(job->scene.nodes.size());
    if (!continues) { // another graph: its predecessor must not be taken for it
        m_scene = {};
        m_picture = m_target = {};
        rebuildIndex();
        m_waiting = true;
    }
    QThread *thread = QThread::create([job] {
        job->picture = layoutScene(job->scene, job->theme, job->before, job->heirs);
    });
    connect(thread, &QThread::finished, thread, &QObject::deleteLater);
    connect(thread, &QThread::finished, this, [this, job, continues, generation = m_generation] {
        if (generation != m_generation)
            return;
        m_pending = 0;
        m_waiting = false;
        install(std::move(job->scene), std::move(job->picture), continues, job->heirs, false);
    });
    thread->start();
    update();
}

void GraphCanvas::install(Scene scene, Picture picture, bool continues, const QHash<SceneKey, SceneKey> &heirs,
                          bool hurried) {
    const Scene oldScene = std::move(m_scene);
    const Picture oldPicture = std::move(m_picture);
    m_scene = std::move(scene);
    if (m_scene.index.size() != static_cast<int>(m_scene.nodes.size()))
        m_scene.rebuildIndex();
    adopt(std::move(picture));
    if (continues) {
        m_aged = isAged();
        startMotion(oldScene, oldPicture, heirs, hurried);
        revealChange();
    } else {
        m_aged = false;
        m_leaving.clear();
        m_opacity.clear();
        resetView();
        startDot();
        if (!m_waiting)
            Q_EMIT settled();
    }
    if (m_scene.find(m_focused) < 0)
        m_focused = kNoSceneKey;
    m_hovered = kNoSceneKey;
    setAccessibleDescription(tr("Nodes: %1").arg(m_scene.nodes.size()));
    update();
    Q_EMIT sceneChanged();
}

void GraphCanvas::setSceneLike(Scene scene, const PictureMemory &other) {
    m_dot.reset();
    m_waiting = false;
    m_scene = std::move(scene);
    if (m_scene.index.size() != static_cast<int>(m_scene.nodes.size()))
        m_scene.rebuildIndex();
    PictureMemory memory;
    for (const SceneNode &node : m_scene.nodes)
        if (const auto known = other.nodes.constFind(node.key);
            known != other.nodes.constEnd() && isVariable(node.kind))
            memory.nodes.insert(node.key, *known);
    PictureOptions options;
    options.follow = true;
    options.keepOrder = true;
    adopt(layoutScene(m_scene, Theme::current(), memory, {}, options));
    m_leaving.clear();
    m_opacity.clear();
    resetView();
    update();
}

void GraphCanvas::setPlain(Color ground) {
    m_plain = true;
    m_ground = ground;
    m_useGraphviz = false;
}

void GraphCanvas::refreshScene(Scene scene) {
    const PictureMemory memory = m_picture.memory;
    m_scene = std::move(scene);
    if (m_scene.index.size() != static_cast<int>(m_scene.nodes.size()))
        m_scene.rebuildIndex();
    adopt(layoutScene(m_scene, Theme::current(), memory));
    m_opacity.clear();
    m_leaving.clear();
    update();
    Q_EMIT sceneChanged();
}

// Many small steps leave holes: edges grow longer than they need be.
bool GraphCanvas::isAged() const {
    constexpr double kTooLong = 1.3;
    constexpr std::size_t kMostNodes = 500; // the comparison costs a layout
    if (m_scene.nodes.size() > kMostNodes || m_plain)
        return false;
    const Picture fresh = layoutScene(m_scene, Theme::current());
    return meanEdgeLength(m_target) > kTooLong * meanEdgeLength(fresh) ||
           m_target.bounds.height() > kTooLong * fresh.bounds.height();
}

void GraphCanvas::layOutAgain() {
    m_aged = false;
    const Scene oldScene = m_scene;
    const Picture oldPicture = m_picture;
    adopt(layoutScene(m_scene, Theme::current()));
    startMotion(oldScene, oldPicture, {});
}

void GraphCanvas::adopt(Picture picture) {
    m_picture = std::move(picture);
    m_target = m_picture;
    rebuildIndex();
}

void GraphCanvas::rebuildIndex() {
    std::vector<QRectF> nodes, edges;
    for (const PictureNode &node : m_picture.nodes)
        nodes.push_back(node.rect.adjusted(-8, -8, 8, 8)); // with rings and badges
    for (const PictureEdge &edge : m_picture.edges)
        edges.push_back(edge.bounds);
    m_nodeIndex.build(nodes);
    m_edgeIndex.build(edges);
}

// The first picture is Graphviz's where that comes soon; until then nothing is shown, so that nothing jumps.
void GraphCanvas::startDot() {
    int outer = 0;
    for (const SceneNode &node : m_scene.nodes)
        outer += node.parent < 0;
    if (!m_useGraphviz || outer < 3 || outer > DotJob::kMaxNodes || DotJob::findProgram().isEmpty())
        return;
    m_waiting = true;
    m_patience.start(kPatienceMs);
    m_dot = std::make_unique<DotJob>(m_scene, m_picture, Theme::current());
    connect(m_dot.get(), &DotJob::finished, this, [this](const PictureMemory &memory, const QString &) {
        m_dot.release()->deleteLater();
        if (!memory.isEmpty()) {
            PictureOptions options;
            options.follow = true;
            Picture better = layoutScene(m_scene, Theme::current(), memory, {}, options);
            if (m_waiting) {
                adopt(std::move(better));
                resetView();
            } else { // it came late: move over
                const Scene scene = m_scene;
                const Picture old = m_picture;
                adopt(std::move(better));
                startMotion(scene, old, {});
            }
        }
        showFirst();
    });
    m_dot->start();
}

void GraphCanvas::showFirst() {
    m_patience.stop();
    if (!m_waiting)
        return;
    m_waiting = false;
    update();
    Q_EMIT settled();
}

void GraphCanvas::startMotion(const Scene &oldScene, const Picture &oldPicture,
                              const QHash<SceneKey, SceneKey> &heirs, bool jump) {
    keepInPlace(oldScene, oldPicture);
    const int duration = Theme::current().motionMs("step");
    m_leaving.clear();
    m_opacity.clear();
    if (jump || duration <= 0 || !isVisible() || static_cast<int>(m_scene.nodes.size()) > kMostMoving) {
        Q_EMIT settled();
        return;
    }
    m_target = m_picture;
    m_shift.assign(m_scene.nodes.size(), {});
    m_added.assign(m_scene.nodes.size(), 0);
    QHash<SceneKey, int> old;
    for (std::size_t i = 0; i < oldScene.nodes.size(); ++i)
        old.insert(oldScene.nodes[i].key, static_cast<int>(i));
    QHash<SceneKey, SceneKey> ancestors;
    for (auto it = heirs.begin(); it != heirs.end(); ++it)
        ancestors.insert(it.value(), it.key());
    for (std::size_t i = 0; i < m_scene.nodes.size(); ++i) {
        const SceneKey key = m_scene.nodes[i].key;
        int at = old.value(key, -1);
        m_added[i] = at < 0;
        if (at < 0)
            at = old.value(ancestors.value(key, kNoSceneKey), -1);
        if (at >= 0)
            m_shift[i] = oldPicture.nodes[at].rect.center() - m_target.nodes[i].rect.center();
    }
    for (std::size_t i = 0; i < oldScene.nodes.size(); ++i)
        if (m_scene.find(oldScene.nodes[i].key) < 0)
            m_leaving.push_back(static_cast<int>(i));
    m_leavingScene = oldScene;
    m_leavingPicture = oldPicture;
    m_motion.setDuration(duration);
    m_motion.setEasingCurve(QEasingCurve::Linear);
    m_motion.start();
    advanceMotion(0);
}

void GraphCanvas::advanceMotion(double ms) {
    const double total = m_motion.duration();
    const double removed = std::max(1, Theme::current().motionMs("removed"));
    const double added = std::max(1, Theme::current().motionMs("added"));
    const double left = 1 - QEasingCurve(QEasingCurve::InOutCubic).valueForProgress(ms / total);
    m_leavingOpacity = std::max(0.0, 1 - ms / removed);
    if (ms >= total) {
        m_picture = m_target;
        m_leaving.clear();
        m_opacity.clear();
        m_leavingScene = {};
        rebuildIndex();
        update();
        Q_EMIT settled();
        return;
    }
    const double arriving = std::clamp((ms - (total - added)) / added, 0.0, 1.0);
    m_opacity.assign(m_scene.nodes.size(), 1);
    for (std::size_t i = 0; i < m_scene.nodes.size(); ++i) {
        m_picture.nodes[i].rect = m_target.nodes[i].rect.translated(m_shift[i] * left);
        if (m_added[i])
            m_opacity[i] = arriving;
    }
    // Every edge bends along with its two ends.
    for (std::size_t i = 0; i < m_scene.edges.size(); ++i) {
        const QPointF from = m_shift[m_scene.edges[i].from] * left, to = m_shift[m_scene.edges[i].to] * left;
        const auto &goal = m_target.edges[i].curve;
        auto &curve = m_picture.edges[i].curve;
        for (std::size_t k = 0; k < goal.size(); ++k) {
            const double t = m_target.edges[i].stub || goal.size() < 2
                                 ? 1
                                 : static_cast<double>(k) / static_cast<double>(goal.size() - 1);
            curve[k] = goal[k] + from * (1 - t) + to * t;
        }
    }
    update();
}

// ---- camera ----

QRectF GraphCanvas::viewed() const { return {m_origin, QSizeF(size()) / m_scale}; }

double GraphCanvas::fitScale() const {
    const QRectF &bounds = m_target.bounds;
    if (bounds.isEmpty())
        return 1;
    return std::clamp(std::min((width() - 2 * kMargin) / bounds.width(), (height() - 2 * kMargin) / bounds.height()),
                      kSmallestScale, 1.0);
}

// First look: everything where that is readable, else the top of it; a little less readable if all of it fits then.
void GraphCanvas::resetView() {
    constexpr double kReadable = 0.75;
    constexpr double kStillReadable = 0.7;
    const QRectF &bounds = m_target.bounds;
    const double whole = fitScale();
    const double scale = m_plain || whole >= kStillReadable ? whole : kReadable;
    const QSizeF view = QSizeF(size()) / scale;
    QPointF origin = bounds.center() - QPointF(view.width(), view.height()) / 2;
    const double spare = std::max(0.0, view.height() - bounds.height() - 2 * kMargin / scale);
    origin.setY(bounds.top() - kMargin / scale - spare * (m_plain ? 0.4 : 0.2)); // hangs from the top, as one reads
    if (view.width() < bounds.width())
        origin.setX(busiestLeft(origin.y(), view));
    // A picture of a step shows what the step did.
    if (const int change = changeOutside(QRectF(origin, view)); change >= 0) {
        const QPointF center = m_target.nodes[change].rect.center();
        origin.setY(center.y() - view.height() / 2);
        if (view.width() < bounds.width())
            origin.setX(center.x() - view.width() / 2);
    }
    m_userMoved = false;
    moveCamera(origin, scale, false);
}

// Where a view of this size, its top at `top`, shows most nodes.
double GraphCanvas::busiestLeft(double top, const QSizeF &view) const {
    std::vector<double> centers;
    for (const PictureNode &node : m_target.nodes)
        if (const QPointF center = node.rect.center(); center.y() > top && center.y() < top + view.height())
            centers.push_back(center.x());
    if (centers.empty())
        return m_target.bounds.center().x() - view.width() / 2;
    std::sort(centers.begin(), centers.end());
    std::size_t best = 0, bestFirst = 0, bestLast = 0;
    for (std::size_t first = 0, last = 0; first < centers.size(); ++first) {
        while (last + 1 < centers.size() && centers[last + 1] - centers[first] < view.width() - 4 * kMargin)
            ++last;
        if (last - first + 1 > best) {
            best = last - first + 1;
            bestFirst = first;
            bestLast = last;
        }
    }
    return (centers[bestFirst] + centers[bestLast]) / 2 - view.width() / 2;
}

void GraphCanvas::fit() {
    const double scale = fitScale();
    const QSizeF view = QSizeF(size()) / scale;
    m_userMoved = false;
    moveCamera(m_target.bounds.center() - QPointF(view.width(), view.height()) / 2, scale, true);
}

void GraphCanvas::moveCamera(QPointF origin, double scale, bool animated) {
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

void GraphCanvas::setScale(double scale, QPointF around) {
    const QPointF fixed = toScene(around);
    scale = std::clamp(scale, kSmallestScale, kLargestScale);
    m_userMoved = true;
    moveCamera(fixed - around / scale, scale, false);
}

bool GraphCanvas::everythingInView() const { return viewed().contains(m_target.bounds); }

void GraphCanvas::reveal(SceneKey key) {
    const int at = m_scene.find(key);
    if (at < 0)
        return;
    const QRectF rect = m_target.nodes[at].rect.adjusted(-32, -32, 32, 32);
    const QRectF view = viewed();
    if (view.contains(rect))
        return;
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
int GraphCanvas::changeOutside(const QRectF &view) const {
    for (bool ghosts : {false, true}) {
        int first = -1;
        for (std::size_t i = 0; i < m_scene.nodes.size(); ++i) {
            const SceneNode &node = m_scene.nodes[i];
            if (node.diff == DiffState::None || node.ghost != ghosts)
                continue;
            if (view.contains(m_target.nodes[i].rect))
                return -1;
            if (first < 0)
                first = static_cast<int>(i);
        }
        if (first >= 0)
            return first;
    }
    return -1;
}

// A step that happens out of view scrolls there; one that is in view moves nothing.
void GraphCanvas::revealChange() {
    const int change = changeOutside(QRectF(m_cameraTo, QSizeF(size()) / m_cameraScaleTo));
    if (change >= 0)
        reveal(m_scene.nodes[change].key);
}

void GraphCanvas::centerOn(SceneKey key) {
    const int at = m_scene.find(key);
    if (at < 0)
        return;
    const QRectF view = viewed();
    m_userMoved = true;
    moveCamera(m_target.nodes[at].rect.center() - QPointF(view.width(), view.height()) / 2, m_scale, true);
}

// What was in view stays where it is on the screen, even when the whole picture shifted.
void GraphCanvas::keepInPlace(const Scene &oldScene, const Picture &oldPicture) {
    const QRectF view = viewed();
    QPointF sum;
    int count = 0;
    for (std::size_t i = 0; i < oldScene.nodes.size(); ++i) {
        const int now = m_scene.find(oldScene.nodes[i].key);
        if (now < 0 || !view.intersects(oldPicture.nodes[i].rect))
            continue;
        sum += m_target.nodes[now].rect.center() - oldPicture.nodes[i].rect.center();
        ++count;
    }
    if (count == 0)
        return;
    const QPointF shift = sum / count;
    if (m_userMoved && std::hypot(shift.x(), shift.y()) > 1)
        moveCamera(m_origin + shift, m_scale, true);
    else if (!m_userMoved && !everythingInView())
        resetView();
}

QRectF GraphCanvas::widgetRect(SceneKey key) const {
    const int at = m_scene.find(key);
    if (at < 0)
        return {};
    const QRectF &rect = m_picture.nodes[at].rect;
    return {toWidget(rect.topLeft()), rect.size() * m_scale};
}

// ---- state ----

void GraphCanvas::setOverlay(Overlay overlay) {
    m_overlay = overlay;
    update();
}

void GraphCanvas::setSelected(const QSet<SceneKey> &keys) {
    if (keys == m_selected)
        return;
    m_selected = keys;
    if (const SceneNode *node = keys.size() == 1 ? m_scene.node(*keys.begin()) : nullptr)
        setAccessibleDescription(tr("%1, %2").arg(node->title, sceneKindName(node->kind)));
    update();
    Q_EMIT selectedChanged();
}

void GraphCanvas::setLinked(const QSet<SceneKey> &keys) {
    if (keys == m_linked)
        return;
    m_linked = keys;
    update();
}

int GraphCanvas::setSearch(const QString &text) {
    m_matches.clear();
    m_matchOrder.clear();
    m_match = 0;
    if (!text.isEmpty()) {
        for (const SceneNode &node : m_scene.nodes)
            for (const QString *part : {&node.title, &node.exactName, &node.subtitle, &node.type, &node.shape})
                if (part->contains(text, Qt::CaseInsensitive)) {
                    m_matches.insert(node.key);
                    m_matchOrder.push_back(node.key);
                    break;
                }
        if (m_matches.isEmpty())
            m_matches.insert(kNoSceneKey); // everything pale: nothing was found
    }
    update();
    return static_cast<int>(m_matchOrder.size());
}

void GraphCanvas::showNextMatch(bool backwards) {
    if (m_matchOrder.empty())
        return;
    const SceneKey key = m_matchOrder[m_match % m_matchOrder.size()];
    m_match = (m_match + (backwards ? m_matchOrder.size() - 1 : 1)) % m_matchOrder.size();
    m_keyboard = true;
    m_focused = key;
    centerOn(key);
    update();
}

void GraphCanvas::showPath(SceneKey from, Reach reach) {
    m_path.clear();
    std::vector<std::vector<int>> next(m_scene.nodes.size());
    for (const SceneEdge &edge : m_scene.edges) {
        if (reach == Reach::Inputs)
            next[edge.to].push_back(edge.from);
        else
            next[edge.from].push_back(edge.to);
    }
    std::vector<int> open;
    if (const int start = m_scene.find(from); start >= 0)
        open.push_back(start);
    while (!open.empty()) {
        const int node = open.back();
        open.pop_back();
        if (m_path.contains(m_scene.nodes[node].key))
            continue;
        m_path.insert(m_scene.nodes[node].key);
        open.insert(open.end(), next[node].begin(), next[node].end());
    }
    update();
}

void GraphCanvas::clearPath() {
    m_path.clear();
    update();
}

} // namespace views
