// The order of works that holds least at once.
#pragma once

#include "engine/liveness/task.h"

#include <cstddef>

namespace liveness {

struct OrderLimits {
    std::size_t exactWorks = 20;  ///< up to so many, all orders count: the answer is the least
    std::size_t states = 200'000; ///< partial orders that are looked at for it
    std::size_t beam = 64;        ///< partial orders that are carried on beyond; fewer, the more works there are
};

struct FoundOrder {
    std::vector<int> order;
    std::int64_t peak = 0; ///< most bytes of the arena that live at once, without what lies beside it
    bool isLeast = false;  ///< no order holds less
};

/// Deterministic. The result holds no more than `now`, which comes back where it is no valid order.
FoundOrder leastPeak(const Task &task, std::span<const int> now, const OrderLimits &limits = {});

} // namespace liveness
