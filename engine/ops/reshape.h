// Reshape, and the views that only change what is declared: Rebroadcast, SpecifyShape, ViewOp.
#pragma once

#include "engine/graph/op.h"

namespace engine {

/// Inputs x and an integer vector of `rank` sizes, one of which may be -1.
class Reshape final : public Op {
public:
    explicit Reshape(int rank) : m_rank(rank) {}
    int outputRank() const { return m_rank; }
    std::string_view className() const override { return "Reshape"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::optional<Sym> inferValue(ShapeBuilder &shapes, int output, int element) const override;
    std::vector<Alias> viewMap() const override { return {{0, 0}}; }
    std::optional<Layout> viewLayout(int output, const Layout &input, DType dtype, const Dims &outputShape,
                                     std::span<const std::optional<std::int64_t>> integers) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    Cost cost(std::span<const Dims>, std::span<const Dims>) const override { return {}; }
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "Reshape{" + std::to_string(m_rank) + "}"; }

private:
    int m_rank;
};

/// Declares axes broadcastable (checked when it runs) or takes the promise back.
class Rebroadcast final : public Op {
public:
    /// Pairs of axis and whether it is broadcastable afterwards, sorted by axis.
    explicit Rebroadcast(std::vector<std::pair<int, bool>> axes) : m_axes(std::move(axes)) {}
    const std::vector<std::pair<int, bool>> &axes() const { return m_axes; }
    std::string_view className() const override { return "Rebroadcast"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::vector<Alias> viewMap() const override { return {{0, 0}}; }
    std::optional<Layout> viewLayout(int output, const Layout &input, DType dtype, const Dims &outputShape,
                                     std::span<const std::optional<std::int64_t>> integers) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    Cost cost(std::span<const Dims>, std::span<const Dims>) const override { return {}; }
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override; ///< Rebroadcast{?,1,0}

private:
    void check(const Dims &shape) const;
    std::vector<std::pair<int, bool>> m_axes;
};

/// x, whose shape has to be what the integer vector (second input) says.
class SpecifyShape final : public Op {
public:
    std::string_view className() const override { return "SpecifyShape"; }
    std::string_view moduleName() const override { return "theano.compile.ops"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::vector<Alias> viewMap() const override { return {{0, 0}}; }
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    Cost cost(std::span<const Dims>, std::span<const Dims>) const override { return {}; }
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "SpecifyShape"; }
};

/// The same array, without a copy.
class ViewOp final : public Op {
public:
    std::string_view className() const override { return "ViewOp"; }
    std::string_view moduleName() const override { return "theano.compile.ops"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override { return {inputs[0].type}; }
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::optional<Sym> inferValue(ShapeBuilder &shapes, int output, int element) const override;
    std::vector<Alias> viewMap() const override { return {{0, 0}}; }
    std::optional<Layout> viewLayout(int output, const Layout &input, DType dtype, const Dims &outputShape,
                                     std::span<const std::optional<std::int64_t>> integers) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    Cost cost(std::span<const Dims>, std::span<const Dims>) const override { return {}; }
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "ViewOp"; }
};

VarRef viewOf(const VarRef &a);
VarRef reshape(const VarRef &a, const VarRef &sizes, int rank);
VarRef reshape(const VarRef &a, std::span<const VarRef> sizes);
VarRef reshape(const VarRef &a, std::span<const std::int64_t> sizes);
/// The first rank-1 axes stay, the rest becomes one.
VarRef flatten(const VarRef &a, int rank = 1);
VarRef specifyShape(const VarRef &a, const VarRef &sizes);
/// The same value with the axes' pattern changed; the same variable if nothing changes.
VarRef rebroadcast(const VarRef &a, std::vector<std::pair<int, bool>> axes);
VarRef patternBroadcast(const VarRef &a, const std::vector<bool> &pattern);

} // namespace engine
