#pragma once
// The order of applies that needs the least memory at once.

#include "profiler/session/model_graph.h"
#include "profiler/session/model_run.h"

#include <span>

namespace profiler {

struct MinimumPeak {
    std::int64_t bytes = 0;
    bool complete = true; // false: too many orders, this is the best of those tried
};

// Tries all valid orders, cutting off what cannot get better. `inputs` may hold other graphs, too. What
// nobody reads is an output and stays. At most `maxStates` partial orders are looked at.
[[nodiscard]] MinimumPeak minimumPeak(std::span<const BufferRow> buffers, std::span<const ApplyInput> inputs,
                                      std::size_t maxStates = 200'000);

} // namespace profiler
