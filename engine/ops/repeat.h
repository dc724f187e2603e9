// repeat and tile.
#pragma once

#include "engine/graph/op.h"

namespace engine {

/// Element i of an axis repeats[i] times; inputs x, repeats (an integer vector, or a scalar for all).
class Repeat final : public Op {
public:
    explicit Repeat(int axis) : m_axis(axis) {}
    int axis() const { return m_axis; }
    std::string_view className() const override { return "Repeat"; }
    std::string_view moduleName() const override { return "theano.tensor.extra_ops"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "Repeat{axis=" + std::to_string(m_axis) + "}"; }

private:
    int m_axis;
};

/// Without axis the array is flattened.
VarRef repeat(const VarRef &a, const VarRef &repeats, std::optional<int> axis = {});
/// The whole array reps[i] times along axis i; missing repetitions are 1, missing axes are added on the left.
VarRef tile(const VarRef &a, std::span<const VarRef> reps);

} // namespace engine
