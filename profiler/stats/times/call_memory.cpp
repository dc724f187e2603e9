#include "profiler/stats/times/call_memory.h"

#include <algorithm>
#include <map>
#include <set>

namespace profiler {

CallMemory callMemory(const ProfileData &data, FunctionId function)
{
    CallMemory result;
    result.plan = mainPlan(data, function);
    for (const PlanInfo &plan : data.plans) result.plans += plan.function == function;
    if (result.plan.function != function) return result;
    const std::vector<BufferRow> buffers = mainPlanBuffers(data, function);
    result.report = memoryReport(buffers);
    result.devicePeaks = peaksByDevice(buffers);
    for (const PlanItem &item : data.planItems) {
        if (item.function != function || item.plan != result.plan.plan || item.position < 0) continue;
        const auto position = static_cast<std::size_t>(item.position);
        if (result.order.size() <= position && position < data.planItems.size()) result.order.resize(position + 1);
        if (position < result.order.size()) result.order[position] = {item.graph, item.apply};
    }
    // Variables that share memory have one number; what was there first is no view of another.
    std::map<int, Lifetime> pieces;
    std::set<int> named;
    for (const BufferRow &row : buffers) {
        const auto [entry, isNew] = pieces.try_emplace(row.buffer);
        Lifetime &life = entry->second;
        if (isNew) {
            life.from = row.from;
            life.to = row.to;
        }
        life.from = std::min(life.from, row.from);
        life.to = std::max(life.to, row.to);
        const bool shares = row.kind == BufferKind::View || row.kind == BufferKind::Inplace;
        if (shares || named.count(row.buffer)) {
            life.sharers.push_back(row.variable);
            if (row.kind == BufferKind::Inplace) life.overwritten.push_back(row.from);
            continue;
        }
        named.insert(row.buffer);
        life.variable = row.variable;
        life.maker = {row.graph, row.apply};
        life.bytes = row.bytes;
        life.offset = row.offset;
        life.kind = row.kind;
        life.device = row.device;
        life.shape = row.shape;
        life.counted = row.kind == BufferKind::Created;
    }
    const std::set<VariableId> holders(result.report.peak.holders.begin(), result.report.peak.holders.end());
    for (auto &[buffer, life] : pieces) {
        if (!named.count(buffer)) continue; // a view of what is in no row
        life.atPeak = life.counted && holders.count(life.variable) > 0;
        if (life.atPeak && result.report.peak.bytes > 0)
            life.shareOfPeak = static_cast<double>(life.bytes) / static_cast<double>(result.report.peak.bytes);
        if (life.offset >= 0) result.arenaUsed = std::max(result.arenaUsed, life.offset + life.bytes);
        result.lifetimes.push_back(std::move(life));
    }
    std::stable_sort(result.lifetimes.begin(), result.lifetimes.end(), [](const Lifetime &a, const Lifetime &b) {
        return a.counted != b.counted ? a.counted : a.bytes != b.bytes ? a.bytes > b.bytes : a.from < b.from;
    });
    const std::int64_t held = std::max({result.report.peak.bytes, result.plan.measuredPeakBytes, std::int64_t{1}});
    const std::int64_t highest = std::max({held, result.plan.peakNoInplaceBytes, result.plan.peakNoGcBytes});
    result.scaleBytes = std::min(highest, 3 * held);
    return result;
}

} // namespace profiler
