// DimShuffle: permute, drop and insert axes; a view.
#pragma once

#include "engine/graph/op/op_class.h"

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
    bool isLeftPad() const; ///< only adds axes on the left

    OP_NAME("DimShuffle", "theano.tensor.elemwise");
    OP_RULES(outputTypes, inferShape, inferValue, viewsFirst, viewLayout, gradient, rop, costsNothing, perform, exactName, shortName,
             identity, onDevices, deviceName);

private:
    std::vector<bool> m_inputBroadcastable;
    std::vector<int> m_order;
};

VarRef dimshuffle(const VarRef &a, std::vector<int> order);
VarRef transpose(const VarRef &a);
VarRef padLeft(const VarRef &a, int count);

} // namespace engine
