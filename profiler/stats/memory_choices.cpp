#include "profiler/stats/memory_choices.h"

#include "engine/liveness/cost.h"
#include "engine/liveness/sizes.h"
#include "profiler/memory/memory.h"

#include <set>

namespace profiler {
namespace {

void readPlan(const ProfileData &data, const PlanInfo &plan, PlanFacts &facts)
{
    std::set<GraphId> graphs;
    for (const BufferRow &row : facts.buffers) graphs.insert(row.graph);
    for (const VariableRow &variable : data.variables)
        if (variable.isOutput && graphs.contains(variable.graph)) facts.outputs.insert(variable.variable);
    for (const PlanItem &item : data.planItems)
        if (item.function == plan.function && item.plan == plan.plan && item.group >= 0)
            facts.passes[{item.graph, item.apply}] = item.group;
    std::set<ApplyKey> holdGraphs;
    for (const GraphInfo &graph : data.graphs)
        if (graph.kind == GraphKind::Scan || graph.kind == GraphKind::OpFromGraph)
            holdGraphs.insert({graph.parentGraph, graph.parentApply});
    for (const ApplyRow &apply : data.applies) {
        const ApplyKey key{apply.graph, apply.apply};
        if (!apply.inOptimized || !graphs.contains(apply.graph) || apply.implementation == "Py" || holdGraphs.contains(key)) continue;
        facts.repeats[key] = liveness::repeatCost(apply.flops, apply.costBytes);
    }
}

} // namespace

MemoryChoices memoryChoices(const ProfileData &data, FunctionId function)
{
    MemoryChoices choices;
    choices.plan = mainPlan(data, function);
    if (choices.plan.function != function) {
        choices.whyNone = "it was not called, so no memory was planned";
        return choices;
    }
    for (const FunctionInfo &info : data.functions)
        if (info.id == function && info.stages > 1)
            choices.whyNone = "it runs in " + std::to_string(info.stages) +
                              " stages, as some sizes are known only while it runs: what another plan would take cannot be said before";
    choices.buffers = mainPlanBuffers(data, function);
    for (const auto &[device, bytes] : peaksByDevice(choices.buffers))
        if (device != "cpu") choices.otherDevices.emplace_back(device, bytes);
    if (!choices.whyNone.empty()) return choices;
    choices.beside = {choices.plan.workBytes, choices.plan.arenaBytes};
    choices.facts.buffers = choices.buffers;
    choices.facts.inputs = data.inputs;
    readPlan(data, choices.plan, choices.facts);
    std::map<VariableId, std::string> types;
    std::set<GraphId> graphs;
    for (const BufferRow &row : choices.buffers) graphs.insert(row.graph);
    for (const VariableRow &variable : data.variables)
        if (graphs.contains(variable.graph)) types[variable.variable] = variable.type;
    choices.all = memoryAlternatives(choices.facts, types, choices.beside);
    return choices;
}

MemoryAlternative planForBudget(const MemoryChoices &choices, std::int64_t budget)
{
    return planForBudget(choices.facts, budget, choices.beside);
}

std::int64_t bytesNamed(const std::string &text) { return liveness::bytesNamed(text); }

} // namespace profiler
