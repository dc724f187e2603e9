#include "engine/ops/graph_op.h"

#include "engine/compile/function.h"

#include <mutex>
#include <unordered_map>

namespace engine {

// Inside a compiled function the inner graph is compiled with it; this serves evaluation outside of one (constant
// folding, test values).
void OpFromGraph::performValues(std::span<const Value> inputs, std::span<Value> outputs) const
{
    static std::mutex mutex; // guards the table
    static auto *table = new std::unordered_map<const OpFromGraph *, std::pair<OpRef, std::shared_ptr<Function>>>;
    std::shared_ptr<Function> function;
    {
        std::lock_guard lock(mutex);
        auto &entry = (*table)[this];
        if (!entry.second) {
            FunctionSpec spec;
            for (const VarRef &input : m_inner.inputs) spec.inputs.push_back({input});
            spec.outputs = m_inner.outputs;
            spec.name = friendlyName();
            spec.mode = Mode::named("FAST_COMPILE");
            spec.onUnusedInput = OnUnusedInput::Ignore;
            entry = {OpRef(this), Function::compile(std::move(spec))};
        }
        function = entry.second;
    }
    std::vector<Value> results;
    function->call(inputs, results);
    std::move(results.begin(), results.end(), outputs.begin());
}

} // namespace engine
