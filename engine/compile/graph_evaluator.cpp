// How an OpFromGraph is evaluated outside of compiled functions.
#include "engine/compile/function.h"
#include "engine/ops/graph_op.h"

#include <algorithm>

namespace engine {
namespace {

GraphEvaluator makeEvaluator(const InnerGraph &graph, const std::string &name)
{
    FunctionSpec spec;
    for (const VarRef &input : graph.inputs) spec.inputs.push_back({input});
    spec.outputs = graph.outputs;
    spec.name = name;
    spec.mode = Mode::named("FAST_COMPILE");
    spec.onUnusedInput = OnUnusedInput::Ignore;
    return [function = Function::compile(std::move(spec))](std::span<const Value> inputs, std::span<Value> outputs) {
        std::vector<Value> results;
        function->call(inputs, results);
        std::move(results.begin(), results.end(), outputs.begin());
    };
}

[[maybe_unused]] const bool k_maker = setEvaluatorMaker(makeEvaluator);

} // namespace
} // namespace engine
