#include "profiler/stats/times/profile_parts.h"

#include <algorithm>

namespace profiler {

template <class Row>
ProfileParts::ByGraph<Row> ProfileParts::spread(const std::vector<Row> &rows) const
{
    ByGraph<Row> all;
    for (const Row &row : rows) {
        GraphId graph = row.graph;
        if constexpr (requires { row.function; })
            if (const auto function = m_functions.find(row.function); graph == kNoGraph && function != m_functions.end())
                graph = function->second->graph;
        all[graph].push_back(&row);
    }
    return all;
}

template <class Row>
std::vector<Row> ProfileParts::gather(const ByGraph<Row> &all, const std::vector<GraphId> &graphs)
{
    std::vector<const Row *> chosen;
    for (const GraphId graph : graphs)
        if (const auto found = all.find(graph); found != all.end()) chosen.insert(chosen.end(), found->second.begin(), found->second.end());
    std::ranges::sort(chosen); // in the order of the whole
    std::vector<Row> rows;
    rows.reserve(chosen.size());
    for (const Row *row : chosen) rows.push_back(*row);
    return rows;
}

ProfileParts::ProfileParts(const ProfileData &data) : m_data(data)
{
    for (const FunctionInfo &function : data.functions) {
        m_functions.emplace(function.id, &function);
        if (function.graph != kNoGraph) m_graphsOf[function.id].push_back(function.graph);
    }
    for (const GraphInfo &graph : data.graphs) {
        m_graphs.emplace(graph.id, &graph);
        std::vector<GraphId> &ofFunction = m_graphsOf[graph.function];
        if (ofFunction.empty() || ofFunction.front() != graph.id) ofFunction.push_back(graph.id);
    }
    for (const PlanInfo &plan : data.plans) m_plans[plan.function].push_back(&plan);
    m_stats = spread(data.stats);
    m_passes = spread(data.passes);
    m_passRewrites = spread(data.rewrites.ofPasses);
    m_planItems = spread(data.planItems);
    m_buffers = spread(data.buffers);
    m_transfers = spread(data.devices.transfers);
    m_deviceKernels = spread(data.devices.kernels);
    m_inputs = spread(data.inputs);
    m_rewriteCounts = spread(data.rewrites.counts);
    m_groupMembers = spread(data.groupMembers);
    m_checks = spread(data.checks);
}

ProfileData ProfileParts::of(const std::vector<FunctionId> &functions) const
{
    std::vector<GraphId> graphs;
    for (const FunctionId function : functions)
        if (const auto found = m_graphsOf.find(function); found != m_graphsOf.end())
            graphs.insert(graphs.end(), found->second.begin(), found->second.end());
    return ofGraphs(functions, graphs);
}

std::vector<FunctionInfo> ProfileParts::functionsOf(const std::vector<FunctionId> &functions) const
{
    std::vector<FunctionInfo> found;
    for (const FunctionId id : functions)
        if (const auto function = m_functions.find(id); function != m_functions.end()) found.push_back(*function->second);
    return found;
}

ProfileData ProfileParts::ofNested(const GraphInfo &graph) const { return ofGraphs({graph.function}, {graph.id}); }

ProfileData ProfileParts::ofGraphs(const std::vector<FunctionId> &functions, const std::vector<GraphId> &graphs) const
{
    ProfileData part;
    part.info = m_data.info;
    part.flags = m_data.flags;
    part.chains.all = m_data.chains.all;
    part.devices.work = m_data.devices.work;
    part.job = m_data.job;
    part.machine.facts = m_data.machine.facts;
    part.machine.roofs = m_data.machine.roofs;
    part.machine.clocks = m_data.machine.clocks;
    part.drops = m_data.drops;
    part.functions = functionsOf(functions);
    for (const FunctionId id : functions)
        if (const auto plans = m_plans.find(id); plans != m_plans.end())
            for (const PlanInfo *plan : plans->second) part.plans.push_back(*plan);
    const auto take = [&](auto &into, const auto &from) {
        for (const GraphId graph : graphs) into.add(from.blockOf(graph));
        into.sortByGraph();
    };
    take(part.applies, m_data.applies);
    take(part.sources, m_data.sources);
    take(part.chains.ofApplies, m_data.chains.ofApplies);
    take(part.chains.ofVariables, m_data.chains.ofVariables);
    take(part.variables, m_data.variables);
    take(part.origins, m_data.origins);
    take(part.declines, m_data.declines);
    for (const GraphId graph : graphs)
        if (const auto found = m_graphs.find(graph); found != m_graphs.end()) part.graphs.push_back(*found->second);
    part.stats = gather(m_stats, graphs);
    part.passes = gather(m_passes, graphs);
    part.rewrites.ofPasses = gather(m_passRewrites, graphs);
    part.planItems = gather(m_planItems, graphs);
    part.buffers = gather(m_buffers, graphs);
    part.devices.transfers = gather(m_transfers, graphs);
    part.devices.kernels = gather(m_deviceKernels, graphs);
    part.inputs = gather(m_inputs, graphs);
    part.rewrites.counts = gather(m_rewriteCounts, graphs);
    part.groupMembers = gather(m_groupMembers, graphs);
    part.checks = gather(m_checks, graphs);
    return part;
}

MainPlans::MainPlans(const ProfileData &data)
{
    for (const PlanInfo &plan : data.plans) {
        Plan &known = m_plans[plan.function];
        ++known.count;
        if (!known.most || plan.uses > known.most->uses) known.most = &plan;
    }
    for (const BufferRow &row : data.buffers)
        if (const auto plan = m_plans.find(row.function); plan != m_plans.end() && plan->second.most->plan == row.plan)
            plan->second.buffers.push_back(&row);
}

PlanInfo MainPlans::of(FunctionId function) const
{
    const auto found = m_plans.find(function);
    return found == m_plans.end() ? PlanInfo{} : *found->second.most;
}

std::vector<BufferRow> MainPlans::buffersOf(FunctionId function) const
{
    std::vector<BufferRow> buffers;
    if (const auto found = m_plans.find(function); found != m_plans.end())
        for (const BufferRow *row : found->second.buffers) buffers.push_back(*row);
    return buffers;
}

std::size_t MainPlans::countOf(FunctionId function) const
{
    const auto found = m_plans.find(function);
    return found == m_plans.end() ? 0 : found->second.count;
}

} // namespace profiler
