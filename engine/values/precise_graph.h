// A whole graph with more digits: what its outputs should be.
#pragma once

#include "engine/graph/ir/function_graph.h"
#include "engine/values/reference.h"

namespace engine {

struct PreciseGraph {
    std::vector<Value> values;         ///< of the outputs, as a call gives them
    std::vector<PreciseRef> wanted;    ///< of the outputs; null: there is none
    std::vector<Reference> references; ///< of each output the worst of all that it was made of
    std::vector<std::string> notes;    ///< why not all are Precise, each once
};

/// `wanted` are the references of `values`, which are those of graph.inputs(); null where there is none.
PreciseGraph preciseGraph(const FunctionGraph &graph, std::span<const ApplyId> order, std::span<const Value> values,
                          std::span<const PreciseRef> wanted, ReferenceBudget &budget);
/// Where the inputs are right as they are.
PreciseGraph preciseGraph(const FunctionGraph &graph, std::span<const ApplyId> order, std::span<const Value> values,
                          ReferenceBudget &budget);

} // namespace engine
