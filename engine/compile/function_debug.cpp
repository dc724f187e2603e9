// DebugMode around a function: when it is compiled, and around each call.
#include "engine/compile/function_state.h"
#include "engine/compile/run_error.h"
#include "engine/compile/shared_values.h"

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

void Function::State::checkRepeats(Function &function)
{
    for (int time = 1; time < spec.mode.debug->patience; ++time) {
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

std::vector<Value> Function::State::checked(Function &function, std::span<const Value> inputs)
{
    std::vector<Value> values(inputs.begin(), inputs.end());
    for (const auto &container : shared) values.push_back(sharedValue(*container));
    ApplyFailure failure{kNoApply, {}};
    try {
        return debug->run(values, failure);
    } catch (DebugModeError &error) {
        if (error.apply == kNoApply) error.apply = failure.apply; // an op of the host language found it itself
        const std::string lines = error.apply == kNoApply ? std::string() : linesText(lineage().sources(*graph, error.apply));
        DebugModeError placed(error.fault, error.what() + (lines.empty() ? lines : "\nBacktrace when the node is created:\n" + lines),
                              error.hint());
        placed.apply = error.apply;
        placed.step = error.step;
        tell(function, placed, debug->largest());
        throw placed;
    } catch (const InternalError &) {
        throw;
    } catch (const std::exception &error) {
        if (failure.apply == kNoApply) throw;
        fail(error, failure, 0);
    }
}

void Function::State::compareWith(Function &function, std::span<const Value> expected, std::span<const Value> outputs)
{
    try {
        debug->compare(expected, outputs);
    } catch (const DebugModeError &error) {
        tell(function, error, debug->largest());
        throw;
    }
    if (std::exchange(toldRight, true)) return;
    if (spec.mode.debug->patience > 1) tell(function, {"order", true, "rewriting again takes the same steps"});
    tell(function, {"value", true, std::to_string(outputs.size()) + " outputs are those of the graph before it was rewritten", kNoApply, 0,
                    debug->largest()});
}

} // namespace engine
