#include "views/graph/graph_scenes.h"

#include "views/common/node_title.h"
#include "views/common/text.h"
#include "views/graph/node_query.h"
#include "views/session/cost_texts.h"
#include "views/session/shared_words.h"
#include "views/session/value_marks.h"

#include <algorithm>
#include <cmath>

namespace views {

using profiler::GraphId;
using profiler::GraphReplica;

GraphScenes::GraphScenes(std::shared_ptr<const SessionData> session, std::shared_ptr<const GraphData> graph)
    : m_session(std::move(session)), m_graph(std::move(graph))
{
    collectFacts();
}

void GraphScenes::collectFacts()
{
    for (const profiler::GraphInfo &info : m_session->profile.graphs)
        if (info.parentGraph != profiler::kNoGraph) m_facts.nested[{info.parentGraph, info.parentApply}] = info;
    const GraphId id = m_graph->info.id;
    SharedWords words;
    m_facts.applies.reserve(m_graph->applies.size());
    for (const profiler::ApplyRow &row : m_graph->applies) {
        ApplyFacts facts;
        facts.number = row.optimizedIndex;
        facts.phase = words.of(row.createdPhase);
        const profiler::ApplyKey key{id, row.apply};
        if (const profiler::ApplyShare *cost = m_session->costs->find(key); cost && cost->row->calls > 0) {
            facts.cost.seconds = seconds(cost->row->nsPerCall);
            facts.cost.shareOfTotal = cost->share;
            facts.cost.shareOfSlowest = cost->shareOfSlowest;
        }
        m_facts.applies.emplace(key, facts);
    }
    std::unordered_map<std::uint32_t, const profiler::SourceLink *> most;
    for (const profiler::SourceLink &link : m_graph->sourceLinks)
        if (const profiler::SourceLink *&now = most[raw(link.apply)]; !now || link.share > now->share) now = &link;
    for (const auto &[apply, link] : most)
        if (const auto facts = m_facts.applies.find({id, profiler::ApplyId{apply}}); facts != m_facts.applies.end())
            facts->second.line = link->source.line;
    collectBytes(*m_graph);
    for (const profiler::FunctionInfo &function : m_session->functions)
        if (function.graph == m_graph->info.id)
            for (const profiler::FunctionUpdate &update : function.updates) m_facts.updates.insert(update.output, text(update.name));
}

// What each apply of the optimized graph takes from memory: its outputs but for those that are its inputs' memory again.
void GraphScenes::collectBytes(const GraphData &graph)
{
    if (!graph.final) return;
    double largest = 0;
    for (const profiler::VariableRow &row : graph.variables) {
        const profiler::ReplicaApply *owner = row.owner == profiler::kNoApply ? nullptr : graph.final->apply(row.owner);
        const auto facts = owner ? m_facts.applies.find({graph.info.id, row.owner}) : m_facts.applies.end();
        if (facts == m_facts.applies.end() || !row.inOptimized || row.bytes < 0) continue;
        const auto reuses = [&](const profiler::PortPair &pair) { return static_cast<int>(pair.output) == row.ownerPort; };
        const bool own = std::none_of(owner->views.begin(), owner->views.end(), reuses) &&
                         std::none_of(owner->destroys.begin(), owner->destroys.end(), reuses);
        double &bytes = facts->second.cost.bytes;
        bytes = std::max(bytes, 0.0) + (own ? static_cast<double>(row.bytes) : 0);
        largest = std::max(largest, bytes);
    }
    m_largestBytes = largest;
    if (largest <= 0) return;
    for (auto &[key, facts] : m_facts.applies)
        if (facts.cost.bytes >= 0) facts.cost.shareOfLargest = facts.cost.bytes / largest;
}

const GraphReplica &GraphScenes::replicaAt(int step)
{
    if (step == 0) return *m_graph->replica;
    if (isLast(step) && m_graph->final) return *m_graph->final;
    if (!m_replica)
        m_replica = std::make_unique<GraphReplica>(2 * step > stepCount() && m_graph->final ? *m_graph->final : *m_graph->replica);
    m_replica->goTo(isLast(step) ? stepCount() : step);
    return *m_replica;
}

std::shared_ptr<const profiler::Folding> GraphScenes::foldingAt(int step)
{
    const GraphReplica &replica = replicaAt(step);
    if (m_fold == FoldChoice::Nothing || (m_fold == FoldChoice::Automatic && replica.applyCount() < kFoldFrom)) return nullptr;
    const profiler::FoldBy by = m_fold == FoldChoice::Line    ? profiler::FoldBy::Line
                                : m_fold == FoldChoice::Scope ? profiler::FoldBy::Scope
                                                              : profiler::FoldBy::Repetition;
    const std::pair at(isLast(step) ? stepCount() : step, by);
    if (const auto known = m_foldings.find(at); known != m_foldings.end()) return known->second;
    std::erase_if(m_foldings, [&](const auto &each) { return each.first.first != 0 && each.first.first != stepCount(); });
    const profiler::ScriptInfo &script = m_session->script;
    std::vector<std::vector<std::string>> scopes;
    if (by == profiler::FoldBy::Scope) scopes = profiler::scopesOfText(script.text);
    profiler::FoldQuestion question;
    question.graph = &replica;
    question.by = by;
    question.links = &m_graph->sourceLinks.all();
    question.scopes = &scopes;
    question.script = script.path;
    auto folding = std::make_shared<const profiler::Folding>(profiler::foldGraph(question));
    m_foldings.emplace(at, folding);
    return folding;
}

QSet<SceneKey> GraphScenes::groupsAround(int step, const std::vector<profiler::ApplyId> &applies)
{
    constexpr std::size_t kMost = 40; // with more nothing would be left closed
    QSet<SceneKey> groups;
    const auto folding = foldingAt(step);
    if (!folding || applies.size() > kMost) return groups;
    for (profiler::ApplyId apply : applies)
        for (int group = folding->groupOf(apply); group >= 0; group = folding->groups[static_cast<std::size_t>(group)].parent)
            groups.insert(foldKey(raw(m_graph->info.id), folding->groups[static_cast<std::size_t>(group)]));
    return groups;
}

Scene GraphScenes::build(int step, const QSet<SceneKey> &open, std::set<profiler::ApplyId> drawn)
{
    const bool final = isLast(step);
    SceneRequest request;
    request.replica = &replicaAt(step);
    request.facts = &m_facts;
    request.numbers = final;
    request.times = final;
    request.open = open;
    request.drawn = std::move(drawn);
    request.folding = foldingAt(step);
    if (step == 0) addValues(request, Side::Original);
    else if (final) addValues(request, Side::Optimized);
    request.nestedReplica = [this, final](GraphId id) -> const GraphReplica * {
        const auto data = m_session->graph(id); // which the session keeps
        if (!data || !data->replica) return nullptr;
        return final && data->final ? data->final.get() : data->replica.get();
    };
    return buildScene(request);
}

void GraphScenes::addValues(SceneRequest &request, Side side) const
{
    const auto &marks = m_session->derived<ValueMarks>();
    if (!marks.has(m_graph->info.id)) return;
    const auto factsOf = [&marks](profiler::GraphId graph, const ValueMarks::OfNode *node) {
        ValueFacts facts;
        if (!node) return facts;
        const auto [least, largest] = marks.magnitudes(graph);
        facts.lostShare = node->lostShare;
        if (node->magnitude > 0) facts.magnitudePlace = largest > least ? std::log(node->magnitude / least) / std::log(largest / least) : 0;
        else if (node->magnitude == 0) facts.magnitudePlace = 0;
        facts.born = node->born;
        facts.bornSentence = node->sentence;
        return facts;
    };
    request.valuesOfApply = [&marks, factsOf, side](const profiler::ApplyKey &key) {
        return factsOf(key.graph, marks.ofApply(key.graph, side, key.apply));
    };
    request.valuesOfVariable = [&marks, factsOf, side](profiler::GraphId graph, profiler::VariableId id) {
        return factsOf(graph, marks.ofVariable(graph, side, id));
    };
}

SceneRequest GraphScenes::partOf(int step, const std::set<profiler::ApplyId> &only)
{
    SceneRequest request;
    request.replica = &replicaAt(step);
    request.facts = &m_facts;
    request.only = &only;
    return request;
}

Scene GraphScenes::original(const QSet<SceneKey> &open) { return build(0, open); }

namespace {

/// Which rows of the lineage belong to a step.
struct LineageOfSteps {
    explicit LineageOfSteps(const GraphData &graph) : rows(graph.steps.size())
    {
        for (std::size_t i = 0; i < graph.lineage.size(); ++i)
            if (const auto step = static_cast<std::size_t>(graph.lineage[i].step); step < rows.size()) rows[step].push_back(i);
    }
    std::vector<std::vector<std::size_t>> rows;
};

} // namespace

StepMarks GraphScenes::marksOf(int step) const
{
    StepMarks marks;
    marks.info = &m_graph->steps.at(static_cast<std::size_t>(step));
    for (std::size_t row : m_graph->derived<LineageOfSteps>().rows[static_cast<std::size_t>(step)])
        marks.lineage.push_back(m_graph->lineage[row]);
    if (m_graph->replica) readEdits(marks, m_graph->replica->edits(step));
    return marks;
}

namespace {

// Who reads results of these, where the replica stands.
std::set<profiler::ApplyId> readersOf(const GraphReplica &replica, const std::set<profiler::ApplyId> &applies)
{
    std::set<profiler::ApplyId> readers;
    for (profiler::ApplyId id : applies)
        if (const profiler::ReplicaApply *apply = replica.apply(id))
            for (profiler::VariableId output : apply->outputs)
                if (const profiler::ReplicaVariable *variable = replica.variable(output))
                    for (const auto &client : variable->clients) readers.insert(client.first);
    return readers;
}

} // namespace

Scene GraphScenes::at(int step, const QSet<SceneKey> &open, bool ghosts)
{
    const int shown = isLast(step) ? stepCount() : step;
    if (step < 0 || shown == 0 || shown >= static_cast<int>(m_graph->steps.size())) return build(shown, open);
    const StepMarks marks = marksOf(shown);
    const QSet<SceneKey> opened = open | groupsAround(shown, marks.info->produced);
    const auto marked = [&](const std::set<profiler::ApplyId> &drawn, const std::set<profiler::ApplyId> &drawnBefore) {
        Scene after = build(shown, opened, drawn);
        after.isForOnce = !drawn.empty() || !drawnBefore.empty();
        markStep(after, ghosts ? beforeStep(shown, marks, drawnBefore) : Scene(), marks);
        return after;
    };
    const auto shows = [](const Scene &scene) {
        return std::any_of(scene.nodes.begin(), scene.nodes.end(), [](const SceneNode &node) { return node.diff != DiffState::None; });
    };
    Scene after = marked({}, {});
    if (shows(after)) return after;
    // All that it changed is only seen in the titles of others: for once that is a node, or what went is.
    std::set<profiler::ApplyId> drawn = marks.come;
    for (const profiler::LineageRow &row : marks.lineage)
        if (row.fate == profiler::Fate::Merged && row.to != profiler::kNoApply) drawn.insert(row.to);
    if (!drawn.empty()) after = marked(drawn, {});
    if (shows(after) || marks.gone.empty() || !ghosts) return after;
    return marked(drawn, marks.gone);
}

// What a step took away, with what that read and who read it.
Scene GraphScenes::beforeStep(int step, const StepMarks &marks, std::set<profiler::ApplyId> drawn)
{
    std::set<profiler::ApplyId> touched = readersOf(replicaAt(step - 1), marks.gone);
    touched.insert(marks.gone.begin(), marks.gone.end());
    SceneRequest request = partOf(step - 1, touched);
    request.drawn = std::move(drawn);
    return buildScene(request);
}

std::optional<GraphScenes::AroundStep> GraphScenes::around(int step)
{
    const int shown = isLast(step) ? stepCount() : step;
    if (shown < 1 || shown >= static_cast<int>(m_graph->steps.size())) return std::nullopt;
    const StepMarks marks = marksOf(shown);
    std::set<profiler::ApplyId> touched = readersOf(replicaAt(shown - 1), marks.gone);
    for (const auto &ids : {marks.info->matched, marks.info->produced}) touched.insert(ids.begin(), ids.end());
    for (const auto *ids : {&marks.gone, &marks.come}) touched.insert(ids->begin(), ids->end());
    for (const profiler::LineageRow &row : marks.lineage)
        if (row.to != profiler::kNoApply) touched.insert(row.to);
    const auto partAt = [&](int at) {
        SceneRequest request = partOf(at, touched);
        request.inlineConstants = false;
        return buildScene(request);
    };
    AroundStep around{shown, partAt(shown - 1), partAt(shown), marks};
    markStep(around.after, around.before, around.marks);
    return around;
}

bool GraphScenes::endsPass(int step) const
{
    const auto at = static_cast<std::size_t>(step);
    return isLast(step) || (step > 0 && m_graph->steps[at].pass != m_graph->steps[at + 1].pass);
}

QHash<SceneKey, SceneKey> GraphScenes::heirs(int from, int to) const
{
    const int last = stepCount();
    const int a = from < 0 ? last : std::min(from, last);
    const int b = to < 0 ? last : std::min(to, last);
    if (b == a + 1 && b < static_cast<int>(m_graph->steps.size())) return successors(marksOf(b));
    if (a == b + 1 && a < static_cast<int>(m_graph->steps.size())) return ancestorsOf(successors(marksOf(a)));
    return {};
}

std::vector<SceneKey> GraphScenes::search(const QString &text, const profiler::Folding &folding) const
{
    std::vector<SceneKey> found;
    const NodeQuery query(text);
    const std::uint32_t graph = raw(m_graph->info.id);
    for (const profiler::ApplyRow &row : m_graph->applies) {
        if (!folding.innermost.contains(raw(row.apply))) continue;
        SceneNode node;
        node.kind = SceneKind::Apply;
        node.exactName = views::text(row.op);
        node.title = friendlyName(views::text(row.friendly));
        node.device = views::text(row.device);
        if (const auto facts = m_facts.applies.find({m_graph->info.id, row.apply}); facts != m_facts.applies.end()) {
            node.phase = facts->second.phase;
            node.line = facts->second.line;
            node.cost.seconds = facts->second.cost.seconds;
        }
        if (query.matches(node)) found.push_back(sceneKey(graph, SceneRole::Apply, raw(row.apply)));
    }
    return found;
}

SceneKey GraphScenes::keyOf(const NodeRef &node, Side side) const
{
    if (!node.isValid() || node.side != side) return kNoSceneKey;
    const auto graph = raw(m_graph->info.id);
    return sceneKey(graph, node.kind == NodeKind::Apply ? SceneRole::Apply : SceneRole::Variable, static_cast<std::uint32_t>(node.id));
}

NodeRef GraphScenes::nodeOf(SceneKey key, Side side) const
{
    if (key == kNoSceneKey) return {};
    const std::uint32_t id = sceneId(key);
    if (isFold(key)) return {side, NodeKind::Apply, id};
    switch (sceneRole(key)) {
    case SceneRole::Apply: return {side, NodeKind::Apply, id};
    case SceneRole::Variable: return {side, NodeKind::Variable, id};
    case SceneRole::Output: {
        // An output stands for its variable, and that for the apply that makes it.
        // Not the one that moves: that may be on its way in another thread.
        const GraphReplica &replica = side == Side::Original ? *m_graph->replica : *m_graph->final;
        if (id >= replica.outputs().size()) return {};
        const profiler::VariableId variable = replica.outputs()[id];
        const profiler::ReplicaVariable *found = replica.variable(variable);
        if (found && found->owner != profiler::kNoApply) return {side, NodeKind::Apply, raw(found->owner)};
        return {side, NodeKind::Variable, raw(variable)};
    }
    case SceneRole::Fold: break;
    }
    return {};
}

} // namespace views
