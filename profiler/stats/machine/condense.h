#pragma once
// Things that need one another in turn as one: what is left closes no cycle.

#include <utility>
#include <vector>

namespace profiler {

struct Condensed {
    int count = 0;
    std::vector<int> of;    // part of each thing
    std::vector<int> order; // parts, so that what comes first needs nothing behind it
};

[[nodiscard]] Condensed condense(int things, const std::vector<std::pair<int, int>> &edges);

} // namespace profiler
