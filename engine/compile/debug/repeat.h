// Two rewritings of one graph, held against each other step by step.
#pragma once

#include "engine/graph/ir/function_graph.h"

#include <optional>
#include <string>

namespace engine {

struct RewriteDifference {
    std::size_t step = 0;       ///< of the journals, from 1 on: up to there they agree
    std::string phase, rewrite; ///< of that step in the first one; in the second where the first had ended
    std::string first, second;  ///< what each did there, for people
};

/// The first step that is not the same in both; nothing if there is none. Both begin with the same graph.
std::optional<RewriteDifference> differenceOf(const FunctionGraph &first, const FunctionGraph &second);

} // namespace engine
