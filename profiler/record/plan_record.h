// A function's plan as rows: where each array lies, how long it lives, and the peaks that follow.
#pragma once

#include "engine/compile/function.h"
#include "profiler/session/writer.h"

#include <vector>

namespace profiler {

void recordPlan(SessionWriter &writer, FunctionId function, GraphId graph, const engine::Function &source,
                const std::vector<engine::BufferInfo> &buffers);

} // namespace profiler
