// The text of an error that happened while an apply ran, in Theano's layout.
#pragma once

#include "engine/graph/ir/function_graph.h"
#include "engine/graph/ir/lineage.h"
#include "engine/tensor/tensor.h"

#include <optional>
#include <string>
#include <vector>

namespace engine {

/// exception_verbosity=high: run-time errors end with the apply's expression and a table of the memory it reads.
void setVerboseErrors(bool verbose);

/// The user's lines as a traceback.
std::string linesText(std::span<const TraceId> sources);
std::string describeRunError(const std::string &original, const FunctionGraph &graph, const Lineage &lineage, ApplyId apply,
                             std::size_t toposortIndex, const std::vector<std::optional<Tensor>> &inputs);

} // namespace engine
