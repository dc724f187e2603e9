// What a graph gives as it was after an earlier step of rewriting.
#pragma once

#include "engine/runtime/plan/interpreter.h"

namespace engine {

/// The outputs at the graph's present position; `inputs` may be overwritten. What ops of the user overwrite is protected only in the
/// finished graph: before, they work on copies.
std::vector<Value> pastValues(const FunctionGraph &graph, std::span<const Value> inputs, ApplyListener *listener = nullptr);

} // namespace engine
