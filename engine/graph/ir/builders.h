// What the floors below ops/ build expressions with.
#pragma once

#include "engine/graph/ir/expression.h"
#include "engine/scalar/scalar_op.h"

namespace engine {

/// Ops give these from their own files, before main() begins.
struct ExpressionBuilders {
    VarRef (*elementwise)(ScalarOpPtr scalar, std::span<const VarRef> inputs) = nullptr; ///< ops/elementwise_build.cpp
    VarRef (*makeVector)(std::span<const VarRef> scalars) = nullptr;                     ///< ops/shape.cpp
};
ExpressionBuilders &builders();

/// A 0-d constant of the dtype that the `custom` cast policy gives a literal (theano-facts 1.4).
VarRef literal(double value, DType floatX);
VarRef literal(std::int64_t value);
/// A constant of exactly this dtype, 0-d or with `rank` axes of size 1. Small ones are one shared node.
VarRef constantOf(DType dtype, double value);
VarRef constantOf(DType dtype, double value, int rank);

} // namespace engine
