#pragma once
// The order of applies that needs the least memory at once.

#include "profiler/session/model/model_graph.h"
#include "profiler/session/model/model_run.h"

#include <span>

namespace profiler {

struct MinimumPeak {
    std::int64_t bytes = 0;
    bool complete = true; // false: too many orders, this is the best of those looked at
};

// Of all devices together. `inputs` may hold other graphs, too. What nobody reads is an output and stays. At most `maxStates`
// partial orders are looked at; with more than 64 applies, a beam of them.
[[nodiscard]] MinimumPeak minimumPeak(std::span<const BufferRow> buffers, std::span<const ApplyInput> inputs,
                                      std::size_t maxStates = 200'000);

} // namespace profiler
