// A function that may take only so much memory: when the sizes of a call are known, its plan is made to fit.
#include "engine/compile/function/function_state.h"
#include "engine/compile/function/memory_budget.h"
#include "engine/liveness/sizes.h"
#include "engine/tensor/clock.h"

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
    for (const Tensor &copy : room.copies) copies += copy.bytes();
    for (std::size_t i = 0; i < compiled.graph->outputs().size(); ++i) { // of a caller's array, it is given a copy
        const BufferInfo &output = plan.outputBuffer(i);
        const VarNode &root = compiled.graph->var(output.root);
        const bool isOurs = root.kind == Variable::Kind::Shared || root.kind == Variable::Kind::Constant || root.owner != kNoApply;
        if (!isOurs && output.device == DeviceId::Host) copies += output.bytes;
    }
    return static_cast<std::int64_t>(workBytes() + copies);
}

std::size_t Function::State::workBytes() const
{
    std::size_t sum = 0;
    for (const PlannedStage &planned : plans.stages) sum += planned.last() ? planned.last()->scratchBytes : 0;
    for (const auto &[apply, inner] : compiled.nested) {
        const State &body = *inner->m_state;
        sum += body.workBytes() + body.plans.arenaBytes();
        for (const PlannedStage &planned : body.plans.stages) sum += planned.last() ? planned.last()->returnedBytes() : 0;
    }
    return sum;
}

void Function::State::checkBudgetCanBeKept()
{
    const FunctionSpec &spec = compiled.spec;
    std::vector<std::string> &warnings = compiled.warnings;
    if (spec.mode.memoryBudget == kNoMemoryBudget || spec.parent) return;
    if (debug) warnings.push_back("memory_budget: DebugMode keeps more than any plan, " + spec.name + " is compiled without a budget");
    if (debug || compiled.isWhole) return;
    if (spec.mode.memoryBudget < 0) {
        warnings.push_back("memory_budget: " + spec.name + " keeps its order: some sizes are known only while it runs");
        return;
    }
    throw UserError("memory_budget cannot be kept by " + spec.name + ": some sizes are known only while it runs",
                    "leave memory_budget away for this function: theano.function(..., memory_budget='none')");
}

Plan &Function::State::withinBudget(std::span<const View> views)
{
    const FunctionSpec &spec = compiled.spec;
    PlannedStage &planned = plans.whole();
    const std::int64_t wanted = spec.mode.memoryBudget;
    if (wanted == kNoMemoryBudget || !compiled.isWhole || debug || spec.parent) return *planned.last();
    liveness::ScheduleLimits limits;
    limits.repeats = wanted != kLeastPeakOrder;
    std::int64_t least = 0;
    constexpr int kTries = 3; // what runs again may need work space of its own
    for (int tries = 0; tries < kTries; ++tries) {
        const Plan &plan = *planned.last();
        const std::int64_t beside = besidePlan(plan), now = bytesOf(plan) + beside;
        if (wanted < 0 ? !compiled.graph->schedule.empty() : now <= wanted) return *planned.last();
        const SizedTask sized = sizedTask(*compiled.graph, planned.stage, plan);
        const std::int64_t room = std::max<std::int64_t>(wanted < 0 ? 0 : wanted - beside, 0);
        const liveness::Schedule schedule = liveness::fitBudget(sized.task, sized.order, room, limits);
        least = schedule.usage.bytes() + beside;
        if (schedule.order == sized.order || (wanted >= 0 && least > wanted)) break;
        takeSchedule(planned, sized, schedule);
        plans.planFor(planned, views);
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
    FunctionGraph *const graph = compiled.graph.get();
    std::vector<PassReport> &passes = compiled.rewrites.passes;
    const std::uint64_t begin = nowNs();
    const auto exchange = [&] {
        const std::vector<ApplyId> before = compiled.order;
        const std::size_t firstStep = graph->journal().steps.size();
        applySchedule(*graph, sized, schedule);
        PassReport report;
        report.phase = "schedule";
        report.pass = "memory_budget";
        report.firstStep = firstStep;
        report.lastStep = graph->journal().steps.size();
        report.nanoseconds = nowNs() - begin;
        passes.push_back(report);
        StagedOrder staged = inStages(*graph);
        planned.plans.clear();
        planned.stage = std::move(staged.stages.front());
        compiled.reorder(planned.stage, std::move(staged.branches));
        statistics.rearrange(before, compiled.order);
    };
    if (observer) observer->exchangeOrder(compiled.id, exchange);
    else exchange();
    if (observer) {
        observer->passFinished(compiled.id, *graph, passes.back());
        observer->rescheduled(self);
    }
}

} // namespace engine
