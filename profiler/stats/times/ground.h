#pragma once
// Small things that several files here need.

#include "profiler/session/model/function_title.h"

#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>

namespace profiler {

[[nodiscard]] inline double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }
[[nodiscard]] inline double ratio(std::int64_t part, std::int64_t whole)
{
    return ratio(static_cast<double>(part), static_cast<double>(whole));
}

[[nodiscard]] inline std::string lowered(std::string_view text)
{
    std::string result(text);
    for (char &letter : result) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return result;
}

// printf into a string.
[[nodiscard]] __attribute__((format(printf, 1, 2))) std::string format(const char *pattern, ...);

// "1 step", "3 steps".
[[nodiscard]] inline std::string counted(std::int64_t count, const char *one)
{
    return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

} // namespace profiler
