// What only the branch of a switch needed that is never taken: a known condition takes the sizes of that branch with it.
#pragma once

#include "engine/graph/function_graph.h"

#include <vector>

namespace engine {

/// By original apply: was it, as the graph was written, only in a branch that a constant condition rules out, or such a switch
/// itself? Empty: there is no such switch.
std::vector<bool> inDroppedBranches(const FunctionGraph &graph);

} // namespace engine
