#pragma once
// A graph of a session at the step where its replica stands, as text, DOT and JSON.

#include "profiler/session/model/model_run.h"
#include "profiler/session/store/replica.h"

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

namespace profiler {

// As debugprint: one line per variable, inputs indented below, repeated parts only named.
[[nodiscard]] std::string graphText(const GraphReplica &graph, bool withTypes = false);

struct DotOptions {
    bool compact = true; // hides unnamed intermediate variables; their type goes on the edge
    std::size_t maxLabel = 70;
    std::vector<FunctionUpdate> updates; // drawn from output to shared variable
};

// pydotprint's conventions: ellipses and boxes, fills by kind, blue view and red destroy edges.
[[nodiscard]] std::string graphDot(const GraphReplica &graph, const DotOptions &options = {});

// What stands on the frame around a group: "one kernel: one_pass_over_rows".
[[nodiscard]] std::string groupCaption(const ApplyGroup &group);

// A graph document, which `croton graph G.json` reads: with ids as in the session, and what is known of its applies besides. "missing" says
// what the session lacks to build the graph again.
[[nodiscard]] nlohmann::json graphJson(const GraphReplica &graph, const GraphDocuments &documents, std::span<const FunctionUpdate> updates);

// {"format", "graph", "steps": [{"step", "phase", "pass", "rewrite", "reason", "ns", "edits": [...]}]}: every edit from the
// empty graph to the optimized one.
[[nodiscard]] nlohmann::json journalJson(const GraphReplica &graph);

} // namespace profiler
