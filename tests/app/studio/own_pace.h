// How fast this machine is now, as a measure for what tests allow.
#pragma once

#include "tests/app/studio/watchdog.h"

#include <algorithm>
#include <vector>

/// What this machine takes now for a piece of work that takes 10 ms on the one the bound was chosen on.
inline double tenMs()
{
    double best = 1e9;
    for (int round = 0; round < 5; ++round) {
        std::vector<unsigned> numbers(38'000);
        unsigned at = 1;
        for (unsigned &number : numbers) number = at = at * 1664525u + 1013904223u;
        const double start = Watchdog::threadMs();
        std::sort(numbers.begin(), numbers.end());
        best = std::min(best, Watchdog::threadMs() - start);
    }
    return best;
}
