// A function's plan as rows: where each array lies, how long it lives, and the peaks that follow.
#pragma once

#include "engine/compile/function/function.h"
#include "profiler/session/store/writer.h"

#include <vector>

namespace profiler {

struct TickClock;

/// The plan of the function's last call, as plan number `plan`. Returns what was written.
PlanInfo recordPlan(SessionWriter &writer, int plan, FunctionId function, GraphId graph, const engine::Function &source,
                    const std::vector<engine::BufferInfo> &buffers, const TickClock &clock);

} // namespace profiler
