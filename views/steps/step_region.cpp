#include "views/steps/step_region.h"

#include <algorithm>

namespace views {
namespace {

// The members with their edges; whatever they read from outside becomes an input.
Scene cut(const Scene &scene, const QSet<SceneKey> &members, DiffState fallback)
{
    Scene part;
    QHash<int, int> place;
    auto take = [&](int index, bool inside) {
        if (const int known = place.value(index, -1); known >= 0) return known;
        SceneNode node = scene.nodes[index];
        node.parent = -1;
        node.open = false;
        node.number = -1;
        node.ghost = false;
        node.subtitle.clear();
        if (inside) {
            if (node.diff == DiffState::None) node.diff = fallback;
        } else {
            node.diff = DiffState::None;
            if (isApply(node.kind)) {
                node.kind = SceneKind::Input; // drawn as what it is from here: something given
                node.expandable = false;
            }
        }
        const int at = static_cast<int>(part.nodes.size());
        place.insert(index, at);
        part.nodes.push_back(std::move(node));
        return at;
    };
    // Readers in their order, arguments in theirs: boundary nodes come out in a stable order.
    for (const SceneEdge &edge : scene.edges) {
        if (edge.ghost || !members.contains(scene.nodes[edge.to].key)) continue;
        SceneEdge copy = edge;
        copy.from = take(edge.from, members.contains(scene.nodes[edge.from].key));
        copy.to = take(edge.to, true);
        part.edges.push_back(std::move(copy));
    }
    for (std::size_t i = 0; i < scene.nodes.size(); ++i)
        if (members.contains(scene.nodes[i].key) && !scene.nodes[i].ghost) take(static_cast<int>(i), true);
    part.rebuildIndex();
    return part;
}

// As something that is given: not by what makes it.
void addNode(Scene &part, SceneNode node)
{
    node.parent = -1;
    node.open = node.expandable = false;
    node.number = -1;
    node.diff = DiffState::None;
    node.subtitle.clear();
    if (isApply(node.kind)) node.kind = SceneKind::Input;
    part.index.insert(node.key, static_cast<int>(part.nodes.size()));
    part.nodes.push_back(std::move(node));
}

// Who reads a result: a reader that is there before and after, and its slot.
using Reading = QPair<SceneKey, int>;

// What survives and read something that went: at the same slot it now reads what took its place, which may be a constant or
// something that was there before.
void addSuccessors(Scene &part, const Scene &before, const Scene &after, const QSet<SceneKey> &gone)
{
    QSet<Reading> readings;
    for (const SceneEdge &edge : before.edges)
        if (!edge.ghost && gone.contains(before.nodes[edge.from].key) && !gone.contains(before.nodes[edge.to].key))
            readings.insert({before.nodes[edge.to].key, edge.slot});
    for (const SceneEdge &edge : after.edges) {
        const SceneNode &from = after.nodes[edge.from];
        if (edge.ghost || !readings.contains({after.nodes[edge.to].key, edge.slot}) || part.find(from.key) >= 0) continue;
        addNode(part, from);
    }
}

// Inputs of one side that the other side does not read stand there, too: what is the same is seen to be the same. Constants stand
// where they are read.
void shareInputs(Scene &part, const Scene &other)
{
    for (const SceneNode &node : other.nodes)
        if ((node.kind == SceneKind::Input || node.kind == SceneKind::Shared) && part.find(node.key) < 0) addNode(part, node);
}

} // namespace

StepRegion stepRegion(const Scene &before, const Scene &after, const StepMarks &marks)
{
    StepRegion region;
    if (!marks.info) return region;
    const std::uint32_t graph = profiler::raw(marks.info->graph);
    auto keyOf = [graph](profiler::ApplyId id) { return sceneKey(graph, SceneRole::Apply, profiler::raw(id)); };
    auto isHere = [](const Scene &scene, SceneKey key) {
        const SceneNode *node = scene.node(key);
        return node && !node->ghost;
    };
    QSet<SceneKey> gone, come;
    for (profiler::ApplyId id : marks.gone) gone.insert(keyOf(id));
    for (profiler::ApplyId id : marks.come) come.insert(keyOf(id));
    region.in = static_cast<int>(gone.size());
    region.out = static_cast<int>(come.size());
    // Where nothing came (a merge, a removal), the readers that were connected anew say what happened.
    QSet<SceneKey> left = gone, right = come;
    for (profiler::ApplyId id : marks.info->matched)
        if (isHere(before, keyOf(id))) left.insert(keyOf(id));
    for (profiler::ApplyId id : marks.info->produced)
        if (isHere(after, keyOf(id))) right.insert(keyOf(id));
    QSet<SceneKey> merged, twins; // what went into another that was there
    // What a merged or replaced apply became belongs to the picture, also when it was there before.
    for (const profiler::LineageRow &row : marks.lineage)
        if (row.to != profiler::kNoApply && gone.contains(keyOf(row.from))) {
            if (row.fate == profiler::Fate::Merged) merged.insert(keyOf(row.from)), twins.insert(keyOf(row.to));
            if (isHere(before, keyOf(row.to))) left.insert(keyOf(row.to));
            if (isHere(after, keyOf(row.to))) right.insert(keyOf(row.to));
        }
    region.before = cut(before, left, DiffState::None);
    region.after = cut(after, right, DiffState::None);
    addSuccessors(region.after, before, after, gone);
    shareInputs(region.after, region.before);
    shareInputs(region.before, region.after);
    for (SceneNode &node : region.before.nodes) {
        if (gone.contains(node.key)) node.diff = merged.contains(node.key) ? DiffState::Merged : DiffState::Dead;
        else node.diff = DiffState::None;
    }
    for (SceneNode &node : region.after.nodes) {
        if (!come.contains(node.key)) node.diff = twins.contains(node.key) ? DiffState::Merged : DiffState::None;
        else if (node.diff == DiffState::None) node.diff = DiffState::Created;
    }
    return region;
}

} // namespace views
