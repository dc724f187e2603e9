#pragma once
// The ranks of one job side by side, as text and as JSON.

#include "profiler/stats/machine/ranks.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace profiler {

[[nodiscard]] std::string ranksReport(const Job &job);
[[nodiscard]] nlohmann::json ranksJson(const Job &job);
// Which rank the others wait for, and with what it is slower; or why nothing can be said.
[[nodiscard]] std::string verdictSentence(const Job &job);

} // namespace profiler
