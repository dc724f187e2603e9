// Which nodes stand out: what is looked for, what is around a node, what leads to it.
#include "views/graph/graph_canvas.h"

#include "views/common/background.h"
#include "views/graph/node_query.h"

#include <algorithm>
#include <queue>

namespace views {
namespace {

constexpr std::size_t kMostAtOnce = 500; // nodes that are asked between two frames

} // namespace

/// The nodes that a search found.
struct GraphCanvas::Found {
    QSet<SceneKey> seen; // of the picture: nodes, and groups that hide some
    std::vector<SceneKey> order;
    int hidden = 0;

    Found() = default;
    Found(const Scene &scene, const QString &search, const std::vector<SceneKey> &inGroups, const std::atomic<bool> &isOld)
    {
        const NodeQuery query(search);
        for (const SceneNode &node : scene.nodes) {
            if (isOld) return;
            if (!query.matches(node) || (!inGroups.empty() && node.holds > 0)) continue; // a group by what it hides, once that is known
            seen.insert(node.key);
            order.push_back(node.key);
        }
        for (SceneKey key : inGroups) {
            if (isOld) return;
            const int at = scene.find(key) >= 0 ? -1 : scene.seenAs(key);
            if (at < 0) continue;
            seen.insert(scene.nodes[static_cast<std::size_t>(at)].key);
            order.push_back(key);
            ++hidden;
        }
        if (seen.isEmpty()) seen.insert(kNoSceneKey); // everything pale: nothing was found
    }
};

void GraphCanvas::setSearch(const QString &text)
{
    m_search.text = text;
    m_search.at = -1;
    m_search.hidden.clear();
    collectMatches();
    Q_EMIT searched(text);
}

void GraphCanvas::setHiddenMatches(const QString &search, std::vector<SceneKey> keys)
{
    if (search != m_search.text) return;
    m_search.hidden = std::move(keys);
    collectMatches();
}

// Large graphs are searched in another thread. What was found before stays until then, and only the newest search counts.
void GraphCanvas::collectMatches()
{
    if (m_search.running) *m_search.running = true;
    m_search.running.reset();
    auto isOld = std::make_shared<std::atomic<bool>>(false);
    if (m_search.text.isEmpty() || m_scene->nodes.size() <= kMostAtOnce) {
        takeMatches(m_search.text.isEmpty() ? Found() : Found(*m_scene, m_search.text, m_search.hidden, *isOld));
        return;
    }
    m_search.running = isOld;
    inBackground(
        this, [scene = m_scene, search = m_search.text, hidden = m_search.hidden, isOld] { return Found(*scene, search, hidden, *isOld); },
        [this, isOld](Found &&found) {
            if (*isOld) return;
            m_search.running.reset();
            takeMatches(std::move(found));
        });
}

void GraphCanvas::takeMatches(Found found)
{
    const SceneKey shown =
        m_search.at >= 0 && m_search.at < matchCount() ? m_search.order[static_cast<std::size_t>(m_search.at)] : kNoSceneKey;
    m_search.matches = std::move(found.seen);
    m_search.order = std::move(found.order);
    m_search.hiddenShown = found.hidden;
    const auto at = shown == kNoSceneKey ? m_search.order.end() : std::find(m_search.order.begin(), m_search.order.end(), shown);
    m_search.at = at == m_search.order.end() ? -1 : static_cast<int>(at - m_search.order.begin());
    update();
    Q_EMIT matchesChanged();
}

void GraphCanvas::showNextMatch(bool backwards)
{
    const int count = matchCount();
    if (count == 0) return;
    if (m_search.at < 0) m_search.at = backwards ? count - 1 : 0;
    else m_search.at = (m_search.at + (backwards ? count - 1 : 1)) % count;
    showMatch(m_search.at);
}

void GraphCanvas::showMatch(int number)
{
    if (number < 0 || number >= matchCount()) return;
    m_search.at = number;
    m_keyboard = true;
    const SceneKey key = m_search.order[static_cast<std::size_t>(number)];
    if (m_scene->find(key) < 0) {
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
    m_minimap.isOld = true;
    update();
}

std::vector<std::vector<int>> GraphCanvas::touching() const
{
    std::vector<std::vector<int>> touching(m_scene->nodes.size());
    for (const SceneEdge &edge : m_scene->edges) {
        touching[edge.to].push_back(edge.from);
        touching[edge.from].push_back(edge.to);
    }
    return touching;
}

void GraphCanvas::showSlowestAround(SceneKey around, int applies)
{
    m_rings.path.clear();
    const std::vector<std::vector<int>> touching = this->touching();
    std::priority_queue<std::pair<double, int>> next; // what takes longest comes first
    if (const int start = m_scene->find(around); start >= 0) next.emplace(0, start);
    while (!next.empty() && applies > 0) {
        const int node = next.top().second;
        next.pop();
        if (m_rings.path.contains(m_scene->nodes[node].key)) continue;
        m_rings.path.insert(m_scene->nodes[node].key);
        applies -= isApply(m_scene->nodes[node].kind) ? 1 : 0;
        for (int other : touching[node]) next.emplace(m_scene->nodes[other].cost.seconds, other);
    }
    update();
}

void GraphCanvas::showNeighbours(SceneKey around, int steps)
{
    m_rings.path.clear();
    const std::vector<std::vector<int>> touching = this->touching();
    std::vector<int> now;
    if (const int start = m_scene->find(around); start >= 0) now.push_back(start);
    for (int step = 0; step <= steps; ++step) {
        std::vector<int> next;
        for (int node : now) {
            if (m_rings.path.contains(m_scene->nodes[node].key)) continue;
            m_rings.path.insert(m_scene->nodes[node].key);
            next.insert(next.end(), touching[node].begin(), touching[node].end());
        }
        now = std::move(next);
    }
    update();
}

void GraphCanvas::showPath(SceneKey from, Reach reach)
{
    m_rings.path.clear();
    std::vector<std::vector<int>> next(m_scene->nodes.size());
    for (const SceneEdge &edge : m_scene->edges) {
        if (reach == Reach::Inputs) next[edge.to].push_back(edge.from);
        else next[edge.from].push_back(edge.to);
    }
    std::vector<int> open;
    if (const int start = m_scene->find(from); start >= 0) open.push_back(start);
    while (!open.empty()) {
        const int node = open.back();
        open.pop_back();
        if (m_rings.path.contains(m_scene->nodes[node].key)) continue;
        m_rings.path.insert(m_scene->nodes[node].key);
        open.insert(open.end(), next[node].begin(), next[node].end());
    }
    update();
}

} // namespace views
