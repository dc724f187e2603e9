#pragma once
// What the memory of a function could be, as text and as JSON.

#include "profiler/stats/advice/memory_choices.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <optional>
#include <string>

namespace profiler {

// What a run with the flags of each alternative measured; those that were not run are missing.
using MeasuredChoices = std::map<MemoryChoice, std::int64_t>;

[[nodiscard]] std::string memoryChoicesReport(const ProfileData &data, const MemoryChoices &choices, const std::string &title,
                                              const MeasuredChoices &measured = {});
[[nodiscard]] std::string budgetReport(const ProfileData &data, const MemoryChoices &choices, std::int64_t budget);
[[nodiscard]] nlohmann::json memoryChoicesJson(const MemoryChoices &choices, const std::string &title, std::optional<std::int64_t> budget,
                                               const MeasuredChoices &measured = {});

} // namespace profiler
