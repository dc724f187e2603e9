#include "profiler/stats/times/profile_data.h"

#include "profiler/session/store/reader.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <type_traits>
#include <unordered_set>

namespace profiler {

namespace {

template <class Info, class OneId>
std::unordered_map<OneId, const Info *> byId(const std::vector<Info> &all, OneId Info::*id)
{
    std::unordered_map<OneId, const Info *> found;
    for (const Info &one : all) found.emplace(one.*id, &one);
    return found;
}

std::unordered_set<GraphId> unchangedGraphs(const ProfileData &now, const ProfileData &before)
{
    std::unordered_set<GraphId> unchanged;
    if (now.info.state != before.info.state) return unchanged;
    const auto graphs = byId(before.graphs, &GraphInfo::id);
    const auto functions = byId(now.functions, &FunctionInfo::id), functionsThen = byId(before.functions, &FunctionInfo::id);
    const auto isAsItWas = [&](FunctionId id) {
        const auto function = functions.find(id), then = functionsThen.find(id);
        if (function == functions.end()) return true;
        return then != functionsThen.end() && then->second->state == function->second->state &&
               (then->second->run.calls > 0) == (function->second->run.calls > 0);
    };
    for (const GraphInfo &graph : now.graphs) {
        const auto known = graphs.find(graph.id);
        if (known == graphs.end() || known->second->stepCount != graph.stepCount ||
            known->second->appliesOriginal != graph.appliesOriginal || known->second->appliesOptimized != graph.appliesOptimized ||
            known->second->label != graph.label || !isAsItWas(graph.function))
            continue;
        unchanged.insert(graph.id);
    }
    return unchanged;
}

// Rows of unchanged graphs as they were, and the new ones, by graph.
template <class Row>
void take(std::vector<Row> &rows, std::vector<Row> fresh, const std::vector<Row> *before, const std::unordered_set<GraphId> &unchanged)
{
    rows = std::move(fresh);
    if (!before || unchanged.empty()) return;
    const auto first = static_cast<std::ptrdiff_t>(rows.size());
    std::ranges::copy_if(*before, std::back_inserter(rows), [&](const Row &row) { return unchanged.contains(row.graph); });
    std::ranges::inplace_merge(rows, rows.begin() + first, {}, &Row::graph);
}

template <class Row>
void take(RowsOfGraphs<Row> &rows, RowsOfGraphs<Row> fresh, const RowsOfGraphs<Row> *before, const std::unordered_set<GraphId> &unchanged)
{
    rows = std::move(fresh);
    if (!before || unchanged.empty()) return;
    for (const auto &block : before->blocks())
        if (unchanged.contains(block->front().graph)) rows.add(block);
    rows.sortByGraph();
}

void readGraphs(SessionReader &reader, ProfileData &data, const ProfileData *before, Journals *journals)
{
    const std::unordered_set<GraphId> unchanged = before ? unchangedGraphs(data, *before) : std::unordered_set<GraphId>();
    std::vector<GraphInfo> changed;
    std::ranges::copy_if(data.graphs, std::back_inserter(changed), [&](const GraphInfo &graph) { return !unchanged.contains(graph.id); });
    GraphRows rows = reader.graphRows(changed, journals ? WithSteps::Yes : WithSteps::No, Bodies::Packed);
    std::vector<ApplyInput> original;
    if (!journals) original = reader.originalInputs(changed);
    for (const Step &step : rows.steps)
        if (step.info.index == 0) addOriginalInputs(step, original);
    if (journals) {
        journals->unchanged = unchanged;
        journals->steps = byGraph(std::move(rows.steps));
        journals->bodies = std::move(rows.bodies);
        const auto members = byGraph(rows.groupMembers);
        const auto items = byGraph(data.planItems);
        const auto of = [](const auto &all, GraphId id) {
            const auto found = all.find(id);
            return found == all.end() ? std::remove_cvref_t<decltype(found->second)>() : found->second;
        };
        for (const GraphInfo &graph : changed)
            if (auto groups = groupsOf(of(members, graph.id), of(items, graph.id)); !groups.empty())
                journals->groups.emplace(graph.id, std::move(groups));
    }
    const auto keep = [&](auto part, auto &fresh) {
        take(std::invoke(part, data), std::move(fresh), before ? &std::invoke(part, *before) : nullptr, unchanged);
    };
    keep(&ProfileData::applies, rows.applies);
    keep(&ProfileData::inputs, rows.inputs);
    keep(&ProfileData::originalInputs, original);
    keep(&ProfileData::variables, rows.variables);
    keep(&ProfileData::sources, rows.sources);
    keep(
        [](auto &all) -> auto & { return all.chains.ofApplies; }, rows.chains);
    keep(
        [](auto &all) -> auto & { return all.chains.ofVariables; }, rows.variableChains);
    data.chains.all = reader.chains();
    keep(&ProfileData::origins, rows.origins);
    keep(&ProfileData::passes, rows.passes);
    keep(
        [](auto &all) -> auto & { return all.rewrites.ofPasses; }, rows.passRewrites);
    keep(
        [](auto &all) -> auto & { return all.rewrites.counts; }, rows.rewriteCounts);
    keep(&ProfileData::declines, rows.declines);
    keep(&ProfileData::groupMembers, rows.groupMembers);
}

} // namespace

ProfileData loadProfile(SessionReader &reader, const ProfileData *before, Journals *journals)
{
    ProfileData data;
    data.info = reader.info();
    data.flags = reader.flags();
    data.sourceFiles = before && before->sourceFiles.size() == reader.sourceCount() ? before->sourceFiles : reader.sources();
    data.functions = reader.functions();
    data.graphs = reader.graphs();
    data.plans = reader.plans();
    data.planItems = reader.planItems();
    data.buffers = reader.buffers();
    readGraphs(reader, data, before, journals);
    data.stats = reader.applyStats();
    data.devices.transfers = reader.transfers();
    data.devices.work = reader.deviceWork();
    data.devices.kernels = reader.deviceKernels();
    data.devices.hostUses = reader.hostUses();
    data.job = reader.job();
    data.machine.facts = reader.machine();
    data.machine.roofs = reader.roofs();
    data.machine.clocks = reader.clocks();
    data.drops = reader.drops();
    if (before) data.checks = before->checks;
    std::ranges::move(reader.checks(data.checks.size()), std::back_inserter(data.checks));
    return data;
}

std::span<const Decline> declinesOf(const std::vector<Decline> &ofGraph, ApplyId apply)
{
    const auto found = std::ranges::equal_range(ofGraph, raw(apply), {}, [](const Decline &row) { return raw(row.apply); });
    return {found.begin(), found.end()};
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
    const auto info = std::ranges::find(data.functions, function, &FunctionInfo::id);
    if (best.function != function || info == data.functions.end()) return {};
    std::vector<BufferRow> buffers;
    std::unordered_set<std::uint32_t> seen; // a damaged file may hold a variable twice, or rows of another graph
    for (const BufferRow &row : data.buffers)
        if (row.function == function && row.plan == best.plan && row.graph == info->graph && seen.insert(raw(row.variable)).second)
            buffers.push_back(row);
    return buffers;
}

} // namespace profiler
