// Memory too large to be kept for the next call, which a call gave back to the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace engine {

struct GivenBack {
    std::uint64_t startTicks = 0;
    std::uint64_t spentTicks = 0;
    std::size_t bytes = 0;
};

/// Of the last call on this thread of a function that keeps per-apply times; read it in callFinished().
std::vector<GivenBack> &givenBack();

} // namespace engine
