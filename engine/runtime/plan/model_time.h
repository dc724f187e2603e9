// How long an apply takes by a ModelClock.
#pragma once

#include "engine/graph/op/op.h"
#include "engine/tensor/clock.h"

#include <algorithm>

namespace engine {

/// It began at `start`. If it ran others, which took longer, it takes what they took.
inline void takeModelTime(std::uint64_t start, const Cost &cost)
{
    // About what a core of a present machine does.
    constexpr double kNsOfAnApply = 500, kFlopsPerNs = 2, kBytesPerNs = 4;
    ModelClock::reach(start + static_cast<std::uint64_t>(kNsOfAnApply + std::max(cost.flops / kFlopsPerNs, cost.bytes / kBytesPerNs)));
}

} // namespace engine
