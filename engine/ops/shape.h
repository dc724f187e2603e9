// Shapes as values: the whole shape, one size, a vector of integers, a promise about sizes.
#pragma once

#include "engine/graph/op.h"

namespace engine {

/// The shape as an int64 vector.
class Shape final : public Op {
public:
    std::string_view className() const override { return "Shape"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::optional<Sym> inferValue(ShapeBuilder &shapes, int output, int element) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    void perform(PerformArgs &args) const override;
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override;

protected:
    std::string exactName() const override { return "Shape"; }
};

/// One size, 0-d int64.
class Shape_i final : public Op {
public:
    explicit Shape_i(int axis) : m_axis(axis) {}
    int axis() const { return m_axis; }
    std::string_view className() const override { return "Shape_i"; }
    std::string_view moduleName() const override { return "theano.compile.ops"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::optional<Sym> inferValue(ShapeBuilder &shapes, int output, int element) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    void perform(PerformArgs &args) const override;
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override;

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
    std::string_view className() const override { return "MakeVector"; }
    std::string_view moduleName() const override { return "theano.tensor.opt"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::optional<Sym> inferValue(ShapeBuilder &shapes, int output, int element) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "MakeVector{dtype='" + std::string(nameOf(m_dtype)) + "'}"; }

private:
    DType m_dtype;
};

VarRef shape(const VarRef &a);
VarRef shapeOf(const VarRef &a, int axis); ///< Shape_i
VarRef makeVector(std::span<const VarRef> scalars);

} // namespace engine
