#pragma once
// The values of a call, as the session keeps them.

#include "engine/values/call_values.h"
#include "profiler/session/model/model_values.h"

#include <vector>

namespace profiler {

struct ValuesOf {
    FunctionId function = kNoFunction;
    GraphId graph = kNoGraph;
    std::int64_t call = 0;
    ValueSide side = ValueSide::Original;
};

[[nodiscard]] std::vector<ValueRow> valueRows(const engine::CallValues &values, const ValuesOf &of);
[[nodiscard]] std::vector<ValueNote> valueNotes(const engine::CallValues &values, const ValuesOf &of);

} // namespace profiler
