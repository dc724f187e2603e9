// The sizes of arrays that rewrites took away: what the applies as they were written would have read and made.
#pragma once

#include "engine/graph/ir/function_graph.h"

#include <unordered_map>

namespace engine {

using SizesByVariable = std::unordered_map<std::uint32_t, Dims>;

/// Adds to `sizes`, those of arrays of the final graph, what follows from them for the inputs and outputs of the original applies.
/// What depends on values is left out.
void addOriginalSizes(const FunctionGraph &graph, SizesByVariable &sizes);

} // namespace engine
