#pragma once
// Graphs by their content: equal numbers mean equal graphs, whatever ids, files and machines they had.

#include "profiler/stats/times/profile_data.h"

#include <cstdint>
#include <string_view>

namespace profiler {

[[nodiscard]] std::uint64_t fingerprintOf(std::string_view text);

enum class GraphStage : std::uint8_t { Original, Optimized };
// Ops with what they read, in their order.
[[nodiscard]] std::uint64_t fingerprintOf(const RowsOfGraphs<ApplyRow> &applies, GraphId graph, GraphStage stage);

// What can be told of functions without their graphs: names, inputs, numbers of applies as written.
[[nodiscard]] std::uint64_t signatureOf(const std::vector<FunctionInfo> &functions);

} // namespace profiler
