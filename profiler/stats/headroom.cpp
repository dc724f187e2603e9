#include "profiler/stats/headroom.h"

#include "profiler/stats/machine_roofs.h"

#include <algorithm>
#include <map>
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
    return std::max(moving, arithmetic) / (couldBeShared(point.flops, point.bytes) ? threads : 1);
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
    std::map<std::string, double> beginning; // of each device: the least that an apply took which does next to nothing
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
        const MachineRoofs &roofs = devices[point.device];
        const bool measured = roofs.bandwidth() > 0 && roofs.peakOf(point.dtype) > 0;
        if (!measured) {
            row.why = point.device == "cpu" ? Unplaced::NoRoof : Unplaced::NoDeviceRoof;
            unmeasured.insert(point.device);
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
        else if (const auto begin = beginning.find(row.what.device); begin != beginning.end()) {
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

double callNsIf(const Headroom &headroom, const WhatIf &change)
{
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
