#include "profiler/memory/alternatives.h"

#include "engine/liveness/placement.h"
#include "engine/liveness/recompute.h"

#include <algorithm>

namespace profiler {
namespace {

// For the next call.
bool isArenaKept(std::int64_t arenaBytes) { return arenaBytes <= static_cast<std::int64_t>(liveness::kKeptArenaBytes); }

MemoryAlternative described(MemoryChoice choice, std::string name, std::string flags)
{
    MemoryAlternative one;
    one.choice = choice;
    one.name = std::move(name);
    one.flags = std::move(flags);
    return one;
}

void count(MemoryAlternative &one, const liveness::Usage &usage, std::int64_t copiedBytes, const BesideArrays &beside)
{
    one.bytes = usage.bytes() + copiedBytes + beside.workBytes;
    one.betweenCalls = isArenaKept(usage.arena) ? usage.arena : 0;
    one.live = usage.live;
}

void noteRepeats(MemoryAlternative &one, const liveness::Schedule &schedule, const PlannedTask &planned)
{
    for (const liveness::Repeat &repeat : schedule.repeats) {
        int work = repeat.work; // of one that is a repeat itself, what it repeats
        for (std::size_t i = schedule.repeats.size(); i-- > 0 && static_cast<std::size_t>(work) >= planned.applies.size();)
            if (schedule.repeats[i].again == work) work = schedule.repeats[i].work;
        const liveness::Work &done = planned.task.works[static_cast<std::size_t>(work)];
        RepeatedApply row;
        row.apply = planned.applies[static_cast<std::size_t>(work)].front();
        row.ns = done.cost;
        for (int value : done.makes) {
            const auto variable = planned.variables.find(value);
            if (row.variable == kNoVariable && variable != planned.variables.end()) row.variable = variable->second;
            row.bytes += planned.task.arrays[static_cast<std::size_t>(planned.task.values[static_cast<std::size_t>(value)].array)].bytes;
        }
        one.repeats.push_back(row);
        one.repeatNs += row.ns;
    }
}

MemoryAlternative scheduled(MemoryChoice choice, std::string name, std::string flags, const PlannedTask &planned, std::int64_t budget,
                            const liveness::ScheduleLimits &limits, const BesideArrays &beside)
{
    MemoryAlternative one = described(choice, std::move(name), std::move(flags));
    const liveness::Schedule schedule = liveness::fitBudget(planned.task, planned.order, budget, limits);
    count(one, schedule.usage, planned.copiedBytes, beside);
    noteRepeats(one, schedule, planned);
    for (const RepeatedApply &repeat : one.repeats)
        if (const auto held = beside.heldByApply.find(repeat.apply); held != beside.heldByApply.end()) one.bytes += held->second;
    one.isReordered = schedule.order != planned.order;
    one.isExact = schedule.isOrderLeast;
    return one;
}

} // namespace

std::vector<MemoryAlternative> memoryAlternatives(const PlanFacts &facts, const std::map<VariableId, std::string> &types,
                                                  const BesideArrays &beside)
{
    std::vector<MemoryAlternative> all;
    const PlannedTask planned = plannedTask(facts);
    liveness::Usage now = usageOf(planned.task, planned.order);
    if (beside.arenaBytes >= 0) now.arena = beside.arenaBytes;
    const auto add = [&](MemoryAlternative one, const PlannedTask &task) {
        count(one, usageOf(task.task, task.order), task.copiedBytes, beside);
        all.push_back(std::move(one));
    };
    all.push_back(described(MemoryChoice::AsItIs, "as it is", ""));
    count(all.back(), now, planned.copiedBytes, beside);
    add(described(MemoryChoice::NoInplace, "no work in place", "optimizer_excluding=inplace"), plannedTask(facts, {false, true}));
    all.back().bytes -= beside.inplaceWorkBytes;
    add(described(MemoryChoice::NoViews, "no views", ""), plannedTask(facts, {true, false}));
    all.push_back(described(MemoryChoice::NoGc, "allow_gc=False", "allow_gc=False"));
    count(all.back(), now, planned.copiedBytes, beside);
    all.back().betweenCalls = now.arena;
    const auto isDouble = [&](const BufferRow &row) {
        const auto type = types.find(row.variable);
        return type != types.end() && type->second.find("float64") != std::string::npos;
    };
    if (std::any_of(facts.buffers.begin(), facts.buffers.end(), isDouble))
        add(described(MemoryChoice::Float32, "float32 for float64", "floatX=float32"),
            plannedTask(facts, {}, [&](const BufferRow &row) { return isDouble(row) ? row.bytes / 2 : row.bytes; }));
    liveness::ScheduleLimits onlyOrder;
    onlyOrder.repeats = false;
    all.push_back(scheduled(MemoryChoice::LeastOrder, "order of least peak", "memory_budget=order", planned, 0, onlyOrder, beside));
    all.push_back(scheduled(MemoryChoice::Least, "computed again, not kept", "memory_budget=least", planned, 0, {}, beside));
    return all;
}

MemoryAlternative planForBudget(const PlanFacts &facts, std::int64_t budget, const BesideArrays &beside)
{
    const PlannedTask planned = plannedTask(facts);
    return scheduled(MemoryChoice::Least, "within the budget", "memory_budget=" + std::to_string(budget), planned,
                     budget - beside.workBytes - planned.copiedBytes, {}, beside);
}

} // namespace profiler
