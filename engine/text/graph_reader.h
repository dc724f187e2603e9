// A parsed JSON object as a graph (also for graphs inside ops).
#pragma once

#include "engine/text/graph_document.h"

namespace engine {

/// `elements`: how many elements constants may still hold; what is read is taken off.
GraphDocument readGraph(const JsonValue &object, const std::string &place, int nesting, std::int64_t &elements);

} // namespace engine
