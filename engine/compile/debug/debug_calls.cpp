// DebugMode around a function: when it is compiled, and around each call.
#include "engine/compile/function/function_state.h"
#include "engine/compile/function/run_error.h"
#include "engine/compile/request/shared_values.h"

#include <utility>

namespace engine {
namespace {

const char *kindOf(DebugFault fault)
{
    switch (fault) {
    case DebugFault::BadDestroyMap: return "destroy map";
    case DebugFault::BadViewMap: return "view map";
    case DebugFault::InvalidValueError: return "nan";
    case DebugFault::StochasticOrder: return "order";
    default: return "value";
    }
}

void tell(Function &function, const CheckReport &report)
{
    if (RunObserver *observer = runObserver()) observer->checked(function, report);
}

void tell(Function &function, const DebugModeError &error, const Difference &largest)
{
    tell(function, {kindOf(error.fault), false, error.what(), error.apply, error.step, largest});
}

} // namespace

DebugCalls::DebugCalls(CompiledGraph &compiled, bool kernels)
    : m_compiled(compiled), m_run(*compiled.graph, compiled.order, compiled.callNested, *compiled.spec.mode.debug, kernels)
{}

void DebugCalls::checkRepeats(Function &function) const
{
    for (int time = 1; time < m_compiled.spec.mode.debug->patience; ++time) {
        const auto difference = function.rewriteAgain();
        if (!difference) continue;
        DebugModeError error(
            DebugFault::StochasticOrder,
            "rewriting the same graph again goes another way from step " + std::to_string(difference->step) + " on (phase " +
                difference->phase + "): the first time " + difference->first + ", now " + difference->second + ".",
            "an op answers by chance - its __eq__, do_constant_folding or perform; DebugMode.patience=1 leaves this check out.");
        error.step = difference->step;
        tell(function, error, {});
        throw error;
    }
}

std::vector<Value> DebugCalls::expected(Function &function, const FunctionErrors &errors, std::span<const Value> inputs)
{
    std::vector<Value> values(inputs.begin(), inputs.end());
    for (const auto &container : m_compiled.shared.containers) values.push_back(sharedValue(*container));
    ApplyFailure failure{kNoApply, {}};
    try {
        return m_run.run(values, failure);
    } catch (DebugModeError &error) {
        if (error.apply == kNoApply) error.apply = failure.apply; // an op of the host language found it itself
        const std::string lines =
            error.apply == kNoApply ? std::string() : linesText(m_compiled.lineage().sources(*m_compiled.graph, error.apply));
        DebugModeError placed(error.fault, error.what() + (lines.empty() ? lines : "\nBacktrace when the node is created:\n" + lines),
                              error.hint());
        placed.apply = error.apply;
        placed.step = error.step;
        tell(function, placed, m_run.largest());
        throw placed;
    } catch (const InternalError &) {
        throw;
    } catch (const std::exception &error) {
        if (failure.apply == kNoApply) throw;
        errors.fail(error, failure, 0);
    }
}

void DebugCalls::compare(Function &function, std::span<const Value> expected, std::span<const Value> outputs)
{
    try {
        m_run.compare(expected, outputs);
    } catch (const DebugModeError &error) {
        tell(function, error, m_run.largest());
        throw;
    }
    if (std::exchange(m_toldRight, true)) return;
    if (m_compiled.spec.mode.debug->patience > 1) tell(function, {"order", true, "rewriting again takes the same steps"});
    tell(function, {"value", true, std::to_string(outputs.size()) + " outputs are those of the graph before it was rewritten", kNoApply, 0,
                    m_run.largest()});
}

} // namespace engine
