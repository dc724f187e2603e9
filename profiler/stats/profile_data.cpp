#include "profiler/stats/profile_data.h"

#include "profiler/session/reader.h"

#include <iterator>

namespace profiler {

namespace {

template <class Row>
void append(std::vector<Row> &to, std::vector<Row> from) {
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

} // namespace

ProfileData loadProfile(SessionReader &reader) {
    ProfileData data;
    data.info = reader.info();
    data.flags = reader.flags();
    data.functions = reader.functions();
    data.graphs = reader.graphs();
    data.applies = reader.applies();
    data.stats = reader.applyStats();
    data.sources = reader.sourceLinks();
    data.transfers = reader.transfers();
    data.deviceKernels = reader.deviceKernels();
    data.variables = reader.variables();
    data.inputs = reader.applyInputs();
    data.machine = reader.machine();
    data.roofs = reader.roofs();
    data.clocks = reader.clocks();
    data.drops = reader.drops();
    data.checks = reader.checks();
    for (const GraphInfo &graph : data.graphs) {
        append(data.passes, reader.passes(graph.id));
        append(data.passRewrites, reader.passRewrites(graph.id));
        append(data.origins, reader.origins(graph.id));
        append(data.rewriteCounts, reader.rewriteCounts(graph.id));
        for (Decline &one : reader.declines(graph.id))
            if (one.last)
                data.declines.push_back(std::move(one));
    }
    for (const FunctionInfo &function : data.functions) {
        append(data.plans, reader.plans(function.id));
        append(data.planItems, reader.planItems(function.id));
        append(data.buffers, reader.buffers(function.id));
    }
    return data;
}

PlanInfo mainPlan(const ProfileData &data, FunctionId function) {
    const PlanInfo *best = nullptr;
    for (const PlanInfo &plan : data.plans)
        if (plan.function == function && (!best || plan.uses > best->uses))
            best = &plan;
    return best ? *best : PlanInfo{};
}

std::vector<BufferRow> mainPlanBuffers(const ProfileData &data, FunctionId function) {
    const PlanInfo best = mainPlan(data, function);
    std::vector<BufferRow> buffers;
    for (const BufferRow &row : data.buffers)
        if (best.function == function && row.function == function && row.plan == best.plan)
            buffers.push_back(row);
    return buffers;
}

} // namespace profiler
