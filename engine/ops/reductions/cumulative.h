// Running sums and products.
#pragma once

#include "engine/graph/op/op_class.h"

namespace engine {

class CumOp final : public Op {
public:
    /// Without axis the array is flattened.
    CumOp(std::optional<int> axis, bool isProduct) : m_axis(axis), m_product(isProduct) {}
    std::optional<int> axis() const { return m_axis; }
    bool isProduct() const { return m_product; }
    OP_NAME("CumOp", "theano.tensor.extra_ops");
    OP_RULES(outputTypes, inferShape, gradient, rop, perform, exactName, prepare, onDevices);

private:
    std::optional<int> m_axis;
    bool m_product;
};

VarRef cumsum(const VarRef &a, std::optional<int> axis = {});
VarRef cumprod(const VarRef &a, std::optional<int> axis = {});

} // namespace engine
