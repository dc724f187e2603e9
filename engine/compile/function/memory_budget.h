// Less memory: another order of the applies, and applies that run again in place of keeping what they made. The arithmetic is
// engine/liveness; here it meets a graph and the sizes of a call.
#pragma once

#include "engine/compile/request/mode.h"
#include "engine/liveness/recompute.h"
#include "engine/runtime/plan/plan.h"
#include "engine/runtime/plan/stages.h"

#include <vector>

namespace engine {

/// A plan in numbers, and what the numbers stand for.
struct SizedTask {
    liveness::Task task;
    std::vector<int> order;
    std::vector<std::vector<ApplyId>> applies; // by work
    std::vector<VarId> variables;              // by value
};
SizedTask sizedTask(const FunctionGraph &graph, const Stage &stage, const Plan &plan);

/// Takes over what was found: repeats become applies, a step of the journal for each array that is not kept, and the order that of
/// the graph. False, and nothing changed: it is the order that stands already.
bool applySchedule(FunctionGraph &graph, const SizedTask &sized, const liveness::Schedule &schedule);

} // namespace engine
