#pragma once
// Tables and facts of a session as JSON: times in nanoseconds under names that end in Ns.

#include "profiler/stats/machine/headroom.h"
#include "profiler/stats/times/tables.h"

#include <nlohmann/json_fwd.hpp>

namespace profiler {

// {"session", "functions", "headroom", "summary", "classes", "ops", "applies", "lines", "rewrites"}.
[[nodiscard]] nlohmann::json reportJson(const ProfileData &data, const TableScope &scope = {});
// What a call takes, what it takes at the roofs, and its applies by the difference.
[[nodiscard]] nlohmann::json headroomJson(const Headroom &headroom);
// {"function", "phases": [{"phase", "passes": [{…, "rewrites": […]}]}], "steps": […]}.
[[nodiscard]] nlohmann::json passesJson(const ProfileData &data, FunctionId function, const std::vector<StepInfo> &steps);

} // namespace profiler
