#include "profiler/compare/compare_side.h"

#include "profiler/compare/significance.h"

#include <algorithm>
#include <tuple>

namespace profiler {

namespace {

constexpr std::size_t kMostValues = 200;                                                // of one apply that a test sees
constexpr std::size_t kLeastOfRun = 8;                                                  // samples, to count as a value
constexpr std::int64_t kInnermostBytes = 32 << 10, kOuterBytes = std::int64_t{8} << 20; // of usual caches

} // namespace

CompareSide::CompareSide(const ProfileData &data, const std::vector<Event> &events) : m_data(data), m_plans(data)
{
    for (const Event &event : events) {
        const Sample sample{event.lane / kLanesPerRun, static_cast<double>(event.durationNs)};
        if (event.kind == EventKind::Apply) m_applies[{event.graph, event.apply}].push_back(sample);
        else if (event.kind == EventKind::Call) m_calls[event.function].push_back(sample);
    }
    std::unordered_map<ApplyKey, bool, ApplyKeyHash> steady;
    for (const ApplyStats &stats : data.stats)
        if (stats.steady && stats.calls > 0) steady[{stats.graph, stats.apply}] = true;
    for (const ApplyStats &stats : data.stats) {
        const ApplyKey key{stats.graph, stats.apply};
        if (!stats.steady && steady.contains(key)) continue;
        m_sums[key].first += stats.calls;
        m_sums[key].second += stats.totalNs;
        m_thunks[stats.function] += stats.totalNs;
    }
    for (const FunctionInfo &function : data.functions)
        for (const BufferRow &row : m_plans.buffersOf(function.id))
            if (row.apply != kNoApply) m_bytes[{row.graph, row.apply}] += row.bytes;
    std::unordered_map<std::uint64_t, std::int64_t> sizes; // of variables
    const auto keyOf = [](GraphId graph, VariableId variable) { return std::uint64_t{raw(graph)} << 32 | raw(variable); };
    for (const VariableRow &variable : data.variables)
        if (variable.bytes > 0) sizes[keyOf(variable.graph, variable.variable)] = variable.bytes;
    for (const ApplyInput &input : data.inputs)
        if (const auto size = sizes.find(keyOf(input.graph, input.variable)); size != sizes.end())
            m_bytesRead[{input.graph, input.apply}] += size->second;
}

int CompareSide::runs(int function) const
{
    if (function < 0) return 0;
    const auto found = m_calls.find(m_data.functions[static_cast<std::size_t>(function)].id);
    if (found == m_calls.end()) return 0;
    int last = 0;
    for (const Sample &sample : found->second) last = std::max(last, sample.run);
    return last + 1;
}

bool CompareSide::wasCalled(int function) const
{
    if (function < 0) return false;
    const FunctionInfo &info = m_data.functions[static_cast<std::size_t>(function)];
    return info.run.calls > 0 || m_calls.contains(info.id) || m_thunks.contains(info.id);
}

bool CompareSide::dependsOnPlace(int apply) const
{
    if (apply < 0) return false;
    const ApplyRow &row = m_data.applies[static_cast<std::size_t>(apply)];
    const auto found = m_bytesRead.find({row.graph, row.apply});
    return found != m_bytesRead.end() && found->second > kInnermostBytes && found->second < kOuterBytes;
}

void CompareSide::finish(ComparedSide &side, const Samples *samples, bool byRun, std::vector<double> &values) const
{
    if (!samples || samples->empty()) {
        if (side.calls > 0) side.nsPerCall = static_cast<double>(side.ns) / static_cast<double>(side.calls);
        return;
    }
    side.samples = samples->size();
    if (!byRun) {
        for (const Sample &sample : *samples) values.push_back(sample.ns);
        side.nsPerCall = medianOf(values);
        values = inBlocks(values, kMostValues);
        return;
    }
    std::map<int, std::vector<double>> runs;
    for (const Sample &sample : *samples) runs[sample.run].push_back(sample.ns);
    for (const auto &[run, one] : runs)
        if (one.size() >= kLeastOfRun) values.push_back(medianOf(one));
    side.nsPerCall = middleOf(values);
}

ComparedSide CompareSide::apply(int index, bool byRun, std::vector<double> &values) const
{
    if (index < 0) return {};
    const ApplyRow &row = m_data.applies[static_cast<std::size_t>(index)];
    const ApplyKey key{row.graph, row.apply};
    ComparedSide side;
    side.present = true;
    side.name = row.label.empty() ? row.op : row.label;
    if (const auto found = m_sums.find(key); found != m_sums.end()) std::tie(side.calls, side.ns) = found->second;
    if (const auto found = m_bytes.find(key); found != m_bytes.end()) side.bytes = found->second;
    const auto found = m_applies.find(key);
    finish(side, found == m_applies.end() ? nullptr : &found->second, byRun, values);
    return side;
}

ComparedSide CompareSide::function(int index, bool byRun, std::vector<double> &values) const
{
    if (index < 0) return {};
    const FunctionInfo &function = m_data.functions[static_cast<std::size_t>(index)];
    ComparedSide side;
    side.present = true;
    side.name = function.name;
    side.calls = function.run.calls;
    side.ns = function.run.totalNs;
    const PlanInfo plan = m_plans.of(function.id);
    side.bytes = plan.measuredPeakBytes >= 0 ? plan.measuredPeakBytes : plan.function == function.id ? plan.peakBytes : -1;
    const auto found = m_calls.find(function.id);
    finish(side, found == m_calls.end() ? nullptr : &found->second, byRun, values);
    return side;
}

double CompareSide::shareOf(FunctionId function, const ComparedSide &apply) const
{
    const auto found = m_thunks.find(function);
    if (found == m_thunks.end() || found->second == 0) return 0;
    return static_cast<double>(apply.ns) / static_cast<double>(found->second);
}

} // namespace profiler
