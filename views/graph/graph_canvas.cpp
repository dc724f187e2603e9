#include "views/graph/graph_canvas.h"

#include "views/common/background.h"
#include "views/common/theme.h"
#include "views/graph/dot_job.h"
#include "views/graph/node_query.h"
#include "views/graph/tidy_layout.h"

#include <QEasingCurve>

#include <algorithm>
#include <queue>

namespace views {
namespace {

constexpr int kMostMoving = 1500;     // nodes: more jump
constexpr int kMostOnGuiThread = 120; // nodes whose layout fits between two frames
int g_patienceMs = 120;               // how long a first picture waits for Graphviz

} // namespace

GraphCanvas::GraphCanvas(QWidget *parent) : QWidget(parent), m_picture(std::make_shared<const Picture>()), m_target(m_picture)
{
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
        m_minimapIsOld = true;
        if (!m_scene.nodes.empty()) refreshScene(m_scene); // text size may have changed
        update();
    });
}

GraphCanvas::~GraphCanvas() = default;

bool GraphCanvas::isSettled() const
{
    return !m_waiting && m_pending == 0 && !m_minimapAsked && m_motion.state() != QAbstractAnimation::Running &&
           m_camera.state() != QAbstractAnimation::Running;
}

void GraphCanvas::settle()
{
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
        moveCamera(m_cameraTo, m_cameraScaleTo, Glide::None);
    }
}

void GraphCanvas::clear() { setScene({}, Change::Fresh); }

// A scene on its way to a picture.
struct GraphCanvas::Layout {
    Scene scene;
    PictureMemory before;
    QHash<SceneKey, SceneKey> heirs;
    PictureOptions options;
    Entrance entrance = Entrance::Fresh;
    bool tidy = false; // at the end of a pass
    Theme theme = Theme::current();

    std::shared_ptr<const Picture> picture;

    void make()
    {
        picture = std::make_shared<const Picture>(tidy ? tidyLayout(scene, theme, before, heirs)
                                                       : layoutScene(scene, theme, before, heirs, options));
    }
};

bool GraphCanvas::isLarge(const Scene &scene) const
{
    return static_cast<int>(scene.nodes.size()) > kMostOnGuiThread && window()->isVisible();
}

void GraphCanvas::setScene(Scene scene, Change change, const QHash<SceneKey, SceneKey> &heirs)
{
    m_dot.reset();
    m_patience.stop();
    m_path.clear();
    // A held key, or a quick play: no motion.
    const bool hurried = m_sinceScene.isValid() && m_sinceScene.elapsed() < Theme::current().motionMs("step");
    if (change == Change::Fresh) m_sinceScene.invalidate();
    else m_sinceScene.start();
    if (m_motion.state() == QAbstractAnimation::Running) {
        m_motion.stop();
        advanceMotion(m_motion.duration());
    }
    int survivors = 0;
    for (const SceneNode &node : scene.nodes) survivors += m_picture->memory.nodes.contains(node.key);
    // With little left of the old picture there is nothing to stay close to.
    const bool continues =
        change != Change::Fresh && change != Change::Anew && !m_waiting && survivors * 3 > static_cast<int>(scene.nodes.size());
    Layout layout;
    layout.scene = std::move(scene);
    if (continues) {
        layout.before = m_picture->memory;
        layout.heirs = heirs;
        layout.entrance = hurried ? Entrance::Jump : Entrance::Motion;
        layout.tidy = change == Change::End;
    } else if (change == Change::Anew && !m_waiting) {
        layout.entrance = Entrance::Motion;
    } else if (change == Change::Fresh && isLarge(layout.scene)) { // another graph: its predecessor must not be taken for it
        discard(std::pair(std::exchange(m_scene, {}), m_picture));
        adopt(std::make_shared<const Picture>());
    }
    lay(std::move(layout));
}

void GraphCanvas::lay(Layout layout)
{
    const quint64 generation = ++m_generation;
    m_pending = 0;
    m_waiting = m_waiting && layout.entrance == Entrance::Better;
    if (!isLarge(layout.scene)) {
        layout.make();
        install(std::move(layout));
        return;
    }
    m_pending = static_cast<int>(layout.scene.nodes.size());
    m_waiting = m_waiting || m_scene.nodes.empty();
    inBackground(
        this,
        [layout = std::move(layout)]() mutable {
            layout.make();
            return std::move(layout);
        },
        [this, generation](Layout &&made) {
            if (generation == m_generation) install(std::move(made));
            else discard(std::move(made));
        });
    update();
}

void GraphCanvas::install(Layout layout)
{
    m_pending = 0;
    const bool unseen = std::exchange(m_waiting, false);
    Scene oldScene = std::exchange(m_scene, std::move(layout.scene));
    std::shared_ptr<const Picture> oldPicture = m_picture;
    if (m_scene.index.size() != static_cast<int>(m_scene.nodes.size())) m_scene.rebuildIndex();
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
        m_leaving.clear();
        m_opacity.clear();
        Q_EMIT settled();
        break;
    case Entrance::Fresh:
        m_leaving.clear();
        m_opacity.clear();
        resetView();
        startDot();
        if (!m_waiting) Q_EMIT settled();
        break;
    }
    if (m_scene.find(m_focused) < 0) m_focused = kNoSceneKey;
    m_hovered = kNoSceneKey;
    collectMatches();
    m_match = std::min(m_match, matchCount() - 1);
    setAccessibleDescription(tr("Nodes: %1").arg(m_scene.nodes.size()));
    update();
    Q_EMIT sceneChanged();
    discard(std::pair(std::move(oldScene), std::move(oldPicture)));
}

void GraphCanvas::setSceneLike(Scene scene, const PictureMemory &other)
{
    m_dot.reset();
    m_waiting = false;
    m_scene = std::move(scene);
    if (m_scene.index.size() != static_cast<int>(m_scene.nodes.size())) m_scene.rebuildIndex();
    PictureMemory memory;
    for (const SceneNode &node : m_scene.nodes)
        if (const auto known = other.nodes.constFind(node.key); known != other.nodes.constEnd() && isVariable(node.kind))
            memory.nodes.insert(node.key, *known);
    PictureOptions options;
    options.follow = true;
    options.keepOrder = true;
    adopt(std::make_shared<const Picture>(layoutScene(m_scene, Theme::current(), memory, {}, options)));
    m_leaving.clear();
    m_opacity.clear();
    resetView();
    update();
}

void GraphCanvas::setPlain(Color ground)
{
    m_plain = true;
    m_ground = ground;
    m_useGraphviz = false;
}

void GraphCanvas::setPatience(int ms) { g_patienceMs = ms; }

void GraphCanvas::setUseGraphviz(bool on)
{
    m_useGraphviz = on;
    if (on || !m_dot) return;
    m_dot.reset();
    showFirst();
}

void GraphCanvas::setNote(const QString &note)
{
    m_note = note;
    update();
}

void GraphCanvas::refreshScene(Scene scene)
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
    m_moving.reset();
    m_minimap = {};
}

// The first picture is Graphviz's where that comes soon; until then nothing is shown, so that nothing jumps.
void GraphCanvas::startDot()
{
    int outer = 0;
    for (const SceneNode &node : m_scene.nodes) outer += node.parent < 0;
    if (!m_useGraphviz || outer < 3 || outer > DotJob::kMaxNodes || DotJob::findProgram().isEmpty()) return;
    m_waiting = true;
    m_patience.start(g_patienceMs);
    m_dot = std::make_unique<DotJob>(m_scene, *m_picture, Theme::current());
    connect(m_dot.get(), &DotJob::finished, this, [this](const PictureMemory &memory, const QString &) {
        m_dot.release()->deleteLater();
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
    m_dot->start();
}

void GraphCanvas::showFirst()
{
    m_patience.stop();
    if (!m_waiting) return;
    m_waiting = false;
    update();
    Q_EMIT settled();
}

void GraphCanvas::startMotion(const Scene &oldScene, std::shared_ptr<const Picture> oldPicture, const QHash<SceneKey, SceneKey> &heirs,
                              bool jump)
{
    holdChange(oldScene, *oldPicture, jump);
    const int duration = Theme::current().motionMs("step");
    m_leaving.clear();
    m_opacity.clear();
    if (jump || duration <= 0 || !isVisible() || static_cast<int>(m_scene.nodes.size()) > kMostMoving) {
        Q_EMIT settled();
        return;
    }
    m_shift.assign(m_scene.nodes.size(), {});
    m_added.assign(m_scene.nodes.size(), 0);
    QHash<SceneKey, int> old;
    for (std::size_t i = 0; i < oldScene.nodes.size(); ++i) old.insert(oldScene.nodes[i].key, static_cast<int>(i));
    const QHash<SceneKey, SceneKey> ancestors = ancestorsOf(heirs);
    for (std::size_t i = 0; i < m_scene.nodes.size(); ++i) {
        const SceneKey key = m_scene.nodes[i].key;
        int at = old.value(key, -1);
        m_added[i] = at < 0;
        if (at < 0) at = old.value(ancestors.value(key, kNoSceneKey), -1);
        if (at >= 0) m_shift[i] = oldPicture->nodes[at].rect.center() - m_target->nodes[i].rect.center();
    }
    for (std::size_t i = 0; i < oldScene.nodes.size(); ++i)
        if (m_scene.find(oldScene.nodes[i].key) < 0) m_leaving.push_back(static_cast<int>(i));
    m_leavingScene = oldScene;
    m_leavingPicture = std::move(oldPicture);
    m_moving = std::make_shared<Picture>(*m_target);
    m_picture = m_moving;
    m_motion.setDuration(duration);
    m_motion.setEasingCurve(QEasingCurve::Linear);
    m_motion.start();
    advanceMotion(0);
}

void GraphCanvas::advanceMotion(double ms)
{
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
        m_leavingPicture.reset();
        m_moving.reset();
        update();
        Q_EMIT settled();
        return;
    }
    const double arriving = std::clamp((ms - (total - added)) / added, 0.0, 1.0);
    if (!m_moving || !m_target) return; // broken off meanwhile
    m_opacity.assign(m_scene.nodes.size(), 1);
    for (std::size_t i = 0; i < m_scene.nodes.size(); ++i) {
        m_moving->nodes[i].rect = m_target->nodes[i].rect.translated(m_shift[i] * left);
        if (m_added[i]) m_opacity[i] = arriving;
    }
    // Every edge bends along with its two ends.
    for (std::size_t i = 0; i < m_scene.edges.size(); ++i) {
        const QPointF from = m_shift[m_scene.edges[i].from] * left, to = m_shift[m_scene.edges[i].to] * left;
        const auto &goal = m_target->edges[i].curve;
        auto &curve = m_moving->edges[i].curve;
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
    m_minimapIsOld = true;
    update();
}

void GraphCanvas::setSelected(const QSet<SceneKey> &keys)
{
    if (keys == m_selected) return;
    m_selected = keys;
    m_minimapIsOld = true;
    if (const SceneNode *node = keys.size() == 1 ? m_scene.node(*keys.begin()) : nullptr)
        setAccessibleDescription(tr("%1, %2").arg(node->title, sceneKindName(node->kind)));
    update();
    Q_EMIT selectedChanged();
}

void GraphCanvas::setLinked(const QSet<SceneKey> &keys)
{
    if (keys == m_linked) return;
    m_linked = keys;
    m_minimapIsOld = true;
    update();
}

void GraphCanvas::setNotes(const QHash<SceneKey, QString> &notes)
{
    if (notes == m_notes) return;
    m_notes = notes;
    update();
}

void GraphCanvas::setMarks(const QHash<SceneKey, NodeMark> &marks)
{
    if (marks == m_marks) return;
    m_marks = marks;
    update();
}

int GraphCanvas::setSearch(const QString &text)
{
    m_search = text;
    m_match = -1;
    m_hiddenMatches.clear();
    collectMatches();
    update();
    Q_EMIT searched(text);
    return matchCount();
}

void GraphCanvas::setHiddenMatches(const QString &search, std::vector<SceneKey> keys)
{
    if (search != m_search) return;
    m_hiddenMatches = std::move(keys);
    collectMatches();
    update();
    Q_EMIT matchesChanged();
}

void GraphCanvas::collectMatches()
{
    const SceneKey shown = m_match >= 0 && m_match < matchCount() ? m_matchOrder[static_cast<std::size_t>(m_match)] : kNoSceneKey;
    m_matches.clear();
    m_matchOrder.clear();
    m_hiddenShown = 0;
    if (m_search.isEmpty()) return;
    const NodeQuery query(m_search);
    for (const SceneNode &node : m_scene.nodes)
        if (query.matches(node) && (m_hiddenMatches.empty() || node.holds == 0)) { // a group by what it hides, once that is known
            m_matches.insert(node.key);
            m_matchOrder.push_back(node.key);
        }
    for (SceneKey key : m_hiddenMatches) {
        const int seen = m_scene.find(key) >= 0 ? -1 : m_scene.seenAs(key);
        if (seen < 0) continue;
        m_matches.insert(m_scene.nodes[static_cast<std::size_t>(seen)].key);
        m_matchOrder.push_back(key);
        ++m_hiddenShown;
    }
    if (m_matches.isEmpty()) m_matches.insert(kNoSceneKey); // everything pale: nothing was found
    if (shown == kNoSceneKey) return;
    const auto at = std::find(m_matchOrder.begin(), m_matchOrder.end(), shown);
    m_match = at == m_matchOrder.end() ? -1 : static_cast<int>(at - m_matchOrder.begin());
}

void GraphCanvas::showNextMatch(bool backwards)
{
    const int count = matchCount();
    if (count == 0) return;
    if (m_match < 0) m_match = backwards ? count - 1 : 0;
    else m_match = (m_match + (backwards ? count - 1 : 1)) % count;
    showMatch(m_match);
}

void GraphCanvas::showMatch(int number)
{
    if (number < 0 || number >= matchCount()) return;
    m_match = number;
    m_keyboard = true;
    const SceneKey key = m_matchOrder[static_cast<std::size_t>(number)];
    if (m_scene.find(key) < 0) {
        Q_EMIT hiddenWanted(key);
        return;
    }
    m_focused = key;
    centerOn(key);
    update();
}

void GraphCanvas::setIsolated(bool on)
{
    m_isolated = on;
    m_minimapIsOld = true;
    update();
}

std::vector<std::vector<int>> GraphCanvas::touching() const
{
    std::vector<std::vector<int>> touching(m_scene.nodes.size());
    for (const SceneEdge &edge : m_scene.edges) {
        touching[edge.to].push_back(edge.from);
        touching[edge.from].push_back(edge.to);
    }
    return touching;
}

void GraphCanvas::showSlowestAround(SceneKey around, int applies)
{
    m_path.clear();
    const std::vector<std::vector<int>> touching = this->touching();
    std::priority_queue<std::pair<double, int>> next; // what takes longest comes first
    if (const int start = m_scene.find(around); start >= 0) next.emplace(0, start);
    while (!next.empty() && applies > 0) {
        const int node = next.top().second;
        next.pop();
        if (m_path.contains(m_scene.nodes[node].key)) continue;
        m_path.insert(m_scene.nodes[node].key);
        applies -= isApply(m_scene.nodes[node].kind) ? 1 : 0;
        for (int other : touching[node]) next.emplace(m_scene.nodes[other].seconds, other);
    }
    update();
}

void GraphCanvas::showNeighbours(SceneKey around, int steps)
{
    m_path.clear();
    const std::vector<std::vector<int>> touching = this->touching();
    std::vector<int> now;
    if (const int start = m_scene.find(around); start >= 0) now.push_back(start);
    for (int step = 0; step <= steps; ++step) {
        std::vector<int> next;
        for (int node : now) {
            if (m_path.contains(m_scene.nodes[node].key)) continue;
            m_path.insert(m_scene.nodes[node].key);
            next.insert(next.end(), touching[node].begin(), touching[node].end());
        }
        now = std::move(next);
    }
    update();
}

void GraphCanvas::showPath(SceneKey from, Reach reach)
{
    m_path.clear();
    std::vector<std::vector<int>> next(m_scene.nodes.size());
    for (const SceneEdge &edge : m_scene.edges) {
        if (reach == Reach::Inputs) next[edge.to].push_back(edge.from);
        else next[edge.from].push_back(edge.to);
    }
    std::vector<int> open;
    if (const int start = m_scene.find(from); start >= 0) open.push_back(start);
    while (!open.empty()) {
        const int node = open.back();
        open.pop_back();
        if (m_path.contains(m_scene.nodes[node].key)) continue;
        m_path.insert(m_scene.nodes[node].key);
        open.insert(open.end(), next[node].begin(), next[node].end());
    }
    update();
}

} // namespace views
