// From a request to a function that can be called.
#include "engine/compile/function/function_state.h"
#include "engine/compile/request/checks.h"
#include "engine/device/cpu/compiler/compiler.h"
#include "engine/tensor/clock.h"
#include "engine/tensor/interrupt.h"

namespace engine {
namespace {

std::uint32_t nextFunctionId()
{
    static std::atomic<std::uint32_t> counter{1};
    return counter.fetch_add(1);
}

} // namespace

void Function::State::link()
{
    const std::uint64_t start = nowNs();
    StagedOrder staged = inStages(*compiled.graph);
    compiled.link(staged);
    for (Stage &stage : staged.stages) plans.stages.add({std::move(stage), {}, 0});
    for (const FunctionStep &step : compiled.steps.all)
        if (step.stage == kNoStage && compiled.graph->apply(step.apply).op->isOnDevice())
            errors.expectLater(step.deviceTag, {step.apply, {}});
    if (compiled.spec.profile) statistics.keepApplies(compiled.order.size());
    if (compiled.spec.mode.debug) debug = std::make_unique<DebugCalls>(compiled, compiled.compilesKernels() && !compiler().path.empty());
    checkBudgetCanBeKept();
    compiled.times.linkerNs = nowNs() - start;
}

std::optional<RewriteDifference> Function::rewriteAgain() const
{
    CompiledGraph again;
    again.spec = m_state->compiled.spec;
    again.build();
    again.rewrite(nullptr);
    return differenceOf(*m_state->compiled.graph, *again.graph);
}

std::shared_ptr<Function> Function::compile(FunctionSpec spec)
{
    const std::uint64_t start = nowNs();
    std::shared_ptr<Function> function(new Function);
    State &state = *function->m_state;
    CompiledGraph &compiled = state.compiled;
    compiled.id = nextFunctionId();
    compiled.spec = std::move(spec);
    CompileObserver *observer = compileObserver();
    if (const RunObserver *running = runObserver()) compiled.spec.profile |= running->wantsApplyTimes();
    try {
        checkRequest(compiled.spec);
        compiled.build();
        if (observer) observer->compileStarted(compiled.id, compiled.spec, *compiled.graph);
        compiled.rewrite(observer);
        state.link();
        if (state.debug) state.debug->checkRepeats(*function);
        compiled.times.totalNs = nowNs() - start;
    } catch (const std::exception &error) {
        if (observer) observer->compileFailed(compiled.id, error.what());
        throw;
    } catch (const Interrupted &) {
        if (observer) observer->compileFailed(compiled.id, "compiling was interrupted");
        throw;
    }
    if (observer) observer->compileFinished(*function);
    return function;
}

} // namespace engine
