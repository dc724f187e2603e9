// Runs applies one by one on values, finding sizes as it goes: where sizes are known only after something ran (nonzero, an op
// of the host language without a shape rule), for values that are no tensors, and to see which apply fails.
#pragma once

#include "engine/graph/ir/function_graph.h"
#include "engine/runtime/plan/plan.h"

#include <span>
#include <vector>

namespace engine {

/// Computes one apply; `nested` runs ops that carry a compiled graph. Destroyed inputs are overwritten.
void performApply(const Op &op, ApplyId id, std::span<const Type> inputTypes, std::span<const Type> outputTypes,
                  std::span<const Value> inputs, std::span<Value> outputs, const NestedCall &nested);

/// The inputs of an apply as an error text shows them.
std::vector<std::optional<Tensor>> shownOperands(std::span<const Value> inputs);

/// Computes one apply on tensors, standing alone (constant folding, tests).
std::vector<Value> evaluateOp(const Op &op, std::span<const Value> inputs, std::span<const Type> outputTypes);

/// The thunk of an apply, bound to the memory of these arrays by `slots`; null: the op prepares none.
std::unique_ptr<Thunk> prepareApply(const Op &op, std::span<const Value> inputs, std::span<const Value> outputs,
                                    std::span<const Type> inputTypes, std::span<const Type> outputTypes, std::vector<void *> &slots);

/// Hears of every apply while a graph is interpreted.
class ApplyListener {
public:
    virtual ~ApplyListener() = default;
    virtual void before(ApplyId id, std::span<const Value> inputs) { (void)id, (void)inputs; }
    /// What it leaves in `outputs` goes on.
    virtual void after(ApplyId id, std::span<const Value> inputs, std::span<Value> outputs) { (void)id, (void)inputs, (void)outputs; }
};

/// The values of `wanted` after `order` ran on `values`, those of `given`, without branches that are not taken. A value is dropped after
/// its last reader. `onCopies`: inputs stay as they are, what an apply overwrites is copied for it.
std::vector<Value> interpret(const FunctionGraph &graph, std::span<const ApplyId> order, std::span<const VarId> given,
                             std::span<const Value> values, std::span<const VarId> wanted, const NestedCall &nested, ApplyFailure &failure,
                             ApplyListener *listener = nullptr, bool onCopies = false);

} // namespace engine
