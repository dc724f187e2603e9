#include "profiler/stats/machine/headroom.h"

#include "profiler/stats/machine/machine_roofs.h"
#include "profiler/stats/times/ground.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace profiler {
namespace {

constexpr double kLittleWork = 0.1; // of its time: what such an apply takes is what beginning one takes

struct TimesOfApply {
    std::int64_t calls = 0, steadyCalls = 0, steadyNs = 0, ns = 0;
    std::int64_t deviceCalls = 0, deviceNs = 0; // by the clock of its device
    double waitedNs = 0; // of a call of the function: what the host spent elsewhere for it; negative: spent for others

    [[nodiscard]] double times(double calledBy) const { return static_cast<double>(calls) / calledBy; } // less than one: only sometimes
    [[nodiscard]] double eachNs(double calledBy) const
    {
        const double ns = steadyCalls > 0 ? ratio(steadyNs, steadyCalls) : ratio(this->ns, calls);
        return ns + ratio(waitedNs, times(calledBy));
    }
};
using TimesOfApplies = std::unordered_map<ApplyKey, TimesOfApply, ApplyKeyHash>;
using Transfers = std::unordered_map<ApplyKey, const Transfer *, ApplyKeyHash>;

double copiedBytes(const Transfer &transfer) { return ratio(transfer.bytes, transfer.count); }

// The host only gives kernels to a device; it waits for them in the next copy back. What it waits there is time of theirs.
void countWaitsAsKernels(TimesOfApplies &sums, const Transfers &transfers, const std::map<std::string, MachineRoofs> &devices,
                         const std::map<ApplyKey, std::string> &placeOf, double calls)
{
    std::map<std::string, std::pair<double, double>> poolOf; // by device: what kernels lack, what copies waited
    std::map<ApplyKey, double> lacks, waits;
    for (const auto &[key, sum] : sums) {
        const auto transfer = transfers.find(key);
        const double now = sum.eachNs(calls) * sum.times(calls);
        if (transfer != transfers.end()) {
            const auto roofs = devices.find(transfer->second->device);
            const double copying = roofs == devices.end() || transfer->second->direction == "HtoD"
                                       ? -1
                                       : roofs->second.copyingNs(copiedBytes(*transfer->second), false);
            if (copying < 0 || now <= copying * sum.times(calls)) continue;
            waits[key] = now - copying * sum.times(calls);
            poolOf[transfer->second->device].second += waits[key];
        } else if (const auto place = placeOf.find(key); sum.deviceCalls > 0 && place != placeOf.end()) {
            const double there = static_cast<double>(sum.deviceNs) / static_cast<double>(sum.deviceCalls) * sum.times(calls);
            if (there <= now) continue;
            lacks[key] = there - now;
            poolOf[place->second].first += lacks[key];
        }
    }
    for (const auto &[key, ns] : lacks) {
        const auto &[lacking, waited] = poolOf[placeOf.at(key)];
        sums[key].waitedNs += ns * std::min(1.0, ratio(waited, lacking));
    }
    for (const auto &[key, ns] : waits) {
        const auto &[lacking, waited] = poolOf[transfers.at(key)->device];
        sums[key].waitedNs -= ns * std::min(1.0, ratio(lacking, waited));
    }
}

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
    // A new value of a shared variable stays on its device.
    for (const FunctionUpdate &update : function.updates)
        for (const VariableRow &variable : data.variables)
            if (variable.graph == function.graph && variable.variable == update.variable && variable.bytes >= 0 && room.arraysOut > 0)
                --room.arraysOut, room.bytesOut = std::max(0.0, room.bytesOut - static_cast<double>(variable.bytes));
}

// The ops that have most of the time that has no bound, by name.
std::string namesOfUnknown(const ProfileData &data, const FunctionInfo &function, const Headroom &room)
{
    std::map<ApplyId, const ApplyRow *> rows;
    const auto applies = data.applies.of(function.graph);
    for (const ApplyRow &row : *applies) rows[row.apply] = &row;
    std::map<std::string, double> times;
    for (const ApplyRoof &one : room.applies) {
        const auto row = rows.find(one.what.apply.apply);
        if (one.bound != Bound::Unknown || row == rows.end()) continue;
        const std::string name = classNameOf(row->second->opClass);
        times[row->second->implementation == "Py" ? "Python op " + name : name] += one.nowNs;
    }
    std::vector<std::pair<std::string, double>> sorted(times.begin(), times.end());
    std::ranges::stable_sort(sorted, std::ranges::greater(), &std::pair<std::string, double>::second);
    std::string names;
    for (const auto &[name, ns] : sorted)
        if (names.empty() || ns > room.unknownNs / 4) names += (names.empty() ? "" : ", ") + name;
    return names;
}

} // namespace

Headroom makeHeadroom(const ProfileData &data, FunctionId function)
{
    Headroom result;
    result.function = function;
    result.threads = threadsOf(data.flags, data.machine.facts);
    double thunks = 0;
    TimesOfApplies sums;
    const auto info = std::ranges::find(data.functions, function, &FunctionInfo::id);
    if (info == data.functions.end() || info->run.calls <= 0) return result;
    result.calls = info->run.calls;
    for (const ApplyStats &stats : data.stats) {
        if (stats.graph != info->graph) continue;
        TimesOfApply &sum = sums[{stats.graph, stats.apply}];
        sum.calls += stats.calls;
        sum.ns += stats.totalNs;
        thunks += static_cast<double>(stats.totalNs);
        if (stats.steady) sum.steadyCalls += stats.calls, sum.steadyNs += stats.totalNs;
        if (stats.deviceNs) sum.deviceCalls += stats.calls, sum.deviceNs += *stats.deviceNs;
    }
    const auto calls = static_cast<double>(info->run.calls);
    result.aroundNs = std::max(0.0, (static_cast<double>(info->run.totalNs) - thunks) / calls);
    const Roofline roofline = makeRoofline(data, function);
    std::map<std::string, MachineRoofs> devices = roofsByDevice(data.machine.roofs);
    for (const auto &[name, roofs] : devices)
        if (roofs.areMeasured()) result.devices.emplace(name, roofs);
    countArguments(data, *info, result);
    std::set<ApplyKey> copying; // other ops may copy something besides what they compute
    for (const ApplyRow &row : data.applies)
        if (roleOf(row) == OpRole::Transfer) copying.insert({row.graph, row.apply});
    Transfers transfers;
    for (const Transfer &transfer : data.devices.transfers)
        if (transfer.count > 0 && copying.contains({transfer.graph, transfer.apply}))
            transfers.emplace(ApplyKey{transfer.graph, transfer.apply}, &transfer);
    std::map<ApplyKey, std::string> placeOf;
    for (const RooflinePoint &point : roofline.points) placeOf[point.apply] = point.device;
    for (const UnplacedApply &one : roofline.unplaced) placeOf[one.what.apply] = one.what.device;
    countWaitsAsKernels(sums, transfers, devices, placeOf, calls);
    std::map<std::string, double> beginning; // of each device: the least that an apply took which does next to nothing
    for (const auto &[name, roofs] : devices)
        if (roofs.launchNs > 0) beginning[name] = roofs.launchNs;
    std::set<std::string> unmeasured;
    const auto add = [&](const RooflinePoint &point, Unplaced why) {
        const TimesOfApply &sum = sums[point.apply];
        ApplyRoof row;
        row.what = point;
        const double each = sum.eachNs(calls), times = sum.times(calls);
        row.what.nsPerCall = each;
        row.nowNs = row.leastNs = each * times;
        row.why = why;
        const auto transfer = transfers.find(point.apply);
        row.isTransfer = transfer != transfers.end();
        if (row.isTransfer) {
            row.isToDevice = transfer->second->direction == "HtoD";
            row.copiedBytes = copiedBytes(*transfer->second);
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
    result.unknownOps = namesOfUnknown(data, *info, result);
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

// What is changed of each apply.
struct OfApplies {
    explicit OfApplies(const WhatIf &all) : change(all), gone(all.gone.begin(), all.gone.end())
    {
        for (const Reached &one : all.atRoof) reached.emplace(one.apply, one.share);
    }
    const WhatIf &change;
    std::unordered_set<ApplyKey, ApplyKeyHash> gone;
    std::unordered_map<ApplyKey, double, ApplyKeyHash> reached; // and how much of the way to the roof
};

// Where it is: nearer to its roof, shared by other threads.
double hereNs(const ApplyRoof &row, const Headroom &headroom, const OfApplies &changed)
{
    const WhatIf &change = changed.change;
    double ns = row.nowNs;
    const auto reached = changed.reached.find(row.what.apply);
    if (reached != changed.reached.end()) ns -= std::clamp(reached->second, 0.0, 1.0) * row.gainNs();
    const bool isShared = change.threads > 0 && row.what.device == "cpu" && row.bound != Bound::Unknown && row.bound != Bound::Beginning &&
                          couldBeShared(row.what.flops, row.what.bytes);
    return isShared ? ns * headroom.threads / change.threads : ns;
}

double callNsOn(const Headroom &headroom, const WhatIf &change)
{
    const auto found = headroom.devices.find(change.device);
    const MachineRoofs roofs = found == headroom.devices.end() ? MachineRoofs() : found->second;
    const int threads = change.threads > 0 ? change.threads : headroom.threads;
    const OfApplies changed(change);
    double ns = headroom.aroundNs;
    bool isMoved = false;
    for (const ApplyRoof &row : headroom.applies) {
        if (changed.gone.contains(row.what.apply)) continue;
        const bool isThere = row.what.device == change.device;
        if (row.isTransfer) {
            if (change.device == "cpu") continue; // there is nobody to copy for
            const double copying = roofs.copyingNs(row.copiedBytes, row.isToDevice);
            ns += isThere || copying < 0 ? hereNs(row, headroom, changed) : copying * ratio(row.nowNs, row.what.nsPerCall);
            continue;
        }
        const std::optional<double> there = isThere ? std::nullopt : elsewhereNs(row, roofs, change.device, threads);
        ns += there ? *there : hereNs(row, headroom, changed);
        isMoved = isMoved || (there && row.what.device == "cpu");
    }
    if (!isMoved || change.device == "cpu") return ns;
    // What the script gives and gets is the host's.
    return ns + headroom.arraysIn * roofs.copyNs + (roofs.toDevice > 0 ? headroom.bytesIn / roofs.toDevice * 1e9 : 0) +
           headroom.arraysOut * roofs.copyNs + (roofs.toHost > 0 ? headroom.bytesOut / roofs.toHost * 1e9 : 0);
}

} // namespace

bool Headroom::isBounded() const
{
    return std::ranges::any_of(applies, [](const ApplyRoof &row) { return row.bound != Bound::Unknown; });
}

double callNsIf(const Headroom &headroom, const WhatIf &change)
{
    if (!change.device.empty()) return callNsOn(headroom, change);
    const OfApplies changed(change);
    double ns = headroom.aroundNs;
    for (const ApplyRoof &row : headroom.applies)
        if (!changed.gone.contains(row.what.apply)) ns += hereNs(row, headroom, changed);
    return ns;
}

Sureness surenessOf(const Headroom &headroom, const WhatIf &change)
{
    if (change.threads <= 0 || change.threads >= headroom.threads) return Sureness::AtBest;
    return change.atRoof.empty() && change.gone.empty() && change.device.empty() ? Sureness::AtWorst : Sureness::About;
}

} // namespace profiler
