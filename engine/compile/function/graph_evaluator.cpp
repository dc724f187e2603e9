// How an OpFromGraph or a Scan is evaluated outside of compiled functions.
#include "engine/compile/function/function.h"
#include "engine/ops/loops/graph_op.h"
#include "engine/ops/loops/scan.h"

#include <algorithm>

namespace engine {
namespace {

std::shared_ptr<Function> compileQuickly(const InnerGraph &graph, const std::string &name)
{
    FunctionSpec spec;
    for (const VarRef &input : graph.inputs) spec.inputs.push_back({input});
    spec.outputs = graph.outputs;
    spec.name = name;
    spec.mode = Mode::named("FAST_COMPILE");
    spec.onUnusedInput = OnUnusedInput::Ignore;
    return Function::compile(std::move(spec));
}

GraphEvaluator makeEvaluator(const InnerGraph &graph, const std::string &name)
{
    return [function = compileQuickly(graph, name)](std::span<const Value> inputs, std::span<Value> outputs) {
        std::vector<Value> results;
        function->call(inputs, results);
        std::move(results.begin(), results.end(), outputs.begin());
    };
}

ScanBodies makeScanBodies(const InnerGraph &body, const std::string &name)
{
    return [function = compileQuickly(body, name)] { return function->beginSteps(); };
}

[[maybe_unused]] const bool k_maker = setEvaluatorMaker(makeEvaluator);
[[maybe_unused]] const bool k_scanMaker = setScanBodyMaker(makeScanBodies);

} // namespace
} // namespace engine
