// DimShuffle: permute, drop and insert axes; a view.
#pragma once

#include "engine/graph/op.h"

namespace engine {

class DimShuffle final : public Op {
public:
    static constexpr int kNewAxis = -1;
    /// `order`: for each output axis the input axis or kNewAxis. Input axes that are left out must be broadcastable.
    DimShuffle(std::vector<bool> inputBroadcastable, std::vector<int> order);

    const std::vector<int> &order() const { return m_order; }
    const std::vector<bool> &inputBroadcastable() const { return m_inputBroadcastable; }
    int inputRank() const { return static_cast<int>(m_inputBroadcastable.size()); }
    bool isIdentity() const;
    bool isTranspose() const; ///< reverses all axes of a matrix or more
    bool isLeftPad() const;   ///< only adds axes on the left

    std::string_view className() const override { return "DimShuffle"; }
    std::string_view moduleName() const override { return "theano.tensor.elemwise"; }
    bool takesDeviceArrays() const override { return true; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::optional<Sym> inferValue(ShapeBuilder &shapes, int output, int element) const override;
    std::vector<Alias> viewMap() const override { return {{0, 0}}; }
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    Cost cost(std::span<const Dims>, std::span<const Dims>) const override { return {}; }
    std::optional<Layout> viewLayout(int output, const Layout &input, DType dtype, const Dims &outputShape,
                                     std::span<const std::optional<std::int64_t>> integers) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override; ///< InplaceDimShuffle{x,0}
    std::string shortName() const override;
    std::string identity() const override;

private:
    std::vector<bool> m_inputBroadcastable;
    std::vector<int> m_order;
};

VarRef dimshuffle(const VarRef &a, std::vector<int> order);
VarRef transpose(const VarRef &a);
VarRef padLeft(const VarRef &a, int count);

} // namespace engine
