// repeat and tile.
#pragma once

#include "engine/graph/op/op_class.h"

namespace engine {

/// Element i of an axis repeats[i] times; inputs x, repeats (an integer vector, or a scalar for all).
class Repeat final : public Op {
public:
    explicit Repeat(int axis) : m_axis(axis) {}
    int axis() const { return m_axis; }
    OP_NAME("Repeat", "theano.tensor.extra_ops");
    OP_RULES(outputTypes, inferShape, gradient, rop, firstConnected, perform, prepare, onDevices, readsInputOnHost, whyNotOnDevice);

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
