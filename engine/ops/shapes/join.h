// Putting arrays together and taking them apart.
#pragma once

#include "engine/graph/op/op_class.h"

namespace engine {

/// Inputs: axis (a 0-d integer constant), then the arrays; they agree in rank and in all other axes.
class Join final : public Op {
    OP_NAME("Join");
    OP_RULES(outputTypes, inferShape, sizeRules, inferValue, gradient, rop, connectionPattern, perform, prepare, onDevices,
             readsInputOnHost);
};

/// Inputs x, axis (a 0-d integer constant), an integer vector of `count` sizes that add up to the axis.
class Split final : public Op {
public:
    explicit Split(int count) : m_count(count) {}
    int count() const { return m_count; }
    OP_NAME("Split");
    OP_RULES(outputTypes, inferShape, sizeRules, gradient, rop, connectionPattern, perform, prepare, onDevices, readsInputOnHost);

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
