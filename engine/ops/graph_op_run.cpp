// OpFromGraph outside of a compiled function (constant folding, tests): its graph is compiled on first use. Inside one,
// the function compiles the inner graph itself, so that it is recorded as a nested graph.
#include "engine/compile/function.h"
#include "engine/ops/graph_op.h"

#include <mutex>
#include <unordered_map>

namespace engine {

void OpFromGraph::performValues(std::span<const Value> inputs, std::span<Value> outputs) const
{
    static std::mutex mutex; // guards the table
    static auto *compiled = new std::unordered_map<const OpFromGraph *, std::shared_ptr<Function>>;
    std::shared_ptr<Function> function;
    {
        std::lock_guard lock(mutex);
        function = (*compiled)[this];
    }
    if (!function) {
        FunctionSpec spec;
        for (const VarRef &input : m_inner.inputs) spec.inputs.push_back({input});
        spec.outputs = m_inner.outputs;
        spec.name = friendlyName();
        spec.mode = Mode::named("FAST_COMPILE");
        spec.onUnusedInput = OnUnusedInput::Ignore;
        function = Function::compile(std::move(spec));
        std::lock_guard lock(mutex);
        (*compiled)[this] = function;
    }
    std::vector<Value> results;
    function->call(inputs, results);
    for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = std::move(results[i]);
}

} // namespace engine
