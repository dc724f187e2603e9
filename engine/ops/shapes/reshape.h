// Reshape, and the views that only change what is declared: Rebroadcast, SpecifyShape, ViewOp.
#pragma once

#include "engine/graph/op/op_class.h"

namespace engine {

/// Inputs x and an integer vector of `rank` sizes, one of which may be -1.
class Reshape final : public Op {
public:
    explicit Reshape(int rank) : m_rank(rank) {}
    int outputRank() const { return m_rank; }
    OP_NAME("Reshape");
    OP_RULES(outputTypes, inferShape, sizeRules, inferValue, viewsFirst, viewLayout, gradient, rop, firstConnected, costsNothing, perform,
             prepare, onDevices, readsInputOnHost);

protected:
    std::string exactName() const override { return "Reshape{" + std::to_string(m_rank) + "}"; }

private:
    int m_rank;
};

/// Declares axes broadcastable (checked when it runs) or takes the promise back.
class Rebroadcast final : public Op {
public:
    /// Pairs of axis and whether it is broadcastable afterwards, sorted by axis.
    explicit Rebroadcast(std::vector<std::pair<int, bool>> axes) : m_axes(std::move(axes)) {}
    const std::vector<std::pair<int, bool>> &axes() const { return m_axes; }
    OP_NAME("Rebroadcast");
    OP_RULES(outputTypes, sizesOfFirst, sizeRules, viewsFirst, viewLayout, gradient, rop, costsNothing, perform, exactName, onDevices);

private:
    void check(const Dims &shape) const;
    std::vector<std::pair<int, bool>> m_axes;
};

/// x, whose shape has to be what the integer vector (second input) says.
class SpecifyShape final : public Op {
    OP_NAME("SpecifyShape", "theano.compile.ops");
    OP_RULES(outputTypes, inferShape, sizeRules, viewsFirst, gradient, rop, firstConnected, costsNothing, perform);
};

/// The same array, without a copy.
class ViewOp final : public Op {
    OP_NAME("ViewOp", "theano.compile.ops");
    OP_RULES(typeOfFirst, sizesOfFirst, inferValue, viewsFirst, layoutOfFirst, gradient, rop, costsNothing, perform);
};

/// The same elements side by side: the array itself, where they are.
class CpuContiguous final : public Op {
    OP_NAME("CpuContiguous", "theano.tensor.extra_ops");
    OP_RULES(typeOfFirst, sizesOfFirst, inferValue, viewsFirst, viewLayout, gradient, rop, costsNothing, perform, prepare, onDevices,
             deviceName, deviceClass);
};

VarRef reshape(const VarRef &a, const VarRef &sizes, int rank);
VarRef reshape(const VarRef &a, std::span<const VarRef> sizes);
VarRef reshape(const VarRef &a, std::span<const std::int64_t> sizes);
/// The first rank-1 axes stay, the rest becomes one.
VarRef flatten(const VarRef &a, int rank = 1);
VarRef specifyShape(const VarRef &a, const VarRef &sizes);
/// Where it lies.
VarRef contiguous(const VarRef &a);
/// The same value with the axes' pattern changed; the same variable if nothing changes.
VarRef rebroadcast(const VarRef &a, std::vector<std::pair<int, bool>> axes);
VarRef patternBroadcast(const VarRef &a, const std::vector<bool> &pattern);
/// Of the dtype and the pattern of a type.
VarRef conformed(const VarRef &a, Type wanted);

} // namespace engine
