// Which rewrite changed a value: the journal is replayed, and the graph is run between its steps.
#pragma once

#include "engine/graph/ir/function_graph.h"
#include "engine/tensor/value.h"

#include <optional>
#include <span>
#include <string>

namespace engine {

struct Blame {
    std::size_t step = 0; ///< of the journal, from 1 on: the graph before it was right
    std::string phase, rewrite, reason;
    std::size_t output = 0;
    std::string difference; ///< "7 became 9", "shape (3,) became (1,)", or the error that running ends with
};

/// Nothing if the first graph of the journal and the last one agree on these values of all inputs, shared ones
/// included, or if the first one does not agree with itself. The graph is left where it was; the inputs are not changed.
/// `output`: only this one is looked at.
std::optional<Blame> findGuiltyStep(FunctionGraph &graph, std::span<const Value> inputs, std::optional<std::size_t> output = {});

} // namespace engine
