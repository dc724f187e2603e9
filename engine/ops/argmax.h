// Where the largest element is: argmax, and maximum and place together.
#pragma once

#include "engine/graph/op.h"

namespace engine {

/// int64 index over the reduced axes (in C order of those); the first NaN counts as the largest.
class Argmax final : public Op {
public:
    explicit Argmax(std::vector<int> axes) : m_axes(std::move(axes)) {}
    const std::vector<int> &axes() const { return m_axes; }
    std::string_view className() const override { return "Argmax"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override;

private:
    std::vector<int> m_axes;
};

/// Outputs: maximum, argmax.
class MaxAndArgmax final : public Op {
public:
    explicit MaxAndArgmax(std::vector<int> axes) : m_axes(std::move(axes)) {}
    const std::vector<int> &axes() const { return m_axes; }
    std::string_view className() const override { return "MaxAndArgmax"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override;

private:
    std::vector<int> m_axes;
};

VarRef argmax(const VarRef &a, std::optional<std::vector<int>> axes = {}, bool keepDims = false);
VarRef argmin(const VarRef &a, std::optional<std::vector<int>> axes = {}, bool keepDims = false);
/// maximum and argmax.
std::vector<VarRef> maxAndArgmax(const VarRef &a, std::optional<std::vector<int>> axes = {}, bool keepDims = false);

} // namespace engine
