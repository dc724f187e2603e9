// Running sums and products.
#pragma once

#include "engine/graph/op.h"

namespace engine {

class CumOp final : public Op {
public:
    /// Without axis the array is flattened.
    CumOp(std::optional<int> axis, bool isProduct) : m_axis(axis), m_product(isProduct) {}
    std::optional<int> axis() const { return m_axis; }
    bool isProduct() const { return m_product; }
    std::string_view className() const override { return "CumOp"; }
    std::string_view moduleName() const override { return "theano.tensor.extra_ops"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override;

private:
    std::optional<int> m_axis;
    bool m_product;
};

VarRef cumsum(const VarRef &a, std::optional<int> axis = {});
VarRef cumprod(const VarRef &a, std::optional<int> axis = {});

} // namespace engine
