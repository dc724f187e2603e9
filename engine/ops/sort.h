// Order: sort, argsort, searchsorted, unique. NaN counts as the largest, equal elements keep their order.
#pragma once

#include "engine/graph/op.h"

namespace engine {

/// Sorts along an axis, or gives the places in sorted order; inputs x, axis (a 0-d integer).
class SortOp final : public Op {
public:
    SortOp(bool isArg, std::string kind) : m_arg(isArg), m_kind(std::move(kind)) {}
    bool isArg() const { return m_arg; }
    const std::string &kind() const { return m_kind; }
    std::string_view className() const override { return m_arg ? "ArgSortOp" : "SortOp"; }
    std::string_view moduleName() const override { return "theano.tensor.sort"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    Cost cost(std::span<const Dims> inputs, std::span<const Dims> outputs) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return std::string(className()) + "{" + m_kind + ", None}"; }

private:
    bool m_arg;
    std::string m_kind;
};

/// Where `values` go in a sorted vector; inputs vector, values.
class SearchsortedOp final : public Op {
public:
    explicit SearchsortedOp(bool right) : m_right(right) {}
    bool right() const { return m_right; }
    std::string_view className() const override { return "SearchsortedOp"; }
    std::string_view moduleName() const override { return "theano.tensor.extra_ops"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return std::string("SearchsortedOp{") + (m_right ? "right" : "left") + "}"; }

private:
    bool m_right;
};

/// Sorted different elements of the flattened input, where each first stands, which of them each element is, how often.
class Unique final : public Op {
public:
    std::string_view className() const override { return "Unique"; }
    std::string_view moduleName() const override { return "theano.tensor.extra_ops"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "Unique"; }
};

/// Without axis the array is flattened.
VarRef sort(const VarRef &a, std::optional<int> axis = -1);
VarRef argsort(const VarRef &a, std::optional<int> axis = -1);
VarRef searchsorted(const VarRef &sorted, const VarRef &values, bool right = false);
std::vector<VarRef> unique(const VarRef &a);

} // namespace engine
