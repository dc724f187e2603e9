#pragma once
// Numbers and words of the reports; all times of the model are nanoseconds, all reports say seconds.

#include "profiler/stats/times/ground.h"

#include <cstdint>
#include <string>
#include <vector>

namespace profiler {

[[nodiscard]] inline double seconds(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }
[[nodiscard]] double percentOf(std::int64_t part, std::int64_t whole); // 0 when the whole is
// Three digits and a unit that fits: "12.4 us".
[[nodiscard]] std::string duration(double ns);
[[nodiscard]] inline std::string duration(std::int64_t ns) { return duration(static_cast<double>(ns)); }
// "a, b and c".
[[nodiscard]] std::string listed(const std::vector<std::string> &words);
// At most `width` bytes: longer ones end in "...".
[[nodiscard]] std::string elided(const std::string &text, std::size_t width);

} // namespace profiler
