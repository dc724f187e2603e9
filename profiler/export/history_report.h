#pragma once
// The history of a script as text and as JSON.

#include "profiler/compare/history.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace profiler {

// A table for each function, the oldest session first, with what changed before a line above it. Of more than `most` sessions the last.
[[nodiscard]] std::string historyReport(const History &history, std::size_t most = 40);
[[nodiscard]] nlohmann::json historyJson(const History &history);
// "since 12 May 14:03", in local time; with the year where it is not that of `nowMs`.
[[nodiscard]] std::string dayText(std::int64_t unixMs, std::int64_t nowMs);

} // namespace profiler
