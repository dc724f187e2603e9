// Shapes as values: the whole shape, one size, a vector of integers, a promise about sizes.
#pragma once

#include "engine/graph/op/op_class.h"

namespace engine {

/// The shape as an int64 vector.
class Shape final : public Op {
    OP_NAME("Shape");
    OP_RULES(outputTypes, inferShape, inferValue, gradient, notConnected, perform, prepare);
    bool takesDeviceArrays() const override { return true; }
};

/// One size, 0-d int64.
class Shape_i final : public Op {
public:
    explicit Shape_i(int axis) : m_axis(axis) {}
    int axis() const { return m_axis; }
    OP_NAME("Shape_i", "theano.compile.ops");
    OP_RULES(outputTypes, inferShape, inferValue, gradient, notConnected, perform, prepare);
    bool takesDeviceArrays() const override { return true; }

protected:
    std::string exactName() const override { return "Shape_i{" + std::to_string(m_axis) + "}"; }

private:
    int m_axis;
};

/// A vector of its 0-d inputs.
class MakeVector final : public Op {
public:
    explicit MakeVector(DType dtype) : m_dtype(dtype) {}
    DType dtype() const { return m_dtype; }
    OP_NAME("MakeVector", "theano.tensor.opt");
    OP_RULES(outputTypes, inferShape, inferValue, gradient, rop, perform);

protected:
    std::string exactName() const override { return "MakeVector{dtype='" + std::string(nameOf(m_dtype)) + "'}"; }

private:
    DType m_dtype;
};

VarRef shape(const VarRef &a);
VarRef shapeOf(const VarRef &a, int axis); ///< Shape_i
VarRef makeVector(std::span<const VarRef> scalars);

} // namespace engine
