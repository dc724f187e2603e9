// Runs a graph apply by apply on values, finding sizes as it goes: for graphs whose sizes are known only after
// something ran (nonzero, an op of the host language without a shape rule) and for values that are no tensors.
#pragma once

#include "engine/codegen/kernel_service.h"
#include "engine/compile/statistics.h"
#include "engine/graph/function_graph.h"
#include "engine/runtime/plan.h"

#include <span>
#include <vector>

namespace engine {

/// The thunk of an apply from an earlier call, good while its operands keep their layout.
struct CachedThunk {
    std::unique_ptr<Thunk> thunk;
    std::vector<Dims> layout;     ///< shape and strides of every operand
    std::uint32_t runs = 0;       ///< with this layout, after the first
    bool wasAsked = false;        ///< for its kernel
    std::shared_ptr<Kernel> kernel; ///< that would take over from the interpreter; null: none known
    bool adopted = false;

    /// Hands the work to the kernel if that is ready.
    void adoptReady();
};

/// Computes one apply; `nested` runs ops that carry a compiled graph. Destroyed inputs are overwritten.
void performApply(const Op &op, ApplyId id, std::span<const Type> inputTypes, std::span<const Type> outputTypes,
                  std::span<const Value> inputs, std::span<Value> outputs, const NestedCall &nested, CachedThunk *cache = nullptr);

/// Computes one apply on tensors, standing alone (constant folding, tests).
std::vector<Value> evaluateOp(const Op &op, std::span<const Value> inputs, std::span<const Type> outputTypes);

/// All outputs of the graph. `cache`: one entry per apply of the order, kept by the caller between calls. Values are dropped after their last reader when `freeEarly`.
std::vector<Value> interpret(const FunctionGraph &graph, std::span<const ApplyId> order, std::span<const Value> inputs,
                             const NestedCall &nested, bool freeEarly, FunctionStatistics *statistics, ApplyFailure &failure,
                             std::span<CachedThunk> cache = {});

} // namespace engine
