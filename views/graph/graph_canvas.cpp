#include "views/graph/graph_canvas.h"

#include "views/common/background.h"
#include "views/common/theme.h"
#include "views/graph/dot_job.h"
#include "views/graph/tidy_layout.h"

#include <QEasingCurve>

#include <algorithm>

namespace views {
namespace {

constexpr int kMostMoving = 1500;       // nodes: more jump
constexpr int kMostLaidOutAtOnce = 120; // nodes whose layout fits between two frames
int g_patienceMs = 120;                 // how long a first picture waits for Graphviz

std::shared_ptr<const Scene> shared(Scene scene)
{
    if (scene.index.size() != static_cast<int>(scene.nodes.size())) scene.rebuildIndex();
    return std::make_shared<const Scene>(std::move(scene));
}

} // namespace

GraphCanvas::GraphCanvas(QWidget *parent)
    : QWidget(parent), m_scene(std::make_shared<const Scene>()), m_picture(std::make_shared<const Picture>()), m_target(m_picture)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Graph"));
    m_motion.clock.setStartValue(0.0);
    m_motion.clock.setEndValue(1.0);
    connect(&m_motion.clock, &QVariantAnimation::valueChanged, this,
            [this](const QVariant &at) { advanceMotion(at.toDouble() * m_motion.clock.duration()); });
    m_camera.flight.setStartValue(0.0);
    m_camera.flight.setEndValue(1.0);
    connect(&m_camera.flight, &QVariantAnimation::valueChanged, this, [this](const QVariant &value) {
        const double t = value.toDouble();
        m_camera.origin = m_camera.from * (1 - t) + m_camera.to * t;
        m_camera.scale = m_camera.scaleFrom * (1 - t) + m_camera.scaleTo * t;
        Q_EMIT scaleChanged(m_camera.scale);
        update();
    });
    m_layout.patience.setSingleShot(true);
    connect(&m_layout.patience, &QTimer::timeout, this, &GraphCanvas::showFirst);
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
        m_minimap.isOld = true;
        if (!m_scene->nodes.empty()) refresh(m_scene); // text size may have changed
        update();
    });
}

GraphCanvas::~GraphCanvas()
{
    if (m_search.running) *m_search.running = true;
}

bool GraphCanvas::isSettled() const
{
    return !m_layout.isWaiting && m_layout.pending == 0 && !m_minimap.isAsked && !m_search.running &&
           m_motion.clock.state() != QAbstractAnimation::Running && m_camera.flight.state() != QAbstractAnimation::Running;
}

void GraphCanvas::settle()
{
    if (m_layout.isWaiting && m_layout.pending == 0) {
        m_layout.dot.reset();
        showFirst();
    }
    if (m_motion.clock.state() == QAbstractAnimation::Running) {
        m_motion.clock.stop();
        advanceMotion(m_motion.clock.duration());
    }
    if (m_camera.flight.state() == QAbstractAnimation::Running) {
        m_camera.flight.stop();
        moveCamera(m_camera.to, m_camera.scaleTo, Glide::None);
    }
}

void GraphCanvas::clear() { setScene({}, Change::Fresh); }

// A scene on its way to a picture.
struct GraphCanvas::Layout {
    std::shared_ptr<const Scene> scene;
    PictureMemory before;
    QHash<SceneKey, SceneKey> heirs;
    PictureOptions options;
    Entrance entrance = Entrance::Fresh;
    bool tidy = false; // at the end of a pass
    Theme theme = Theme::current();

    std::shared_ptr<const Picture> picture;

    void make()
    {
        picture = std::make_shared<const Picture>(tidy ? tidyLayout(*scene, theme, before, heirs)
                                                       : layoutScene(*scene, theme, before, heirs, options));
    }
};

bool GraphCanvas::isLarge(const Scene &scene) const
{
    return static_cast<int>(scene.nodes.size()) > kMostLaidOutAtOnce && window()->isVisible();
}

void GraphCanvas::setScene(Scene scene, Change change, const QHash<SceneKey, SceneKey> &heirs)
{
    m_layout.dot.reset();
    m_layout.patience.stop();
    m_rings.path.clear();
    // A held key, or a quick play: no motion.
    const bool hurried = m_motion.sinceScene.isValid() && m_motion.sinceScene.elapsed() < Theme::current().motionMs("step");
    if (change == Change::Fresh) m_motion.sinceScene.invalidate();
    else m_motion.sinceScene.start();
    if (m_motion.clock.state() == QAbstractAnimation::Running) {
        m_motion.clock.stop();
        advanceMotion(m_motion.clock.duration());
    }
    int survivors = 0;
    for (const SceneNode &node : scene.nodes) survivors += m_picture->memory.nodes.contains(node.key);
    // With little left of the old picture there is nothing to stay close to.
    const bool continues =
        change != Change::Fresh && change != Change::Anew && !m_layout.isWaiting && survivors * 3 > static_cast<int>(scene.nodes.size());
    Layout layout;
    layout.scene = shared(std::move(scene));
    if (continues) {
        layout.before = m_picture->memory;
        layout.heirs = heirs;
        layout.entrance = hurried ? Entrance::Jump : Entrance::Motion;
        layout.tidy = change == Change::End;
    } else if (change == Change::Anew && !m_layout.isWaiting) {
        layout.entrance = Entrance::Motion;
    } else if (change == Change::Fresh && isLarge(*layout.scene)) { // another graph: its predecessor must not be taken for it
        discard(std::pair(std::exchange(m_scene, std::make_shared<const Scene>()), m_picture));
        adopt(std::make_shared<const Picture>());
    }
    lay(std::move(layout));
}

void GraphCanvas::lay(Layout layout)
{
    const quint64 generation = ++m_layout.generation;
    m_layout.pending = 0;
    m_layout.isWaiting = m_layout.isWaiting && layout.entrance == Entrance::Better;
    if (!isLarge(*layout.scene)) {
        layout.make();
        install(std::move(layout));
        return;
    }
    m_layout.pending = static_cast<int>(layout.scene->nodes.size());
    m_layout.isWaiting = m_layout.isWaiting || m_scene->nodes.empty();
    inBackground(
        this,
        [layout = std::move(layout)]() mutable {
            layout.make();
            return std::move(layout);
        },
        [this, generation](Layout &&made) {
            if (generation == m_layout.generation) install(std::move(made));
            else discard(std::move(made));
        });
    update();
}

void GraphCanvas::install(Layout layout)
{
    m_layout.pending = 0;
    const bool unseen = std::exchange(m_layout.isWaiting, false);
    std::shared_ptr<const Scene> oldScene = std::exchange(m_scene, std::move(layout.scene));
    std::shared_ptr<const Picture> oldPicture = m_picture;
    adopt(std::move(layout.picture));
    switch (layout.entrance) {
    case Entrance::Motion:
    case Entrance::Jump: startMotion(oldScene, oldPicture, layout.heirs, layout.entrance == Entrance::Jump); break;
    case Entrance::Better:
        if (unseen) {
            resetView();
            Q_EMIT settled();
        } else { // it came late: move over
            startMotion(oldScene, oldPicture, {});
        }
        break;
    case Entrance::SamePlace:
        m_motion.leaving.clear();
        m_motion.opacity.clear();
        Q_EMIT settled();
        break;
    case Entrance::Fresh:
        m_motion.leaving.clear();
        m_motion.opacity.clear();
        resetView();
        startDot();
        if (!m_layout.isWaiting) Q_EMIT settled();
        break;
    }
    if (m_scene->find(m_focused) < 0) m_focused = kNoSceneKey;
    m_hovered = kNoSceneKey;
    collectMatches();
    setAccessibleDescription(tr("Nodes: %1").arg(m_scene->nodes.size()));
    update();
    Q_EMIT sceneChanged();
    discard(std::pair(std::move(oldScene), std::move(oldPicture)));
}

void GraphCanvas::setSceneLike(Scene scene, const PictureMemory &other)
{
    m_layout.dot.reset();
    m_layout.isWaiting = false;
    m_scene = shared(std::move(scene));
    PictureMemory memory;
    for (const SceneNode &node : m_scene->nodes)
        if (const auto known = other.nodes.constFind(node.key); known != other.nodes.constEnd() && isVariable(node.kind))
            memory.nodes.insert(node.key, *known);
    PictureOptions options;
    options.follow = true;
    options.keepOrder = true;
    adopt(std::make_shared<const Picture>(layoutScene(*m_scene, Theme::current(), memory, {}, options)));
    m_motion.leaving.clear();
    m_motion.opacity.clear();
    resetView();
    update();
}

void GraphCanvas::setPlain(Color ground)
{
    m_plain = true;
    m_ground = ground;
    m_layout.useGraphviz = false;
}

void GraphCanvas::setPatience(int ms) { g_patienceMs = ms; }

void GraphCanvas::setUseGraphviz(bool on)
{
    m_layout.useGraphviz = on;
    if (on || !m_layout.dot) return;
    m_layout.dot.reset();
    showFirst();
}

void GraphCanvas::setNote(const QString &note)
{
    m_note = note;
    update();
}

void GraphCanvas::refreshScene(Scene scene) { refresh(shared(std::move(scene))); }

void GraphCanvas::refresh(std::shared_ptr<const Scene> scene)
{
    Layout layout;
    layout.scene = std::move(scene);
    layout.before = m_picture->memory;
    layout.entrance = Entrance::SamePlace;
    lay(std::move(layout));
}

void GraphCanvas::layOutAgain()
{
    Layout layout;
    layout.scene = m_scene;
    layout.entrance = Entrance::Motion;
    lay(std::move(layout));
}

void GraphCanvas::adopt(std::shared_ptr<const Picture> picture)
{
    m_picture = m_target = std::move(picture);
    m_motion.picture.reset();
    m_minimap.image = {};
}

// The first picture is Graphviz's where that comes soon; until then nothing is shown, so that nothing jumps.
void GraphCanvas::startDot()
{
    int outer = 0;
    for (const SceneNode &node : m_scene->nodes) outer += node.parent < 0;
    if (!m_layout.useGraphviz || outer < 3 || outer > DotJob::kMaxNodes || DotJob::findProgram().isEmpty()) return;
    m_layout.isWaiting = true;
    m_layout.patience.start(g_patienceMs);
    m_layout.dot = std::make_unique<DotJob>(*m_scene, *m_picture, Theme::current());
    connect(m_layout.dot.get(), &DotJob::finished, this, [this](const PictureMemory &memory, const QString &) {
        m_layout.dot.release()->deleteLater();
        if (memory.isEmpty()) {
            showFirst();
            return;
        }
        Layout layout;
        layout.scene = m_scene;
        layout.before = memory;
        layout.options.follow = true;
        layout.entrance = Entrance::Better;
        lay(std::move(layout));
    });
    m_layout.dot->start();
}

void GraphCanvas::showFirst()
{
    m_layout.patience.stop();
    if (!m_layout.isWaiting) return;
    m_layout.isWaiting = false;
    update();
    Q_EMIT settled();
}

void GraphCanvas::startMotion(std::shared_ptr<const Scene> oldScene, std::shared_ptr<const Picture> oldPicture,
                              const QHash<SceneKey, SceneKey> &heirs, bool jump)
{
    holdChange(*oldScene, *oldPicture, jump);
    const int duration = Theme::current().motionMs("step");
    m_motion.leaving.clear();
    m_motion.opacity.clear();
    if (jump || duration <= 0 || !isVisible() || static_cast<int>(m_scene->nodes.size()) > kMostMoving) {
        Q_EMIT settled();
        return;
    }
    m_motion.shift.assign(m_scene->nodes.size(), {});
    m_motion.added.assign(m_scene->nodes.size(), 0);
    QHash<SceneKey, int> old;
    for (std::size_t i = 0; i < oldScene->nodes.size(); ++i) old.insert(oldScene->nodes[i].key, static_cast<int>(i));
    const QHash<SceneKey, SceneKey> ancestors = ancestorsOf(heirs);
    for (std::size_t i = 0; i < m_scene->nodes.size(); ++i) {
        const SceneKey key = m_scene->nodes[i].key;
        int at = old.value(key, -1);
        m_motion.added[i] = at < 0;
        if (at < 0) at = old.value(ancestors.value(key, kNoSceneKey), -1);
        if (at >= 0) m_motion.shift[i] = oldPicture->nodes[at].rect.center() - m_target->nodes[i].rect.center();
    }
    for (std::size_t i = 0; i < oldScene->nodes.size(); ++i)
        if (m_scene->find(oldScene->nodes[i].key) < 0) m_motion.leaving.push_back(static_cast<int>(i));
    m_motion.leavingScene = std::move(oldScene);
    m_motion.leavingPicture = std::move(oldPicture);
    m_motion.picture = std::make_shared<Picture>(*m_target);
    m_picture = m_motion.picture;
    m_motion.clock.setDuration(duration);
    m_motion.clock.setEasingCurve(QEasingCurve::Linear);
    m_motion.clock.start();
    advanceMotion(0);
}

void GraphCanvas::advanceMotion(double ms)
{
    const double total = m_motion.clock.duration();
    const double removed = std::max(1, Theme::current().motionMs("removed"));
    const double added = std::max(1, Theme::current().motionMs("added"));
    const double left = 1 - QEasingCurve(QEasingCurve::InOutCubic).valueForProgress(ms / total);
    m_motion.leavingOpacity = std::max(0.0, 1 - ms / removed);
    if (ms >= total) {
        m_picture = m_target;
        m_motion.leaving.clear();
        m_motion.opacity.clear();
        m_motion.leavingScene.reset();
        m_motion.leavingPicture.reset();
        m_motion.picture.reset();
        update();
        Q_EMIT settled();
        return;
    }
    const double arriving = std::clamp((ms - (total - added)) / added, 0.0, 1.0);
    if (!m_motion.picture || !m_target) return; // broken off meanwhile
    m_motion.opacity.assign(m_scene->nodes.size(), 1);
    for (std::size_t i = 0; i < m_scene->nodes.size(); ++i) {
        m_motion.picture->nodes[i].rect = m_target->nodes[i].rect.translated(m_motion.shift[i] * left);
        if (m_motion.added[i]) m_motion.opacity[i] = arriving;
    }
    // Every edge bends along with its two ends.
    for (std::size_t i = 0; i < m_scene->edges.size(); ++i) {
        const QPointF from = m_motion.shift[m_scene->edges[i].from] * left, to = m_motion.shift[m_scene->edges[i].to] * left;
        const auto &goal = m_target->edges[i].curve;
        auto &curve = m_motion.picture->edges[i].curve;
        for (std::size_t k = 0; k < goal.size(); ++k) {
            const double t = m_target->edges[i].stub || goal.size() < 2 ? 1 : static_cast<double>(k) / static_cast<double>(goal.size() - 1);
            curve[k] = goal[k] + from * (1 - t) + to * t;
        }
    }
    update();
}

void GraphCanvas::setOverlay(Overlay overlay)
{
    m_overlay = overlay;
    m_minimap.isOld = true;
    update();
}

void GraphCanvas::setSelected(const QSet<SceneKey> &keys)
{
    if (keys == m_rings.selected) return;
    m_rings.selected = keys;
    m_minimap.isOld = true;
    if (const SceneNode *node = keys.size() == 1 ? m_scene->node(*keys.begin()) : nullptr)
        setAccessibleDescription(tr("%1, %2").arg(node->title, sceneKindName(node->kind)));
    update();
    Q_EMIT selectedChanged();
}

void GraphCanvas::setLinked(const QSet<SceneKey> &keys)
{
    if (keys == m_rings.linked) return;
    m_rings.linked = keys;
    m_minimap.isOld = true;
    update();
}

void GraphCanvas::setNotes(const QHash<SceneKey, QString> &notes)
{
    if (notes == m_rings.notes) return;
    m_rings.notes = notes;
    update();
}

void GraphCanvas::setMarks(const QHash<SceneKey, NodeMark> &marks)
{
    if (marks == m_rings.marks) return;
    m_rings.marks = marks;
    update();
}

} // namespace views
