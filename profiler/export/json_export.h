#pragma once
// Tables and facts of a session as JSON: times in nanoseconds under names that end in Ns.

#include "profiler/stats/tables.h"

#include <nlohmann/json_fwd.hpp>

namespace profiler {

// {"session", "functions", "summary", "classes", "ops", "applies", "lines", "rewrites"}.
[[nodiscard]] nlohmann::json reportJson(const ProfileData &data, const TableScope &scope = {});
// {"function", "phases": [{"phase", "passes": [{…, "rewrites": […]}]}], "steps": […]}.
[[nodiscard]] nlohmann::json passesJson(const ProfileData &data, FunctionId function, const std::vector<StepInfo> &steps);

} // namespace profiler
