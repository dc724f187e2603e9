#include "profiler/memory/min_peak.h"

#include "engine/liveness/least_peak.h"
#include "profiler/memory/planned_task.h"

#include <numeric>
#include <set>

namespace profiler {

MinimumPeak minimumPeak(std::span<const BufferRow> buffers, std::span<const ApplyInput> inputs, std::size_t maxStates)
{
    PlannedTask planned = plannedTask({buffers, inputs, {}, {}, {}, {}});
    liveness::Task &task = planned.task;
    if (task.works.empty()) return {};
    // What nobody reads is an output: the caller does, in the end.
    std::set<int> read;
    for (const liveness::Work &work : task.works) read.insert(work.reads.begin(), work.reads.end());
    liveness::Work caller;
    caller.after.resize(task.works.size());
    std::iota(caller.after.begin(), caller.after.end(), 0);
    for (std::size_t i = 0; i < task.values.size(); ++i)
        if (task.values[i].maker >= 0 && !read.contains(static_cast<int>(i))) caller.reads.push_back(static_cast<int>(i));
    planned.order.push_back(static_cast<int>(task.works.size()));
    task.works.push_back(std::move(caller));
    liveness::OrderLimits limits;
    limits.exactWorks = task.works.size();
    limits.states = maxStates;
    const liveness::FoundOrder found = leastPeak(task, planned.order, limits);
    return {found.peak, found.isLeast};
}

} // namespace profiler
