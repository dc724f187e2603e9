#pragma once
// The two graphs of the made-up session: a training step of logistic regression, and its prediction.

#include "tests/profiler/session/fixture_graph.h"

namespace profiler::fixture {

extern const char *const kScript;
extern const char *const kScriptPath;

enum class Part { Train, Predict };

// Adds the original graph, rewrites it through all phases and finishes it.
void buildLogisticRegression(FixtureGraph &graph, Part part);
// A graph of about `nodes` applies in layers, with merges, folds and fusions all over.
void buildLayers(FixtureGraph &graph, int nodes);

// The catalogue of the rewrites that the two use.
std::vector<RewriteInfo> catalogue();

} // namespace profiler::fixture
