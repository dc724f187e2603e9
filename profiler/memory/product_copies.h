#pragma once
// What products hold of matrices that lie badly.

#include "profiler/memory/planned_task.h"
#include "profiler/session/model/model_graph.h"
#include "profiler/session/model/model_run.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace profiler {

// A product copies a matrix of which neither rows nor columns lie one behind the other. One that was written in place lies as the array
// did that it overwrote; a fresh one lies well.
struct ProductCopies {
    std::map<ApplyKey, std::int64_t> bytes; // of each product that holds some
    std::int64_t forInplace = 0;            // of all of them, what is only needed because others work in place
};
[[nodiscard]] ProductCopies productCopies(std::span<const BufferRow> buffers, std::span<const ApplyInput> inputs,
                                          const std::map<ApplyKey, const ApplyRow *> &applies);

} // namespace profiler
