// Less memory for more time: another order, and values that are computed again in place of being kept.
#pragma once

#include "engine/liveness/task.h"

#include <cstddef>

namespace liveness {

/// A work that is done again, just before somebody needs what it made.
struct Repeat {
    int work = -1;  ///< the one that is done again, of the task that was given
    int again = -1; ///< the new one, in Schedule::task
    int round = 0;  ///< repeats of one round make one array again
};

/// A work reads another value than before, once the repeats of that round are there.
struct Rewiring {
    int work = -1;
    int round = 0;
    int before = -1, after = -1; ///< values
};

struct Schedule {
    Task task; ///< with the works that are done again behind the others
    std::vector<int> order;
    std::vector<Repeat> repeats; ///< in the order in which they were chosen, makers before readers
    std::vector<Rewiring> rewirings;
    Usage usage;
    double cost = 0; ///< of all repeats, in ns
    bool isOrderLeast = false;
};

struct ScheduleLimits {
    bool reorders = true, repeats = true;
    std::size_t rounds = 400;     ///< arrays that are given up
    std::size_t candidates = 24;  ///< looked at in a round
    std::size_t longestChain = 8; ///< works that are done again for one array
};

/// The first that takes at most `budget` bytes: as it is, in the order of least peak, with as cheap repeats as are found. Where none
/// does, the least that was found. Where `now` is no valid order, it stays.
Schedule fitBudget(const Task &task, std::span<const int> now, std::int64_t budget, const ScheduleLimits &limits = {});

} // namespace liveness
