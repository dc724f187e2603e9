// Putting arrays together and taking them apart.
#pragma once

#include "engine/graph/op.h"

namespace engine {

/// Inputs: axis (a 0-d integer constant), then the arrays; they agree in rank and in all other axes.
class Join final : public Op {
public:
    std::string_view className() const override { return "Join"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::optional<Sym> inferValue(ShapeBuilder &shapes, int output, int element) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "Join"; }
};

/// Inputs x, axis (a 0-d integer constant), an integer vector of `count` sizes that add up to the axis.
class Split final : public Op {
public:
    explicit Split(int count) : m_count(count) {}
    int count() const { return m_count; }
    std::string_view className() const override { return "Split"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "Split{" + std::to_string(m_count) + "}"; }

private:
    int m_count;
};

VarRef join(int axis, std::span<const VarRef> arrays);
/// Arrays of one rank on a new axis.
VarRef stack(std::span<const VarRef> arrays, int axis = 0);
std::vector<VarRef> split(const VarRef &x, const VarRef &sizes, int count, int axis = 0);

} // namespace engine
