// Where the largest element is: argmax, and maximum and place together.
#pragma once

#include "engine/graph/op/op_class.h"

namespace engine {

/// int64 index over the reduced axes (in C order of those); the first NaN counts as the largest.
class Argmax final : public Op {
public:
    explicit Argmax(std::vector<int> axes) : m_axes(std::move(axes)) {}
    const std::vector<int> &axes() const { return m_axes; }
    OP_NAME("Argmax");
    OP_RULES(outputTypes, inferShape, sizeRules, gradient, cost, perform, exactName, prepare, onDevices);

private:
    std::vector<int> m_axes;
};

/// Outputs: maximum, argmax.
class MaxAndArgmax final : public Op {
public:
    explicit MaxAndArgmax(std::vector<int> axes) : m_axes(std::move(axes)) {}
    const std::vector<int> &axes() const { return m_axes; }
    OP_NAME("MaxAndArgmax");
    OP_RULES(outputTypes, inferShape, sizeRules, gradient, rop, connectionPattern, cost, perform, exactName, prepare, onDevices);

private:
    std::vector<int> m_axes;
};

VarRef argmax(const VarRef &a, const std::optional<std::vector<int>> &axes = {}, bool keepDims = false);
VarRef argmin(const VarRef &a, const std::optional<std::vector<int>> &axes = {}, bool keepDims = false);
/// maximum and argmax.
std::vector<VarRef> maxAndArgmax(const VarRef &a, const std::optional<std::vector<int>> &axes = {}, bool keepDims = false);

} // namespace engine
