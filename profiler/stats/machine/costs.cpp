#include "profiler/stats/machine/costs.h"

#include "profiler/stats/times/ground.h"
#include "profiler/stats/times/profile_parts.h"

#include <algorithm>

namespace profiler {
namespace {

constexpr std::int64_t kDoubtfulCalls = 5;

double slowestPerCall(const Table &table)
{
    double slowest = 0;
    for (const TableRow &row : table.rows) slowest = std::max(slowest, row.nsPerCall);
    return slowest;
}

void putSlowestFirst(Table &table, const std::map<ApplyKey, std::int64_t> &times)
{
    const auto timeOf = [&](const ApplyKey &key) {
        const auto found = times.find(key);
        return found == times.end() ? 0 : found->second;
    };
    for (TableRow &row : table.rows)
        std::stable_sort(row.nodes.begin(), row.nodes.end(), [&](const ApplyKey &a, const ApplyKey &b) { return timeOf(a) > timeOf(b); });
}

std::map<SourceLine, LineCost> lineCosts(const std::vector<LineRow> &lines)
{
    std::map<SourceLine, LineCost> costs;
    std::int64_t longest = 0;
    for (const LineRow &row : lines) {
        if (row.source.line <= 0) continue;
        longest = std::max(longest, row.withCallsNs);
        costs.emplace(row.source, LineCost{row.ns, row.percent / 100, row.estimated, row.withCallsNs, row.withCallsPercent / 100,
                                           row.withCallsEstimated});
    }
    for (auto &[line, cost] : costs) {
        cost.ofLongest = ratio(cost.ns, longest);
        cost.withCallsOfLongest = ratio(cost.withCallsNs, longest);
    }
    return costs;
}

} // namespace

bool isDoubtful(const TableRow &row) { return row.calls > 0 && row.calls < kDoubtfulCalls; }

// A session may hold the times of a run that waited beside its own (`--both`): its clock is that of its own.
ClockKind clockOf(const TableRow &row)
{
    return row.deviceNs ? ClockKind::Device : row.blockingNs == row.ns ? ClockKind::Blocking : ClockKind::Host;
}

Costs::Costs(const ProfileData &data) : m_advice(advise(data))
{
    const ProfileParts parts(data);
    for (const FunctionInfo &function : data.functions) add(parts.of(function.id), function.id);
    if (data.functions.size() == 1) m_functions[kNoFunction] = m_functions.begin()->second; // all of them is that one
    else add(data, kNoFunction);
    for (const GraphInfo &graph : data.graphs)
        if (graph.kind == GraphKind::Scan || graph.kind == GraphKind::OpFromGraph) add(parts.ofNested(graph), graph.function, graph.id);
    for (const ApplyStats &stats : data.stats)
        m_clock = std::max(m_clock, stats.deviceNs                      ? ClockKind::Device
                                    : stats.blockingNs == stats.totalNs ? ClockKind::Blocking
                                                                        : ClockKind::Host);
}

void Costs::add(const ProfileData &data, FunctionId function, GraphId nested)
{
    TableScope scope;
    if (function != kNoFunction) scope.functions = {function};
    scope.graph = nested;
    if (nested == kNoGraph) m_functions[function] = std::make_shared<FunctionCosts>();
    FunctionCosts &costs = nested == kNoGraph ? *m_functions[function] : m_nested[nested];
    costs.classes = makeTable(data, TableKind::Class, scope);
    costs.ops = makeTable(data, TableKind::Op, scope);
    costs.applies = makeTable(data, TableKind::Apply, scope);
    costs.devices = makeTable(data, TableKind::Device, scope);
    const std::vector<LineRow> lines = lineTable(data, scope);
    costs.lineRows = tableOfLines(lines, costs.applies, false);
    costs.files = tableOfLines(lines, costs.applies, true);
    costs.summary = summarize(data, scope);
    costs.spent = spentTimes(costs.classes);
    costs.lines = lineCosts(lines);
    costs.nsPerCall = ratio(costs.summary.callNs, costs.summary.calls);
    const double slowest = slowestPerCall(costs.applies);
    std::map<ApplyKey, std::int64_t> times;
    for (const TableRow &row : costs.applies.rows) {
        if (row.calls > 0) {
            costs.fastestNs = costs.fastestNs < 0 ? row.nsPerCall : std::min(costs.fastestNs, row.nsPerCall);
            costs.slowestNs = slowest;
        }
        for (const ApplyKey &node : row.nodes) {
            times[node] = row.ns;
            if (function != kNoFunction) m_applies[node] = {&row, row.percent / 100, ratio(row.nsPerCall, slowest)};
        }
    }
    for (Table *table : {&costs.classes, &costs.ops, &costs.lineRows, &costs.files, &costs.devices}) putSlowestFirst(*table, times);
}

const FunctionCosts *Costs::of(FunctionId function) const
{
    const auto found = m_functions.find(function);
    return found == m_functions.end() ? nullptr : found->second.get();
}

const FunctionCosts *Costs::ofNested(GraphId graph) const
{
    const auto found = m_nested.find(graph);
    return found == m_nested.end() ? nullptr : &found->second;
}

const ApplyShare *Costs::find(const ApplyKey &apply) const
{
    const auto found = m_applies.find(apply);
    return found == m_applies.end() ? nullptr : &found->second;
}

std::vector<RowBars> rowBars(const Table &table)
{
    const std::int64_t largest = table.rows.empty() ? 0 : table.rows.front().ns;
    const double slowest = slowestPerCall(table);
    std::vector<RowBars> bars;
    bars.reserve(table.rows.size());
    for (const TableRow &row : table.rows) bars.push_back({ratio(row.ns, largest), ratio(row.nsPerCall, slowest)});
    return bars;
}

LargestShares largestShares(const Table &table, std::size_t count)
{
    LargestShares shares;
    shares.others = table.rows.size() > count;
    double shown = 0;
    for (std::size_t i = 0; i < std::min(count, table.rows.size()); ++i) {
        shares.rows.emplace_back(table.rows[i].name, table.rows[i].percent);
        shown = table.rows[i].cumulativePercent;
    }
    shares.otherPercent = 100 - shown;
    return shares;
}

} // namespace profiler
