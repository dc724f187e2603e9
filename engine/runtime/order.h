// The order in which applies run: inputs first, whoever reads an array before whoever overwrites it, and conditions before what only
// one branch of their choice needs.
#pragma once

#include "engine/graph/function_graph.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace engine {

class Branches;

/// Deterministic. Throws InternalError naming the applies if in-place work makes a cycle.
std::vector<ApplyId> executionOrder(const FunctionGraph &graph);

/// The order of a graph as it was between two passes. Nothing is protected in a graph as it was written, and later in-place work may
/// still make a cycle, which a later pass breaks by copies: then whoever runs it copies what is overwritten (`isOnCopies`).
struct ReplayOrder {
    std::vector<ApplyId> applies;
    bool isOnCopies = false;
};
ReplayOrder replayOrder(const FunctionGraph &graph);

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
