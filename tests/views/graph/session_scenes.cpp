#include "tests/views/graph/session_scenes.h"

#include <algorithm>
#include <stdexcept>

namespace views::demo {

SessionScenes::SessionScenes(profiler::SessionReader &reader, const std::string &function)
{
    for (const profiler::FunctionInfo &info : reader.functions()) {
        if (info.name != function) continue;
        steps = reader.steps(info.graph);
        const profiler::GraphRows rows = reader.graphRows(info.graph);
        passes = rows.passes;
        rewrites = reader.rewrites();
        m_lineage = profiler::lineageOf(rows.steps);
        m_replica = std::make_unique<profiler::GraphReplica>(reader.replica(info.graph));
        for (const profiler::GraphInfo &graph : reader.graphs())
            if (graph.parentGraph == info.graph) {
                m_facts.nested[{graph.parentGraph, graph.parentApply}] = graph;
                m_nested[graph.id] = std::make_unique<profiler::GraphReplica>(reader.replica(graph.id));
            }
        for (const profiler::ApplyRow &row : rows.applies) {
            ApplyFacts facts;
            facts.number = row.optimizedIndex;
            facts.phase = QString::fromStdString(row.createdPhase);
            m_facts.applies[{info.graph, row.apply}] = facts;
        }
        double total = 0, slowest = 0;
        auto perCall = [](const profiler::ApplyStats &stats) {
            return stats.calls > 0 ? 1e-9 * static_cast<double>(stats.totalNs) / static_cast<double>(stats.calls) : 0;
        };
        for (const profiler::ApplyStats &stats : reader.applyStats())
            if (stats.graph == info.graph && stats.steady) {
                total += perCall(stats);
                slowest = std::max(slowest, perCall(stats));
            }
        for (const profiler::ApplyStats &stats : reader.applyStats())
            if (stats.graph == info.graph && stats.steady && total > 0) {
                ApplyFacts &facts = m_facts.applies[{stats.graph, stats.apply}];
                facts.cost.seconds = perCall(stats);
                facts.cost.shareOfTotal = facts.cost.seconds / total;
                facts.cost.shareOfSlowest = facts.cost.seconds / slowest;
            }
        for (const profiler::FunctionUpdate &update : info.updates)
            m_facts.updates.insert(update.output, QString::fromStdString(update.name));
        return;
    }
    throw std::runtime_error("no function named " + function);
}

Scene SessionScenes::at(int step, const QSet<SceneKey> &open, bool inlineConstants)
{
    m_replica->goTo(step);
    SceneRequest request;
    request.replica = m_replica.get();
    request.facts = &m_facts;
    request.numbers = request.times = step == stepCount();
    request.open = open;
    request.inlineConstants = inlineConstants;
    request.nestedReplica = [this](profiler::GraphId id) -> const profiler::GraphReplica * {
        const auto found = m_nested.find(id);
        return found == m_nested.end() ? nullptr : found->second.get();
    };
    return buildScene(request);
}

StepMarks SessionScenes::marks(int step) const
{
    StepMarks marks;
    marks.info = &steps.at(static_cast<std::size_t>(step));
    for (const profiler::LineageRow &row : m_lineage)
        if (row.step == step) marks.lineage.push_back(row);
    readEdits(marks, m_replica->edits(step));
    return marks;
}

Scene SessionScenes::marked(int step, bool inlineConstants)
{
    const Scene before = at(step - 1, {}, inlineConstants);
    Scene after = at(step, {}, inlineConstants);
    markStep(after, before, marks(step));
    return after;
}

} // namespace views::demo
