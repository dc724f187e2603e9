#pragma once
// The recorded buffers of one plan as works, values and arrays, to ask what its memory could be.

#include "engine/liveness/task_builder.h"
#include "profiler/session/model/model_graph.h"
#include "profiler/session/model/model_run.h"

#include <functional>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace profiler {

// What a session knows of a plan beside its buffers.
struct PlanFacts {
    std::span<const BufferRow> buffers;
    std::span<const ApplyInput> inputs;        // may hold other graphs, too
    std::set<VariableId> outputs;              // of the graph
    std::vector<VariableId> returned;          // the same in the order in which they are returned; empty: not known, or a schedule was made
    std::map<ApplyKey, int> passes;            // applies with the same number run one behind the other, and their memory lives as long
    std::vector<std::vector<ApplyKey>> groups; // what the engine runs like that where it can
    std::map<ApplyKey, double> repeats;        // what may be done again, and its price in ns by the cost model
    std::string device = "cpu";                // whose memory is counted; empty: all
};

struct PlannedTask {
    liveness::Task task;
    std::vector<int> order;                     // as it ran
    std::vector<std::vector<ApplyKey>> applies; // by work
    std::map<int, VariableId> variables;        // by value
    std::int64_t copiedBytes = 0;               // of what is returned and lies in an input: the caller gets a copy, behind the last work
};

// `bytesOf`: what a variable takes; null: what was recorded. Without work in place nothing waits for readers, so applies run in the
// order that the outputs ask for, where it is known.
[[nodiscard]] PlannedTask plannedTask(const PlanFacts &facts, liveness::TaskBuilder::WhatIf whatIf = {},
                                      const std::function<std::int64_t(const BufferRow &)> &bytesOf = {});

} // namespace profiler
