#pragma once
// Rows of the bodies of Composites, which a session holds as nothing but the edits that build them.

#include "profiler/session/model/model_graph.h"
#include "profiler/session/store/replica.h"

#include <span>
#include <vector>

namespace profiler {

// What a session holds of one.
struct PackedBody {
    GraphId graph = kNoGraph;
    GraphId parent = kNoGraph;
    Step import;
    std::vector<std::uint8_t> origins;
};

// `edits`: of its step 0, whose applies come in the order of execution. Throw SessionError for numbers of strings that are not
// in the session.
[[nodiscard]] std::vector<ApplyRow> applyRows(GraphId body, std::span<const Edit> edits, const StringTable &texts);
[[nodiscard]] std::vector<VariableRow> variableRows(GraphId body, std::span<const Edit> edits, const StringTable &texts);
// Of its applies, by their ids.
[[nodiscard]] std::vector<OriginRow> originRows(const PackedBody &body, std::span<const ApplyRow> applies);

} // namespace profiler
