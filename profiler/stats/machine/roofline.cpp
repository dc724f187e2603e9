#include "profiler/stats/machine/roofline.h"

#include "profiler/stats/machine/machine_roofs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

namespace profiler {

namespace {

constexpr double kLeastNs = 1000; // a call; below, beginning it counts more than its work

struct Traffic {
    double bytes = 0, shared = 0, fresh = 0;
    bool known = true;
    std::string dtype;
};

template <class Value>
using PerApply = std::unordered_map<ApplyKey, Value, ApplyKeyHash>;
using FunctionGraphs = std::map<std::uint32_t, const FunctionInfo *>; // functions' own

struct WorkOfApply {
    std::int64_t ns = 0, calls = 0, deviceNs = 0, deviceCalls = 0;
    std::map<std::string, std::int64_t> byTier;
};

void fitDecades(double value, double &low, double &high)
{
    if (!(value > 0)) return;
    low = std::min(low, std::pow(10, std::floor(std::log10(value))));
    high = std::max(high, std::pow(10, std::ceil(std::log10(value))));
}

std::vector<DrawnRoof> drawnRoofs(const Roofline &roofline, const std::map<std::string, MachineRoofs> &devices)
{
    std::map<std::string, bool> isSingle; // by device: something there is not float64
    for (const RooflinePoint &point : roofline.points) isSingle[point.device] |= point.dtype != "float64";
    if (roofline.points.empty())
        for (const UnplacedApply &one : roofline.unplaced) isSingle[one.what.device] |= one.what.dtype != "float64";
    std::vector<DrawnRoof> drawn;
    for (const auto &[device, single] : isSingle) {
        const auto found = devices.find(device);
        if (found == devices.end() || found->second.bandwidth() <= 0) continue;
        const MachineRoofs &roofs = found->second;
        DrawnRoof roof{device, single && roofs.flops32 > 0 ? "float32" : "float64", 0, roofs.memory, roofs.cache};
        roof.flops = roofs.peakOf(roof.dtype);
        if (roof.flops > 0) drawn.push_back(roof);
    }
    std::ranges::stable_partition(drawn, [](const DrawnRoof &roof) { return roof.device == "cpu"; });
    return drawn;
}

ApplyKey keyOfVariable(const VariableRow &variable) { return {variable.graph, ApplyId{raw(variable.variable)}}; }

FunctionGraphs graphsThatRan(const ProfileData &data, FunctionId function)
{
    FunctionGraphs graphs;
    for (const FunctionInfo &one : data.functions)
        if (one.run.calls > 0 && one.graph != kNoGraph && (function == kNoFunction || one.id == function))
            graphs.emplace(raw(one.graph), &one);
    return graphs;
}

void count(Traffic &sum, const VariableRow *variable)
{
    if (!variable || variable->bytes < 0) sum.known = false;
    else sum.bytes += static_cast<double>(variable->bytes);
}

/// What each apply reads and makes.
PerApply<Traffic> trafficOf(const ProfileData &data, const FunctionGraphs &graphs)
{
    std::set<ApplyKey> elsewhere; // variables that lie in memory of others: views, and what is written in place
    for (const BufferRow &buffer : data.buffers)
        if (buffer.kind == BufferKind::View || buffer.kind == BufferKind::Inplace)
            elsewhere.insert({buffer.graph, ApplyId{raw(buffer.variable)}});
    std::map<ApplyKey, std::pair<int, int>> kernels; // plan and group of those that run as one
    for (const PlanItem &item : data.planItems)
        if (item.group >= 0) kernels.emplace(ApplyKey{item.graph, item.apply}, std::pair(item.plan, item.group));

    PerApply<Traffic> traffic;
    PerApply<const VariableRow *> variables;
    for (const VariableRow &variable : data.variables) {
        if (!graphs.count(raw(variable.graph))) continue;
        variables[keyOfVariable(variable)] = &variable;
        if (variable.owner == kNoApply || !variable.inOptimized) continue;
        Traffic &sum = traffic[{variable.graph, variable.owner}];
        count(sum, &variable);
        if (sum.dtype.empty()) sum.dtype = variable.dtype;
        if (variable.bytes > 0 && !elsewhere.count(keyOfVariable(variable))) sum.fresh += static_cast<double>(variable.bytes);
    }
    std::set<std::tuple<std::pair<int, int>, std::uint32_t, std::uint32_t>> inKernel;
    std::set<std::pair<ApplyKey, std::uint32_t>> read; // an operand that is read twice comes from the cache
    for (const ApplyInput &input : data.inputs) {
        const ApplyKey apply{input.graph, input.apply};
        if (!graphs.count(raw(input.graph)) || !read.insert({apply, raw(input.variable)}).second) continue;
        const auto found = variables.find({input.graph, ApplyId{raw(input.variable)}});
        const VariableRow *const variable = found == variables.end() ? nullptr : found->second;
        // A constant has no size of the run: it is small, or it was an operand that is known.
        if (variable && variable->kind == VariableKind::Constant && variable->bytes < 0) continue;
        count(traffic[apply], variable);
        const auto kernel = kernels.find(apply);
        if (kernel == kernels.end() || !variable || variable->bytes < 0) continue;
        if (!inKernel.insert({kernel->second, raw(input.graph), raw(input.variable)}).second)
            traffic[apply].shared += static_cast<double>(variable->bytes);
    }
    return traffic;
}

PerApply<WorkOfApply> workOf(const ProfileData &data, const FunctionGraphs &graphs)
{
    PerApply<WorkOfApply> work;
    for (const ApplyStats &stats : data.stats) {
        if (!graphs.count(raw(stats.graph))) continue;
        WorkOfApply &sum = work[{stats.graph, stats.apply}];
        sum.ns += stats.totalNs;
        sum.calls += stats.calls;
        if (stats.deviceNs) sum.deviceNs += *stats.deviceNs, sum.deviceCalls += stats.calls;
        sum.byTier[stats.tier] += stats.totalNs;
    }
    return work;
}

RooflinePoint pointOf(const ApplyRow &row, const WorkOfApply &work, const Traffic &moved)
{
    RooflinePoint point;
    point.apply = {row.graph, row.apply};
    point.name = row.friendly.empty() ? row.op : row.friendly;
    point.label = row.label.empty() ? row.op : row.label;
    point.runs = std::ranges::max_element(work.byTier, {}, [](const auto &tier) { return tier.second; })->first;
    point.calls = work.calls;
    point.ns = work.ns;
    point.nsPerCall = static_cast<double>(point.ns) / static_cast<double>(point.calls);
    point.flops = row.flops;
    point.bytes = moved.bytes;
    point.ownBytes = moved.bytes - moved.shared;
    point.newBytes = moved.fresh;
    point.dtype = moved.dtype;
    point.device = deviceOf(row);
    // The host only gives the work there, and is done long before it.
    point.isDeviceClock = point.device != "cpu" && work.deviceCalls > 0 && work.deviceNs > 0;
    if (point.isDeviceClock) point.nsPerCall = static_cast<double>(work.deviceNs) / static_cast<double>(work.deviceCalls);
    return point;
}

/// Why a point has no place under the roofs of its device, if it has none.
std::optional<Unplaced> whyUnplaced(const RooflinePoint &point, const MachineRoofs &roofs, bool isCounted, bool areSizesKnown)
{
    if (!isCounted) return Unplaced::NotCounted;
    if (point.flops <= 1) return Unplaced::NoArithmetic;
    if (!areSizesKnown || point.bytes <= 0) return Unplaced::NoSizes;
    if (roofs.peakOf(point.dtype) <= 0 || roofs.bandwidth() <= 0) return point.device == "cpu" ? Unplaced::NoRoof : Unplaced::NoDeviceRoof;
    if (point.nsPerCall < kLeastNs) return Unplaced::TooShort;
    return std::nullopt;
}

void placeUnder(const MachineRoofs &roofs, int threads, RooflinePoint &point)
{
    const double movingNs = roofs.movingNs(point.bytes);
    point.intensity = point.flops / point.bytes;
    point.rate = point.flops / point.nsPerCall * 1e9;
    point.threads = point.device == "cpu" && couldBeShared(point.flops, point.bytes) ? threads : 1;
    point.byBytes = movingNs > roofs.arithmeticNs(point.flops, point.dtype);
    point.roof = std::min(roofs.peakOf(point.dtype), point.flops / movingNs * 1e9) * point.threads;
    point.atMost = std::max(1.0, point.roof / point.rate);
}

} // namespace

Roofline makeRoofline(const ProfileData &data, FunctionId function)
{
    Roofline result;
    std::map<std::string, MachineRoofs> devices = roofsByDevice(data.machine.roofs);
    const int threads = threadsOf(data.flags, data.machine.facts);
    const FunctionGraphs graphs = graphsThatRan(data, function);
    PerApply<Traffic> traffic = trafficOf(data, graphs);
    const PerApply<WorkOfApply> work = workOf(data, graphs);
    std::int64_t all = 0;
    for (const auto &[apply, sum] : work) all += sum.ns;
    std::set<ApplyKey> nested; // these run a graph of their own
    for (const GraphInfo &graph : data.graphs)
        if (graph.kind == GraphKind::Scan || graph.kind == GraphKind::OpFromGraph) nested.insert({graph.parentGraph, graph.parentApply});
    for (const ApplyRow &row : data.applies) {
        const ApplyKey key{row.graph, row.apply};
        const auto sum = work.find(key);
        if (!row.inOptimized || sum == work.end() || sum->second.calls == 0) continue;
        const Traffic &moved = traffic[key];
        RooflinePoint point = pointOf(row, sum->second, moved);
        point.function = graphs.at(raw(row.graph))->id;
        point.share = all > 0 ? static_cast<double>(point.ns) / static_cast<double>(all) : 0;
        const MachineRoofs &roofs = devices[point.device];
        if (const auto why = whyUnplaced(point, roofs, row.implementation != "Py" && !nested.count(key), moved.known)) {
            result.unplaced.push_back({point, *why});
            continue;
        }
        placeUnder(roofs, threads, point);
        fitDecades(point.intensity, result.lowIntensity, result.highIntensity);
        fitDecades(point.rate, result.lowRate, result.highRate);
        result.points.push_back(point);
    }
    result.roofs = drawnRoofs(result, devices);
    for (const DrawnRoof &roof : result.roofs) fitDecades(roof.flops * 3, result.lowRate, result.highRate); // its name stands above it
    std::stable_sort(result.points.begin(), result.points.end(), [](const auto &a, const auto &b) { return a.ns > b.ns; });
    std::stable_sort(result.unplaced.begin(), result.unplaced.end(), [](const auto &a, const auto &b) { return a.what.ns > b.what.ns; });
    return result;
}

} // namespace profiler
