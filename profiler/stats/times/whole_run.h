#pragma once
// Where the time of a whole script went: in functions, in making them, and in neither.

#include "profiler/stats/times/profile_data.h"

namespace profiler {

// The parts add up to durationNs, but for a session that says less of itself: then the last one is 0.
struct WholeRun {
    std::int64_t durationNs = 0; // of the script, as far as it was recorded
    std::int64_t callNs = 0;     // in all calls of all functions
    std::int64_t compileNs = 0;  // of all functions
    std::int64_t gradNs = 0;     // in grad
    std::int64_t pythonNs = 0;   // the rest: Python, imports, files, waiting

    [[nodiscard]] std::int64_t outsideNs() const { return compileNs + gradNs + pythonNs; }
};

[[nodiscard]] WholeRun wholeRun(const ProfileData &data);

} // namespace profiler
