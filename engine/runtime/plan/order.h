// The order in which applies run: inputs first, whoever reads an array before whoever overwrites it, and conditions before what only
// one branch of their choice needs.
#pragma once

#include "engine/graph/ir/function_graph.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace engine {

class Branches;

/// Deterministic. Throws InternalError naming the applies if in-place work makes a cycle.
std::vector<ApplyId> executionOrder(const FunctionGraph &graph);

/// The same for a run on copies of what is overwritten: it does not matter who overwrites what.
std::vector<ApplyId> orderOnCopies(const FunctionGraph &graph);

/// By raw id of an apply that overwrites an input: everybody who has to run before it, because they read what was there.
std::unordered_map<std::uint32_t, std::vector<ApplyId>> readersBeforeDestroyers(const FunctionGraph &graph,
                                                                                std::span<const ApplyId> applies);

/// Members of a group, side by side in the order.
struct OrderedGroup {
    std::size_t first = 0; ///< position in the order
    std::size_t count = 0;
};

/// Moves the members of each group of the graph next to each other. Groups for which that would change a value are left
/// as they lie, and are not among the results.
std::vector<OrderedGroup> keepGroupsTogether(const FunctionGraph &graph, std::vector<ApplyId> &order, const Branches &branches);

/// The variable whose memory `var` shares through views and in-place outputs (itself if fresh).
VarId storageRoot(const FunctionGraph &graph, VarId var);

} // namespace engine
