// What only the branch of a switch needed that is never taken, or one of a choice that may not be taken: its sizes need not fit.
#pragma once

#include "engine/graph/ir/function_graph.h"

#include <vector>

namespace engine {

/// By original apply: was it, as the graph was written, only in a branch of a choice, or in one that a constant condition rules out, or
/// such a switch itself? Empty: there is neither.
std::vector<bool> inDroppedBranches(const FunctionGraph &graph);

} // namespace engine
