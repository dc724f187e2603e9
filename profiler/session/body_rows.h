#pragma once
// Rows of the bodies of Composites, which a session holds as nothing but the edits that build them.

#include "profiler/session/model_graph.h"
#include "profiler/session/replica.h"

#include <span>
#include <vector>

namespace profiler {

// `edits`: of its step 0, whose applies come in the order of execution. Throw SessionError for numbers of strings that are not
// in the session.
[[nodiscard]] std::vector<ApplyRow> applyRows(GraphId body, std::span<const Edit> edits, const StringTable &texts);
[[nodiscard]] std::vector<VariableRow> variableRows(GraphId body, std::span<const Edit> edits, const StringTable &texts);

} // namespace profiler
