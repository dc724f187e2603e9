#include "profiler/stats/headroom.h"

#include "profiler/stats/machine_roofs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace profiler {
namespace {

constexpr double kLittleWork = 0.1; // of its time: what such an apply takes is what beginning one takes

struct Sums {
    std::int64_t calls = 0, steadyCalls = 0, steadyNs = 0, ns = 0;
};

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// Of one call of the apply; negative: nothing is known.
double workNs(const RooflinePoint &point, const MachineRoofs &roofs, int threads, Bound &bound)
{
    const double bytes = point.flops > 1 ? point.ownBytes : point.newBytes; // what moves only may read a part of its operands
    const double moving = roofs.movingNs(std::max(0.0, bytes));
    const double arithmetic = point.flops > 0 ? roofs.arithmeticNs(point.flops, point.dtype) : 0;
    bound = moving >= arithmetic ? Bound::Bytes : Bound::Arithmetic;
    return std::max(moving, arithmetic) / (point.device == "cpu" && couldBeShared(point.flops, point.bytes) ? threads : 1);
}

void countArguments(const ProfileData &data, const FunctionInfo &function, Headroom &room)
{
    std::set<std::uint32_t> inputs;
    for (const FunctionInput &input : function.inputs)
        if (input.kind == VariableKind::Input) inputs.insert(raw(input.variable));
    for (const VariableRow &variable : data.variables) {
        if (variable.graph != function.graph || variable.bytes < 0) continue;
        if (inputs.contains(raw(variable.variable))) ++room.arraysIn, room.bytesIn += static_cast<double>(variable.bytes);
        if (variable.isOutput) ++room.arraysOut, room.bytesOut += static_cast<double>(variable.bytes);
    }
}

} // namespace

Headroom makeHeadroom(const ProfileData &data, FunctionId function)
{
    Headroom result;
    result.function = function;
    result.threads = threadsOf(data.flags, data.machine);
    double thunks = 0;
    std::unordered_map<ApplyKey, Sums, ApplyKeyHash> sums;
    const auto info = std::ranges::find(data.functions, function, &FunctionInfo::id);
    if (info == data.functions.end() || info->run.calls <= 0) return result;
    result.calls = info->run.calls;
    for (const ApplyStats &stats : data.stats) {
        if (stats.graph != info->graph) continue;
        Sums &sum = sums[{stats.graph, stats.apply}];
        sum.calls += stats.calls;
        sum.ns += stats.totalNs;
        thunks += static_cast<double>(stats.totalNs);
        if (stats.steady) sum.steadyCalls += stats.calls, sum.steadyNs += stats.totalNs;
    }
    const auto calls = static_cast<double>(info->run.calls);
    result.aroundNs = std::max(0.0, (static_cast<double>(info->run.totalNs) - thunks) / calls);
    const Roofline roofline = makeRoofline(data, function);
    std::map<std::string, MachineRoofs> devices = roofsByDevice(data.roofs);
    for (const auto &[name, roofs] : devices)
        if (roofs.areMeasured()) result.devices.emplace(name, roofs);
    countArguments(data, *info, result);
    std::unordered_map<ApplyKey, const Transfer *, ApplyKeyHash> transfers;
    for (const Transfer &transfer : data.transfers)
        if (transfer.count > 0) transfers.emplace(ApplyKey{transfer.graph, transfer.apply}, &transfer);
    std::map<std::string, double> beginning; // of each device: the least that an apply took which does next to nothing
    for (const auto &[name, roofs] : devices)
        if (roofs.launchNs > 0) beginning[name] = roofs.launchNs;
    std::set<std::string> unmeasured;
    const auto add = [&](const RooflinePoint &point, Unplaced why) {
        const Sums &sum = sums[point.apply];
        ApplyRoof row;
        row.what = point;
        const bool steady = sum.steadyCalls > 0;
        const double each =
            ratio(static_cast<double>(steady ? sum.steadyNs : sum.ns), static_cast<double>(steady ? sum.steadyCalls : sum.calls));
        const double times = static_cast<double>(sum.calls) / calls; // less than one where it is only sometimes asked for
        row.what.nsPerCall = each;
        row.nowNs = row.leastNs = each * times;
        row.why = why;
        const auto transfer = transfers.find(point.apply);
        row.isTransfer = transfer != transfers.end();
        if (row.isTransfer) {
            row.isToDevice = transfer->second->direction == "HtoD";
            row.copiedBytes = ratio(static_cast<double>(transfer->second->bytes), static_cast<double>(transfer->second->count));
        }
        const MachineRoofs &roofs = devices[row.isTransfer ? transfer->second->device : point.device];
        const double copying = row.isTransfer ? roofs.copyingNs(row.copiedBytes, row.isToDevice) : -1;
        const bool measured = roofs.bandwidth() > 0 && (row.isTransfer ? copying >= 0 : roofs.peakOf(point.dtype) > 0);
        if (measured && row.isTransfer) {
            row.bound = Bound::Bytes;
            row.leastNs = std::min(row.nowNs, copying * times);
        } else if (!measured) {
            row.why = point.device == "cpu" ? Unplaced::NoRoof : Unplaced::NoDeviceRoof;
            unmeasured.insert(row.isTransfer ? transfer->second->device : point.device);
        } else if (why != Unplaced::NotCounted && why != Unplaced::NoSizes) {
            const double work = workNs(point, roofs, result.threads, row.bound);
            if (work < kLittleWork * each) {
                const auto found = beginning.find(point.device);
                if (found == beginning.end() || each < found->second) beginning[point.device] = each;
            }
            row.leastNs = std::min(row.nowNs, work * times);
        }
        result.applies.push_back(std::move(row));
    };
    for (const RooflinePoint &point : roofline.points) add(point, Unplaced::TooShort);
    for (const UnplacedApply &one : roofline.unplaced) add(one.what, one.why);
    result.nowNs = result.leastNs = result.aroundNs;
    for (ApplyRoof &row : result.applies) {
        if (row.bound == Bound::Unknown) result.unknownNs += row.nowNs;
        else if (const auto begin = beginning.find(row.what.device); begin != beginning.end() && !row.isTransfer) {
            const double least = std::min(row.nowNs, begin->second * ratio(row.nowNs, row.what.nsPerCall));
            if (least > row.leastNs) row.leastNs = least, row.bound = Bound::Beginning;
        }
        result.nowNs += row.nowNs;
        result.leastNs += row.leastNs;
    }
    result.unmeasured.assign(unmeasured.begin(), unmeasured.end());
    std::ranges::stable_sort(result.applies, [](const ApplyRoof &a, const ApplyRoof &b) { return a.gainNs() > b.gainNs(); });
    return result;
}

namespace {

// An apply at the roofs of another device; nothing: none is known.
std::optional<double> elsewhereNs(const ApplyRoof &row, const MachineRoofs &roofs, const std::string &device, int threads)
{
    const bool hasWork = row.bound != Bound::Unknown || row.why == Unplaced::NoRoof || row.why == Unplaced::NoDeviceRoof;
    if (!hasWork || !roofs.areMeasured() || roofs.peakOf(row.what.dtype) <= 0) return std::nullopt;
    RooflinePoint point = row.what;
    point.device = device;
    Bound bound = Bound::Unknown;
    const double times = ratio(row.nowNs, row.what.nsPerCall);
    return std::max(workNs(point, roofs, threads, bound), roofs.launchNs) * times;
}

double callNsOn(const Headroom &headroom, const WhatIf &change)
{
    const auto found = headroom.devices.find(change.device);
    const MachineRoofs roofs = found == headroom.devices.end() ? MachineRoofs() : found->second;
    const int threads = change.threads > 0 ? change.threads : headroom.threads;
    double ns = headroom.aroundNs;
    bool isMoved = false;
    for (const ApplyRoof &row : headroom.applies) {
        if (std::ranges::find(change.gone, row.what.apply) != change.gone.end()) continue;
        const bool isThere = row.what.device == change.device;
        if (row.isTransfer) {
            if (change.device == "cpu") continue; // there is nobody to copy for
            const double copying = roofs.copyingNs(row.copiedBytes, row.isToDevice);
            ns += isThere || copying < 0 ? row.nowNs : copying * ratio(row.nowNs, row.what.nsPerCall);
            continue;
        }
        const std::optional<double> there = isThere ? std::nullopt : elsewhereNs(row, roofs, change.device, threads);
        ns += there ? *there : std::ranges::find(change.atRoof, row.what.apply) != change.atRoof.end() ? row.leastNs : row.nowNs;
        isMoved = isMoved || (there && row.what.device == "cpu");
    }
    if (!isMoved || change.device == "cpu") return ns;
    // What the script gives and gets is the host's.
    return ns + headroom.arraysIn * roofs.copyNs + (roofs.toDevice > 0 ? headroom.bytesIn / roofs.toDevice * 1e9 : 0) +
           headroom.arraysOut * roofs.copyNs + (roofs.toHost > 0 ? headroom.bytesOut / roofs.toHost * 1e9 : 0);
}

} // namespace

double callNsIf(const Headroom &headroom, const WhatIf &change)
{
    if (!change.device.empty()) return callNsOn(headroom, change);
    double ns = headroom.aroundNs;
    for (const ApplyRoof &row : headroom.applies) {
        const auto has = [&](const std::vector<ApplyKey> &keys) { return std::ranges::find(keys, row.what.apply) != keys.end(); };
        if (has(change.gone)) continue;
        const bool shared = change.threads > 0 && row.what.device == "cpu" && row.bound != Bound::Unknown &&
                            row.bound != Bound::Beginning && couldBeShared(row.what.flops, row.what.bytes);
        ns += (has(change.atRoof) ? row.leastNs : row.nowNs) * (shared ? static_cast<double>(headroom.threads) / change.threads : 1);
    }
    return ns;
}

} // namespace profiler
