#include "engine/compile/request/past_values.h"

#include "engine/compile/request/checks.h"
#include "engine/runtime/plan/order.h"

namespace engine {

std::vector<Value> pastValues(const FunctionGraph &graph, std::span<const Value> inputs, ApplyListener *listener)
{
    const bool onCopies = graph.position() < graph.journal().steps.size() && userOpsOverwrite(graph);
    const std::vector<ApplyId> order = onCopies ? orderOnCopies(graph) : executionOrder(graph);
    ApplyFailure failure{kNoApply, {}};
    return interpret(graph, order, graph.inputs(), inputs, graph.outputs(), {}, failure, listener, onCopies);
}

} // namespace engine
