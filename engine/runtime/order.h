// The order in which applies run: inputs first, and whoever reads an array before whoever overwrites it.
#pragma once

#include "engine/graph/function_graph.h"

#include <vector>

namespace engine {

/// Deterministic. Throws InternalError naming the applies if in-place work makes a cycle.
std::vector<ApplyId> executionOrder(const FunctionGraph &graph);

/// The variable whose memory `var` shares through views and in-place outputs (itself if fresh).
VarId storageRoot(const FunctionGraph &graph, VarId var);

} // namespace engine
