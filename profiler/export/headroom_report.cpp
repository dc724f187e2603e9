#include "profiler/export/format.h"
#include "profiler/export/json_export.h"
#include "profiler/export/report_parts.h"
#include "profiler/stats/times/profile_parts.h"
#include "profiler/stats/times/scope.h"

#include <nlohmann/json.hpp>

namespace profiler {
namespace {

constexpr double kWorthSaying = 0.01; // of a call

const char *nameOf(Bound bound)
{
    switch (bound) {
    case Bound::Arithmetic: return "arithmetic";
    case Bound::Bytes: return "moving bytes";
    case Bound::Beginning: return "beginning it";
    case Bound::Unknown: break;
    }
    return "not known";
}

} // namespace

std::string headroomText(const ProfileData &data, const TableScope &scope, int rows)
{
    const InScope inScope(scope);
    const ProfileParts parts(data);
    std::string out;
    for (const FunctionInfo &function : data.functions) {
        if (function.run.calls <= 0 || !inScope(function.id)) continue;
        const Headroom room = makeHeadroom(parts.of(function.id), function.id);
        if (room.applies.empty()) continue;
        const std::string bound =
            room.isMostlyUnknown() && room.isBounded()
                ? format("%.0f%% of the time has no known bound (%s)", 100 * room.unknownNs / room.nowNs, room.unknownOps.c_str())
            : room.isBounded()
                ? format("at least %s at the roofs: at most %.1f times as fast", duration(room.leastNs).c_str(), room.atMost())
                : "and no roof is known for any of it";
        out += format("  %-24s %10s a call, %s\n", titleIn(24, function).c_str(), duration(room.nowNs).c_str(), bound.c_str());
        int shown = 0;
        for (const ApplyRoof &row : room.applies) {
            if (shown == rows || row.gainNs() < kWorthSaying * room.nowNs) break;
            ++shown;
            out += format("    %10s less: %s, at least %s (%s)  %s\n", duration(row.gainNs()).c_str(), duration(row.nowNs).c_str(),
                          duration(row.leastNs).c_str(), nameOf(row.bound), elided(row.what.label, 80).c_str());
        }
        if (room.unknownNs >= kWorthSaying * room.nowNs)
            out += format("    %10s stay as they are: applies that run Python or a graph of their own, or without known sizes or roofs\n",
                          duration(room.unknownNs).c_str());
        if (room.aroundNs >= kWorthSaying * room.nowNs)
            out += format("    %10s stay as they are: what is around the applies, mean of all calls\n", duration(room.aroundNs).c_str());
        if (!room.unmeasured.empty())
            out += format("    no roofs were measured of %s: its applies count as they are\n", listed(room.unmeasured).c_str());
    }
    return out.empty() ? out : "At the roofs of this machine\n" + out + "\n";
}

nlohmann::json headroomJson(const Headroom &room)
{
    nlohmann::json applies = nlohmann::json::array();
    for (const ApplyRoof &row : room.applies)
        applies.push_back({{"name", row.what.label},
                           {"graph", raw(row.what.apply.graph)},
                           {"apply", raw(row.what.apply.apply)},
                           {"nowNs", row.nowNs},
                           {"leastNs", row.leastNs},
                           {"bound", nameOf(row.bound)}});
    return {{"function", raw(room.function)}, {"calls", room.calls},          {"nowNs", room.nowNs},     {"leastNs", room.leastNs},
            {"aroundNs", room.aroundNs},      {"unknownNs", room.unknownNs},  {"threads", room.threads}, {"atMost", room.atMost()},
            {"unmeasured", room.unmeasured},  {"applies", std::move(applies)}};
}

} // namespace profiler
