// The catalogue of rewrites, and what was tried and declined on a graph.
#pragma once

#include "engine/graph/ir/function_graph.h"
#include "engine/rewrite/machine/report.h"
#include "profiler/session/store/writer.h"

#include <unordered_set>

namespace profiler {

/// Every registered rewrite with its why, when it hurts and its first example; those that are `known` stand there already.
void recordCatalogue(SessionWriter &writer, std::unordered_set<const engine::RewriteInfo *> &known);
/// Counted reasons, samples, and the last word of each rewrite on the applies of the final graph.
void recordDeclines(SessionWriter &writer, GraphId graph, int stepCount, const engine::RewriteReport &report, std::size_t mostDeclines);

} // namespace profiler
