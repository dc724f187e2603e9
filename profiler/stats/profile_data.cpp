#include "profiler/stats/profile_data.h"

#include "profiler/session/reader.h"

#include <algorithm>
#include <iterator>

namespace profiler {

namespace {

template <class Row>
void append(std::vector<Row> &to, std::vector<Row> from)
{
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

const FunctionInfo *functionOf(const ProfileData &data, FunctionId id)
{
    const auto found = std::find_if(data.functions.begin(), data.functions.end(), [id](const FunctionInfo &each) { return each.id == id; });
    return found == data.functions.end() ? nullptr : &*found;
}

void readGraphs(SessionReader &reader, ProfileData &data)
{
    data.applies = reader.applies();
    data.sources = reader.sourceLinks();
    data.variables = reader.variables();
    data.inputs = reader.applyInputs();
    data.origins = reader.origins();
    for (const GraphInfo &graph : data.graphs) {
        if (graph.kind == GraphKind::Composite) continue; // nothing but what step 0 builds, and there may be thousands
        append(data.passes, reader.passes(graph.id));
        append(data.passRewrites, reader.passRewrites(graph.id));
        append(data.rewriteCounts, reader.rewriteCounts(graph.id));
        for (Decline &one : reader.declines(graph.id))
            if (one.last) data.declines.push_back(std::move(one));
    }
}

void copyGraphs(const ProfileData &from, ProfileData &data)
{
    data.applies = from.applies;
    data.sources = from.sources;
    data.variables = from.variables;
    data.inputs = from.inputs;
    data.passes = from.passes;
    data.passRewrites = from.passRewrites;
    data.origins = from.origins;
    data.rewriteCounts = from.rewriteCounts;
    data.declines = from.declines;
}

} // namespace

bool isUnchanged(const GraphInfo &graph, const ProfileData &now, const ProfileData &before)
{
    const auto known = std::find_if(before.graphs.begin(), before.graphs.end(), [&](const GraphInfo &each) { return each.id == graph.id; });
    if (known == before.graphs.end() || now.info.state != before.info.state || known->stepCount != graph.stepCount ||
        known->appliesOriginal != graph.appliesOriginal || known->appliesOptimized != graph.appliesOptimized || known->label != graph.label)
        return false;
    const FunctionInfo *function = functionOf(now, graph.function);
    const FunctionInfo *then = functionOf(before, graph.function);
    return !function || (then && then->state == function->state && (then->run.calls > 0) == (function->run.calls > 0));
}

ProfileData loadProfile(SessionReader &reader, const ProfileData *before)
{
    ProfileData data;
    data.info = reader.info();
    data.flags = reader.flags();
    data.functions = reader.functions();
    data.graphs = reader.graphs();
    const bool unchanged =
        before && before->graphs.size() == data.graphs.size() &&
        std::all_of(data.graphs.begin(), data.graphs.end(), [&](const GraphInfo &graph) { return isUnchanged(graph, data, *before); });
    if (unchanged) copyGraphs(*before, data);
    else readGraphs(reader, data);
    data.stats = reader.applyStats();
    data.transfers = reader.transfers();
    data.deviceKernels = reader.deviceKernels();
    data.machine = reader.machine();
    data.roofs = reader.roofs();
    data.clocks = reader.clocks();
    data.drops = reader.drops();
    data.checks = reader.checks();
    for (const FunctionInfo &function : data.functions) {
        append(data.plans, reader.plans(function.id));
        append(data.planItems, reader.planItems(function.id));
        append(data.buffers, reader.buffers(function.id));
    }
    return data;
}

PlanInfo mainPlan(const ProfileData &data, FunctionId function)
{
    const PlanInfo *best = nullptr;
    for (const PlanInfo &plan : data.plans)
        if (plan.function == function && (!best || plan.uses > best->uses)) best = &plan;
    return best ? *best : PlanInfo{};
}

std::vector<BufferRow> mainPlanBuffers(const ProfileData &data, FunctionId function)
{
    const PlanInfo best = mainPlan(data, function);
    std::vector<BufferRow> buffers;
    for (const BufferRow &row : data.buffers)
        if (best.function == function && row.function == function && row.plan == best.plan) buffers.push_back(row);
    return buffers;
}

} // namespace profiler
