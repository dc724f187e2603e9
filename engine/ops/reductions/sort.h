// Order: sort, argsort, searchsorted, unique. NaN counts as the largest, equal elements keep their order.
#pragma once

#include "engine/graph/op/op_class.h"
#include "engine/ops/index/index.h"

namespace engine {

/// Sorts along an axis, or gives the places in sorted order; inputs x, axis (a 0-d integer).
class SortOp final : public Op {
public:
    SortOp(bool isArg, std::string kind) : m_arg(isArg), m_kind(std::move(kind)) {}
    bool isArg() const { return m_arg; }
    const std::string &kind() const { return m_kind; }
    std::string_view className() const override { return m_arg ? "ArgSortOp" : "SortOp"; }
    std::string_view moduleName() const override { return "theano.tensor.sort"; }
    OP_RULES(outputTypes, sizesOfFirst, gradient, rop, connectionPattern, cost, perform, prepare, onDevices, readsInputOnHost);

protected:
    std::string exactName() const override { return std::string(className()) + "{" + m_kind + ", None}"; }

private:
    /// Where each element of the output comes from, as an index into x; nothing while the axis is not known.
    std::optional<std::vector<IndexItem>> sources(const Apply &node) const;

    bool m_arg;
    std::string m_kind;
};

/// Where `values` go in a sorted vector; inputs vector, values.
class SearchsortedOp final : public Op {
public:
    explicit SearchsortedOp(bool right) : m_right(right) {}
    bool right() const { return m_right; }
    OP_NAME("SearchsortedOp", "theano.tensor.extra_ops");
    OP_RULES(outputTypes, sizesOfSecond, gradient, perform);

protected:
    std::string exactName() const override { return std::string("SearchsortedOp{") + (m_right ? "right" : "left") + "}"; }

private:
    bool m_right;
};

/// Sorted different elements of the flattened input, where each first stands, which of them each element is, how often.
class Unique final : public Op {
    OP_NAME("Unique", "theano.tensor.extra_ops");
    OP_RULES(outputTypes, gradient, perform);
};

/// Without axis the array is flattened.
VarRef sort(const VarRef &a, std::optional<int> axis = -1);
VarRef argsort(const VarRef &a, std::optional<int> axis = -1);
VarRef searchsorted(const VarRef &sorted, const VarRef &values, bool right = false);
std::vector<VarRef> unique(const VarRef &a);

} // namespace engine
