// From the journal: what became of every original apply, and where every final one comes from.
#pragma once

#include "engine/graph/ir/function_graph.h"

#include <vector>

namespace engine {

struct FinalFate {
    ApplyId apply{};
    FateKind kind = FateKind::Kept;
    std::vector<ApplyId> to;   ///< live applies at the end (itself if kept)
    std::vector<VarId> leaves; ///< inputs or constants that carry its value, where no apply does
};

struct Lineage {
    /// One per original apply, in id order.
    std::vector<FinalFate> fates;
    /// Indexed by apply id (tombstones included): the original applies it descends from, sorted.
    std::vector<ShortList<ApplyId, 2>> origins;
    /// Indexed by apply id: indices of the steps that made it and its forebears, ascending.
    std::vector<ShortList<std::uint32_t, 2>> birth;

    /// The user's lines behind an apply, each once, in the order of its origins.
    std::vector<TraceId> sources(const FunctionGraph &graph, ApplyId apply) const;
};

/// The graph must stand at its last step.
Lineage traceLineage(const FunctionGraph &graph);

} // namespace engine
