#pragma once
// Rows of the bodies of Composites, which a session holds as nothing but the edits that build them.

#include "profiler/session/model_graph.h"
#include "profiler/session/replica.h"

#include <span>
#include <vector>

namespace profiler {

struct Body {
    GraphId graph = kNoGraph;
    std::vector<Edit> edits; // of step 0; its applies come in the order of execution
};

// Throw SessionError for numbers of strings that are not in the session.
[[nodiscard]] std::vector<ApplyRow> applyRows(const Body &body, const StringTable &texts);
[[nodiscard]] std::vector<VariableRow> variableRows(const Body &body, const StringTable &texts);

} // namespace profiler
