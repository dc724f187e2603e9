// A function that may take only so much memory: when the sizes of a call are known, its plan is made to fit.
#include "engine/compile/function_state.h"
#include "engine/compile/memory_budget.h"
#include "engine/liveness/sizes.h"

#include <chrono>
#include <cmath>
#include <cstdio>

namespace engine {
namespace {

std::int64_t bytesOf(const Plan &plan) { return static_cast<std::int64_t>(plan.arenaBytes() + plan.returnedBytes()); }

} // namespace

/// What the call at hand takes beside what its plan lays out.
std::int64_t Function::State::besidePlan(const Plan &plan) const
{
    std::size_t copies = 0;
    for (const Tensor &copy : copiedNow) copies += copy.bytes();
    for (std::size_t i = 0; i < graph->outputs().size(); ++i) { // of a caller's array, it is given a copy
        const BufferInfo &output = plan.outputBuffer(i);
        const VarNode &root = graph->var(output.root);
        const bool isOurs = root.kind == Variable::Kind::Shared || root.kind == Variable::Kind::Constant || root.owner != kNoApply;
        if (!isOurs && output.device == DeviceId::Host) copies += output.bytes;
    }
    return static_cast<std::int64_t>(workBytes() + copies);
}

void Function::State::checkBudgetCanBeKept()
{
    if (spec.mode.memoryBudget == kNoMemoryBudget || spec.parent) return;
    if (debug) warnings.push_back("memory_budget: DebugMode keeps more than any plan, " + spec.name + " is compiled without a budget");
    if (debug || isWhole) return;
    if (spec.mode.memoryBudget < 0) {
        warnings.push_back("memory_budget: " + spec.name + " keeps its order: some sizes are known only while it runs");
        return;
    }
    throw UserError("memory_budget cannot be kept by " + spec.name + ": some sizes are known only while it runs",
                    "leave memory_budget away for this function: theano.function(..., memory_budget='none')");
}

Plan &Function::State::withinBudget(PlannedStage &planned)
{
    const std::int64_t wanted = spec.mode.memoryBudget;
    if (wanted == kNoMemoryBudget || !isWhole || debug || spec.parent) return *planned.last();
    liveness::ScheduleLimits limits;
    limits.repeats = wanted != kLeastPeakOrder;
    std::int64_t least = 0;
    constexpr int kTries = 3; // what runs again may need work space of its own
    for (int tries = 0; tries < kTries; ++tries) {
        const Plan &plan = *planned.last();
        const std::int64_t beside = besidePlan(plan), now = bytesOf(plan) + beside;
        if (wanted < 0 ? !graph->schedule.empty() : now <= wanted) return *planned.last();
        const SizedTask sized = sizedTask(*graph, planned.stage, plan);
        const std::int64_t room = std::max<std::int64_t>(wanted < 0 ? 0 : wanted - beside, 0);
        const liveness::Schedule schedule = liveness::fitBudget(sized.task, sized.order, room, limits);
        least = schedule.usage.bytes() + beside;
        if (schedule.order == sized.order || (wanted >= 0 && least > wanted)) break;
        takeSchedule(planned, sized, schedule);
        planFor(planned);
    }
    Plan &last = *planned.last();
    const std::int64_t now = bytesOf(last) + besidePlan(last);
    if (wanted < 0 || now <= wanted) return last;
    throw OutOfBudget("this call of " + spec.name + " takes at least " + liveness::sizeText(least) + " in any plan that was found (" +
                          liveness::sizeText(now) + " as it is), more than memory_budget = " + liveness::sizeText(wanted),
                      "memory_budget=" + std::to_string(least) + " is enough, and smaller arrays take less");
}

void Function::State::takeSchedule(PlannedStage &planned, const SizedTask &sized, const liveness::Schedule &schedule)
{
    CompileObserver *const observer = compileObserver();
    const auto begin = std::chrono::steady_clock::now();
    const auto exchange = [&] {
        const std::vector<ApplyId> before = order;
        const std::size_t firstStep = graph->journal().steps.size();
        applySchedule(*graph, sized, schedule);
        PassReport report;
        report.phase = "schedule";
        report.pass = "memory_budget";
        report.firstStep = firstStep;
        report.lastStep = graph->journal().steps.size();
        report.nanoseconds = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count());
        rewrites.passes.push_back(report);
        StagedOrder staged = inStages(*graph);
        planned.plans.clear();
        planned.stage = std::move(staged.stages.front());
        branches = std::move(staged.branches);
        order = planned.stage.order;
        lineageTraced = std::make_unique<std::once_flag>();
        statistics.rearrange(before, order);
    };
    if (observer) observer->exchangeOrder(id, exchange);
    else exchange();
    if (observer) {
        observer->passFinished(id, *graph, rewrites.passes.back());
        observer->rescheduled(*self);
    }
}

} // namespace engine
