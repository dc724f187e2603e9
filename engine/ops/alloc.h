// New arrays from a value and sizes; copies at the borders of a function.
#pragma once

#include "engine/graph/op.h"

namespace engine {

/// value broadcast to the sizes: inputs value, n0, n1, … (0-d integers).
class Alloc final : public Op {
public:
    std::string_view className() const override { return "Alloc"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::optional<Sym> inferValue(ShapeBuilder &shapes, int output, int element) const override;
    bool canFold() const override { return false; } // would only turn a recipe into megabytes
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    void perform(PerformArgs &args) const override;
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override;

protected:
    std::string exactName() const override { return "Alloc"; }
};

/// Memory whose contents nobody reads: inputs n0, n1, …
class AllocEmpty final : public Op {
public:
    explicit AllocEmpty(DType dtype) : m_dtype(dtype) {}
    DType dtype() const { return m_dtype; }
    std::string_view className() const override { return "AllocEmpty"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    bool canFold() const override { return false; }
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    void perform(PerformArgs &args) const override;
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override;

protected:
    std::string exactName() const override { return "AllocEmpty{dtype='" + std::string(nameOf(m_dtype)) + "'}"; }

private:
    DType m_dtype;
};

/// A deep copy: what a function returns when an output would alias an input.
class DeepCopyOp final : public Op {
public:
    std::string_view className() const override { return "DeepCopyOp"; }
    bool takesDeviceArrays() const override { return true; }
    std::string_view moduleName() const override { return "theano.compile.ops"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    void perform(PerformArgs &args) const override;
    std::unique_ptr<Thunk> prepare(const ThunkSpec &spec) const override;

protected:
    std::string exactName() const override { return "DeepCopyOp"; }
};

VarRef alloc(const VarRef &value, std::span<const VarRef> sizes);

} // namespace engine
