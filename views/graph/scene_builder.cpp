#include "views/graph/scene_builder.h"

#include "profiler/session/codec/inlined.h"
#include "views/common/counted.h"
#include "views/common/formats.h"
#include "views/common/node_title.h"
#include "views/common/text.h"
#include "views/graph/fold_node.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace views {
namespace {

using profiler::ApplyId;
using profiler::GraphReplica;
using profiler::ReplicaApply;
using profiler::ReplicaVariable;
using profiler::VariableId;
using profiler::VariableKind;

class Builder {
public:
    Builder(const SceneRequest &request, Scene &scene, const GraphReplica &replica, int parent, int depth)
        : m_request(request), m_scene(scene), m_replica(replica), m_parent(parent), m_depth(depth), m_graph(profiler::raw(replica.graph()))
    {}

    void build()
    {
        if (m_depth == 0 && m_request.only) {
            buildPart(*m_request.only);
            return;
        }
        for (VariableId id : m_replica.inputs()) addVariable(id);
        const std::vector<ApplyId> applies = m_replica.toposort();
        if (m_depth == 0 && m_request.folding) {
            addFolded(applies);
        } else {
            for (ApplyId id : applies)
                if (const int node = addApply(id); node >= 0) connect(id, node);
        }
        for (std::size_t i = 0; i < m_replica.outputs().size(); ++i) addOutput(static_cast<int>(i));
        for (const profiler::ApplyGroup &group : m_replica.groups()) addFrame(group);
        addFoldFrames();
    }

private:
    static constexpr int kDeepest = 8;

    void buildPart(const std::set<ApplyId> &only)
    {
        std::set<ApplyId> open = only;
        const std::function<void(ApplyId)> visit = [&](ApplyId id) { // what it reads first
            const ReplicaApply *apply = m_replica.apply(id);
            if (open.erase(id) == 0 || !apply || !apply->live) return;
            for (VariableId input : apply->inputs)
                if (const ReplicaVariable *variable = m_replica.variable(input); variable && variable->owner != profiler::kNoApply)
                    visit(variable->owner);
            if (const int node = addApply(id); node >= 0) connect(id, node);
        };
        for (ApplyId id : only) visit(id);
        for (std::size_t i = 0; i < m_replica.outputs().size(); ++i) {
            const ReplicaVariable *variable = m_replica.variable(m_replica.outputs()[i]);
            if (variable && only.contains(variable->owner)) addOutput(static_cast<int>(i));
        }
    }

    int add(SceneNode node)
    {
        node.parent = m_parent;
        const int at = static_cast<int>(m_scene.nodes.size());
        m_scene.index.insert(node.key, at);
        m_scene.nodes.push_back(std::move(node));
        return at;
    }

    int addVariable(VariableId id)
    {
        const SceneKey key = sceneKey(m_graph, SceneRole::Variable, profiler::raw(id));
        if (const int known = m_scene.find(key); known >= 0) return known;
        const ReplicaVariable *variable = m_replica.variable(id);
        SceneNode node;
        node.key = key;
        node.title = text(m_replica.label(id));
        node.kind = SceneKind::Input;
        if (variable) {
            node.type = text(m_replica.text(variable->type));
            if (variable->kind == VariableKind::Shared) node.kind = SceneKind::Shared;
            else if (variable->kind == VariableKind::Constant) node.kind = SceneKind::Constant;
            if (node.kind == SceneKind::Constant && !m_replica.text(variable->value).empty())
                node.title = text(m_replica.text(variable->value));
            node.shape = node.kind == SceneKind::Shared ? text(m_replica.text(variable->value)) : QString();
        }
        node.exactName = node.title;
        if (m_request.valuesOfVariable) node.values = m_request.valuesOfVariable(m_replica.graph(), id);
        return add(std::move(node));
    }

    [[nodiscard]] const std::set<ApplyId> &drawn() const
    {
        static const std::set<ApplyId> none;
        return m_depth == 0 ? m_request.drawn : none;
    }

    // The text of a constant that stands in the title instead of in a node of its own.
    QString inlined(VariableId id) const
    {
        const std::string *value = m_request.inlineConstants ? profiler::inlinedConstant(m_replica, id, drawn()) : nullptr;
        return value ? text(*value) : QString();
    }

    // Every reader shows it in its own title.
    bool isInlinedApply(const ReplicaApply &apply) const
    {
        return m_request.inlineConstants && profiler::isInlined(m_replica, apply, drawn());
    }

    [[nodiscard]] std::vector<QString> argumentsOf(const ReplicaApply &apply) const
    {
        std::vector<QString> arguments;
        for (VariableId input : apply.inputs) arguments.push_back(inlined(input));
        return arguments;
    }

    // -1: it is only seen in the titles of its readers.
    int addApply(ApplyId id)
    {
        const ReplicaApply *apply = m_replica.apply(id);
        if (!apply) return -1;
        if (isInlinedApply(*apply)) {
            m_scene.inlinedApplies += m_depth == 0;
            return -1;
        }
        const profiler::ApplyKey key{m_replica.graph(), id};
        SceneNode node;
        node.key = sceneKey(m_graph, SceneRole::Apply, profiler::raw(id));
        node.exactName = text(m_replica.text(apply->op));
        QString friendly = friendlyName(text(m_replica.text(apply->friendly)));
        if (friendly.isEmpty()) friendly = node.exactName;
        node.title = nodeTitle(friendly, argumentsOf(*apply));
        node.kind = apply->views.empty() ? SceneKind::Apply : SceneKind::View;
        node.device = text(m_replica.text(apply->device));
        node.onDevice = !node.device.isEmpty() && node.device != QStringLiteral("cpu");
        if (!apply->outputs.empty())
            if (const ReplicaVariable *output = m_replica.variable(apply->outputs.front())) {
                node.type = text(m_replica.text(output->type));
                node.subtitle = text(m_replica.text(output->name));
            }
        const profiler::GraphInfo *held = addFacts(key, node);
        const bool opens = held && m_request.open.contains(node.key) && m_depth < kDeepest && m_request.nestedReplica;
        node.open = opens && m_request.nestedReplica(held->id) != nullptr;
        return add(std::move(node));
    }

    // The edges of an apply, and what it shows opened.
    void connect(ApplyId id, int to)
    {
        const ReplicaApply &apply = *m_replica.apply(id);
        const int count = static_cast<int>(apply.inputs.size());
        const std::vector<QString> arguments = argumentsOf(apply);
        for (int slot = 0; slot < count; ++slot) {
            if (!arguments[slot].isEmpty()) continue;
            addEdge(apply.inputs[slot], to, slot, count, edgeKind(apply, slot));
        }
        if (!m_scene.nodes[to].open) return;
        const auto held = m_request.facts->nested.find({m_replica.graph(), id});
        Builder(m_request, m_scene, *m_request.nestedReplica(held->second.id), to, m_depth + 1).build();
    }

    [[nodiscard]] bool isOpen(int group) const { return m_open[group]; }

    // Applies of a closed group stand as one node. All nodes first: a group may read what comes behind its first apply.
    void addFolded(const std::vector<ApplyId> &applies)
    {
        const profiler::Folding &folding = *m_request.folding;
        m_scene.folding = m_request.folding;
        m_scene.foldedGraph = m_graph;
        m_open.resize(folding.groups.size());
        for (std::size_t i = 0; i < m_open.size(); ++i) m_open[i] = m_request.open.contains(foldKey(m_graph, folding.groups[i]));
        m_foldNode.assign(folding.groups.size(), -1);
        std::vector<std::pair<ApplyId, int>> seen;
        for (ApplyId id : applies) {
            const int group = folding.seenAs(id, [this](int each) { return isOpen(each); });
            if (group < 0) {
                if (const int node = addApply(id); node >= 0) seen.emplace_back(id, node);
                continue;
            }
            int &node = m_foldNode[group];
            if (node < 0) node = add(foldNode(m_graph, folding, group));
            m_hidden.emplace(raw(id), node);
            seen.emplace_back(id, node);
            if (m_request.facts) addTo(m_scene.nodes[node], {m_replica.graph(), id});
        }
        for (const auto &[id, node] : seen) {
            if (!m_scene.nodes[node].holds) {
                connect(id, node);
                continue;
            }
            for (VariableId input : m_replica.apply(id)->inputs) {
                const ReplicaVariable *variable = m_replica.variable(input);
                if (variable && variable->kind != VariableKind::Constant && inlined(input).isEmpty())
                    addEdge(input, node, 0, 1, SceneEdgeKind::Data);
            }
        }
        for (int node : m_foldNode)
            if (node >= 0) finishFold(node);
        double slowest = 0, largest = 0;
        for (const SceneNode &node : m_scene.nodes) {
            slowest = std::max(slowest, node.cost.seconds);
            largest = std::max(largest, node.cost.bytes);
        }
        for (SceneNode &node : m_scene.nodes) {
            if (node.cost.seconds >= 0 && slowest > 0) node.cost.shareOfSlowest = node.cost.seconds / slowest;
            if (node.cost.bytes >= 0 && largest > 0) node.cost.shareOfLargest = node.cost.bytes / largest;
        }
        std::unordered_map<int, int> slots;
        for (SceneEdge &edge : m_scene.edges)
            if (m_scene.nodes[edge.to].holds) edge.slot = slots[edge.to]++;
        for (SceneEdge &edge : m_scene.edges)
            if (m_scene.nodes[edge.to].holds) edge.slotCount = slots[edge.to];
    }

    void addTo(SceneNode &fold, const profiler::ApplyKey &key)
    {
        const auto found = m_request.facts->applies.find(key);
        if (found == m_request.facts->applies.end()) return;
        const ApplyFacts &facts = found->second;
        if (facts.cost.seconds >= 0) {
            fold.cost.seconds = std::max(0.0, fold.cost.seconds) + facts.cost.seconds;
            fold.cost.shareOfTotal = std::max(0.0, fold.cost.shareOfTotal) + facts.cost.shareOfTotal;
        }
        if (facts.cost.bytes >= 0) fold.cost.bytes = std::max(0.0, fold.cost.bytes) + facts.cost.bytes;
        double &slowest = m_slowest[fold.key];
        if (fold.slowest == kNoSceneKey || facts.cost.seconds > slowest) {
            slowest = facts.cost.seconds;
            fold.slowest = sceneKey(m_graph, SceneRole::Apply, profiler::raw(key.apply));
        }
    }

    void finishFold(int at)
    {
        SceneNode &node = m_scene.nodes[at];
        if (node.slowest == kNoSceneKey) node.slowest = sceneKey(m_graph, SceneRole::Apply, sceneId(node.key));
        node.subtitle = formats::counted(node.holds, formats::Thing::Apply);
        if (m_request.times && node.cost.seconds >= 0)
            node.subtitle += QStringLiteral(" · %1 · %2").arg(formats::time(node.cost.seconds), formats::percent(node.cost.shareOfTotal));
    }

    // Around what is seen of an opened group; outer ones first.
    void addFoldFrames()
    {
        if (m_depth > 0 || !m_scene.folding) return;
        const profiler::Folding &folding = *m_scene.folding;
        std::map<int, std::vector<int>> members;
        for (std::size_t i = 0; i < m_scene.nodes.size(); ++i) {
            const SceneNode &node = m_scene.nodes[i];
            if (node.parent >= 0 || !isApply(node.kind) || sceneRole(node.key) == SceneRole::Output) continue;
            int group = folding.groupOf(ApplyId{sceneId(node.key)});
            while (group >= 0 && !isOpen(group)) group = folding.groups[group].parent;
            for (; group >= 0; group = folding.groups[group].parent) members[group].push_back(static_cast<int>(i));
        }
        for (auto &[group, inside] : members) {
            SceneFrame frame;
            frame.fold = foldKey(m_graph, folding.groups[group]);
            frame.caption = foldNode(m_graph, folding, group).title;
            frame.members = std::move(inside);
            m_scene.frames.push_back(std::move(frame));
        }
    }

    const profiler::GraphInfo *addFacts(const profiler::ApplyKey &key, SceneNode &node) const
    {
        if (m_request.valuesOfApply) node.values = m_request.valuesOfApply(key);
        if (!m_request.facts) return nullptr;
        if (const auto found = m_request.facts->applies.find(key); found != m_request.facts->applies.end()) {
            const ApplyFacts &facts = found->second;
            node.phase = facts.phase;
            node.line = facts.line;
            node.warning = facts.warning;
            node.cost = facts.cost;
            if (m_request.numbers) node.number = facts.number;
            if (facts.transfer) node.kind = SceneKind::Transfer;
            constexpr double kWorthTelling = 0.01; // of the total: below, the fill says enough
            if (m_request.times && facts.cost.seconds >= 0 && facts.cost.shareOfTotal >= kWorthTelling)
                node.subtitle = QStringLiteral("%1 · %2").arg(formats::time(facts.cost.seconds), formats::percent(facts.cost.shareOfTotal));
        }
        const auto nested = m_request.facts->nested.find(key);
        if (nested == m_request.facts->nested.end()) return nullptr;
        node.expandable = true;
        if (nested->second.kind != profiler::GraphKind::Composite) node.inner = raw(nested->second.id);
        node.kind = nested->second.kind == profiler::GraphKind::Composite ? SceneKind::Composite : SceneKind::Group;
        if (node.kind == SceneKind::Group && node.subtitle.isEmpty())
            node.subtitle = tr("holds %1").arg(formats::counted(nested->second.appliesOptimized, formats::Thing::Apply));
        return &nested->second;
    }

    [[nodiscard]] int nodeOf(ApplyId id) const
    {
        const int node = m_scene.find(sceneKey(m_graph, SceneRole::Apply, profiler::raw(id)));
        if (node >= 0 || m_hidden.empty()) return node;
        const auto hidden = m_hidden.find(profiler::raw(id));
        return hidden == m_hidden.end() ? -1 : hidden->second;
    }

    static SceneEdgeKind edgeKind(const ReplicaApply &apply, int slot)
    {
        auto names = [slot](const profiler::PortPair &pair) { return static_cast<int>(pair.input) == slot; };
        if (std::any_of(apply.destroys.begin(), apply.destroys.end(), names)) return SceneEdgeKind::Destroy;
        if (std::any_of(apply.views.begin(), apply.views.end(), names)) return SceneEdgeKind::View;
        return SceneEdgeKind::Data;
    }

    void addEdge(VariableId id, int to, int slot, int slotCount, SceneEdgeKind kind)
    {
        const ReplicaVariable *variable = m_replica.variable(id);
        SceneEdge edge;
        edge.to = to;
        edge.slot = slot;
        edge.slotCount = slotCount;
        edge.kind = m_scene.nodes[to].kind == SceneKind::Transfer ? SceneEdgeKind::Transfer : kind;
        if (variable) {
            edge.type = text(m_replica.text(variable->type));
            edge.port = variable->ownerPort;
        }
        const bool made = variable && variable->kind == VariableKind::Result;
        // Of a part what is read stands there alone, without what makes it.
        if (made && m_request.only && m_depth == 0 && nodeOf(variable->owner) < 0) addApply(variable->owner);
        const int owner = made ? nodeOf(variable->owner) : -1;
        edge.from = owner >= 0 ? owner : addVariable(id);
        if (m_scene.nodes[edge.from].holds || m_scene.nodes[to].holds) { // one line, however many there are
            if (edge.from == to) return;
            const auto key = std::uint64_t{static_cast<std::uint32_t>(edge.from)} << 32 | static_cast<std::uint32_t>(to);
            const auto [known, fresh] = m_bundles.try_emplace(key, m_scene.edges.size());
            if (!fresh) {
                ++m_scene.edges[known->second].count;
                return;
            }
            edge.slot = 0;
            edge.slotCount = 1;
        }
        m_scene.edges.push_back(std::move(edge));
    }

    void addOutput(int index)
    {
        const VariableId id = m_replica.outputs()[index];
        const ReplicaVariable *variable = m_replica.variable(id);
        SceneNode node;
        node.key = sceneKey(m_graph, SceneRole::Output, static_cast<std::uint32_t>(index));
        node.kind = SceneKind::Output;
        if (m_request.facts && m_depth == 0) node.title = m_request.facts->updates.value(index);
        if (!node.title.isEmpty()) node.exactName = tr("new value of %1").arg(node.title);
        else if (variable && !m_replica.text(variable->name).empty()) node.title = text(m_replica.text(variable->name));
        else node.title = tr("out %1").arg(index);
        if (node.exactName.isEmpty()) node.exactName = node.title;
        if (variable) node.type = text(m_replica.text(variable->type));
        const int to = add(std::move(node));
        addEdge(id, to, 0, 1, SceneEdgeKind::Data);
    }

    void addFrame(const profiler::ApplyGroup &group)
    {
        SceneFrame frame;
        frame.runsAsOne = group.runsAsOne;
        frame.rewrite = text(group.rewrite);
        frame.caption = group.runsAsOne ? tr("one kernel") : tr("may run as one kernel");
        for (ApplyId id : group.applies)
            if (const int member = m_scene.find(sceneKey(m_graph, SceneRole::Apply, profiler::raw(id))); member >= 0)
                frame.members.push_back(member);
        if (frame.members.size() > 1) m_scene.frames.push_back(std::move(frame));
    }

    const SceneRequest &m_request;
    Scene &m_scene;
    const GraphReplica &m_replica;
    int m_parent;
    int m_depth;
    std::uint32_t m_graph;
    // Of the folding.
    std::vector<char> m_open;
    std::vector<int> m_foldNode;                              // of each group
    std::unordered_map<std::uint32_t, int> m_hidden;          // apply → node of its group
    std::unordered_map<std::uint64_t, std::size_t> m_bundles; // edge of two nodes
    QHash<SceneKey, double> m_slowest;
};

SceneKey applyKey(const StepMarks &marks, ApplyId id)
{
    return sceneKey(profiler::raw(marks.info->graph), SceneRole::Apply, profiler::raw(id));
}

DiffState stateOf(profiler::Fate fate)
{
    switch (fate) {
    case profiler::Fate::Fused: return DiffState::Fused;
    case profiler::Fate::Moved: return DiffState::Moved;
    case profiler::Fate::Replaced: return DiffState::Replaced;
    case profiler::Fate::Merged: return DiffState::Merged;
    case profiler::Fate::Kept:
    case profiler::Fate::Constant:
    case profiler::Fate::Dead: break;
    }
    return DiffState::Created;
}

} // namespace

Scene buildScene(const SceneRequest &request)
{
    Scene scene;
    if (request.replica) Builder(request, scene, *request.replica, -1, 0).build();
    return scene;
}

QHash<SceneKey, SceneKey> successors(const StepMarks &marks)
{
    QHash<SceneKey, SceneKey> next;
    for (const profiler::LineageRow &row : marks.lineage)
        if (row.to != profiler::kNoApply && row.fate != profiler::Fate::Kept)
            next.insert(applyKey(marks, row.from), applyKey(marks, row.to));
    return next;
}

void readEdits(StepMarks &marks, const std::vector<profiler::Edit> &edits)
{
    for (const profiler::Edit &edit : edits) {
        if (const auto *added = std::get_if<profiler::AddApply>(&edit)) {
            if (marks.gone.erase(added->id) == 0) marks.come.insert(added->id);
        } else if (const auto *pruned = std::get_if<profiler::PruneApply>(&edit)) {
            if (marks.come.erase(pruned->apply) == 0) marks.gone.insert(pruned->apply);
        }
    }
}

void markStep(Scene &after, const Scene &before, const StepMarks &marks)
{
    if (!marks.info) return;
    for (ApplyId id : marks.come)
        if (const int at = after.find(applyKey(marks, id)); at >= 0) after.nodes[at].diff = DiffState::Created;
    QHash<SceneKey, int> predecessors;
    const QHash<SceneKey, SceneKey> next = successors(marks);
    for (SceneKey to : next) ++predecessors[to];
    std::set<ApplyId> merged;
    for (const profiler::LineageRow &row : marks.lineage) {
        const int at = row.to == profiler::kNoApply ? -1 : after.find(applyKey(marks, row.to));
        if (at < 0) continue;
        if (marks.come.contains(row.to)) after.nodes[at].diff = stateOf(row.fate);
        else if (row.fate == profiler::Fate::Merged) after.nodes[at].diff = DiffState::Merged; // it was there: its twin came to it
        if (row.fate == profiler::Fate::Merged) merged.insert(row.from);
    }
    // A single node that took the place of a single one stands where that stood: no ghost.
    QHash<int, int> ghostIndex;
    for (ApplyId id : marks.gone) {
        const int i = before.find(applyKey(marks, id));
        if (i < 0 || before.nodes[i].ghost) continue;
        const SceneNode &old = before.nodes[i];
        const auto heir = next.constFind(old.key);
        if (heir != next.constEnd() && predecessors.value(*heir) == 1 && marks.come.contains(profiler::ApplyId{sceneId(*heir)}) &&
            after.find(*heir) >= 0)
            continue;
        SceneNode ghost = old;
        ghost.ghost = true;
        ghost.diff = merged.contains(id) ? DiffState::Merged : DiffState::Dead;
        ghost.number = -1;
        ghost.open = false;
        ghost.pill.clear();
        ghostIndex.insert(i, static_cast<int>(after.nodes.size()));
        after.index.insert(ghost.key, static_cast<int>(after.nodes.size()));
        after.nodes.push_back(std::move(ghost));
    }
    for (const SceneEdge &old : before.edges) {
        const int ghostFrom = ghostIndex.value(old.from, -1), ghostTo = ghostIndex.value(old.to, -1);
        if (old.ghost || (ghostFrom < 0 && ghostTo < 0)) continue;
        SceneEdge edge = old;
        edge.ghost = true;
        edge.from = ghostFrom >= 0 ? ghostFrom : after.find(before.nodes[old.from].key);
        edge.to = ghostTo >= 0 ? ghostTo : after.find(before.nodes[old.to].key);
        if (edge.from >= 0 && edge.to >= 0) after.edges.push_back(std::move(edge));
    }
}

} // namespace views
