#include "profiler/compare/device_pairs.h"

#include "profiler/session/model/function_title.h"
#include "profiler/stats/times/tables.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace profiler {
namespace {

using ClockKey = std::tuple<int, std::string, bool, TimedBy>; // the host stands before devices, what is around applies behind them

std::map<ClockKey, double> sharesOf(const ProfileData &data, const FunctionInfo &function)
{
    std::map<ClockKey, double> shares;
    const auto calls = static_cast<double>(function.run.calls);
    std::map<ApplyKey, const ApplyRow *> rows;
    for (const ApplyRow &row : data.applies)
        if (row.graph == function.graph) rows[{row.graph, row.apply}] = &row;
    std::int64_t all = 0;
    for (const TableRow &row : makeTable(data, TableKind::Apply, {{function.id}, false, kNoGraph}).rows) {
        const auto apply = row.nodes.empty() ? rows.end() : rows.find(row.nodes.front());
        if (apply == rows.end()) continue;
        const bool isHost = apply->second->device.empty() || apply->second->device == "cpu";
        const std::string device = isHost ? std::string("cpu") : apply->second->device.str();
        const bool transfer = roleOf(*apply->second) == OpRole::Transfer;
        const int order = transfer ? 2 : isHost ? 0 : 1;
        all += row.ns;
        shares[{order, device, transfer, TimedBy::Host}] += static_cast<double>(row.ns) / calls;
        if (row.deviceNs) shares[{order, device, transfer, TimedBy::Device}] += static_cast<double>(*row.deviceNs) / calls;
    }
    shares[{3, std::string(), false, TimedBy::Host}] = static_cast<double>(std::max<std::int64_t>(0, function.run.totalNs - all)) / calls;
    return shares;
}

const FunctionInfo *called(const ProfileData &data, const std::string &name)
{
    const auto found = std::find_if(data.functions.begin(), data.functions.end(),
                                    [&](const FunctionInfo &one) { return shortTitle(one) == name && one.run.calls > 0; });
    return found == data.functions.end() ? nullptr : &*found;
}

} // namespace

std::vector<DevicePair> devicePairs(const ProfileData &a, const ProfileData &b, const std::string &function)
{
    const FunctionInfo *ofA = called(a, function), *ofB = called(b, function);
    if (!ofA || !ofB) return {};
    std::map<ClockKey, DevicePair> pairs;
    const auto add = [&pairs](const std::map<ClockKey, double> &shares, double DevicePair::*side) {
        for (const auto &[key, ns] : shares) {
            DevicePair &pair = pairs[key];
            std::tie(std::ignore, pair.device, pair.transfer, pair.clock) = key;
            pair.*side = ns;
        }
    };
    add(sharesOf(a, *ofA), &DevicePair::a);
    add(sharesOf(b, *ofB), &DevicePair::b);
    std::vector<DevicePair> result;
    for (auto &[key, pair] : pairs) result.push_back(std::move(pair));
    return result;
}

} // namespace profiler
