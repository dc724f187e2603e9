// The k largest or smallest elements along an axis.
#pragma once

#include "engine/graph/op/op_class.h"
#include "engine/ops/index/index.h"

namespace engine {

/// Inputs x and k, a 0-d integer: the k largest along the axis, of a negative k the smallest. NaN counts as the largest; of equal elements
/// those that a stable sort puts there.
class TopKOp final : public Op {
public:
    /// Results are values, places (of that dtype), or both in this order. They are in ascending order, of which `sorted` makes a promise.
    TopKOp(int axis, bool sorted, DType places, bool hasValues, bool hasPlaces)
        : m_axis(axis), m_sorted(sorted), m_places(places), m_hasValues(hasValues), m_hasPlaces(hasPlaces)
    {}
    /// As it was given: negative ones count from the last.
    int axis() const { return m_axis; }
    bool sorted() const { return m_sorted; }
    DType placesDType() const { return m_places; }
    bool hasValues() const { return m_hasValues; }
    bool hasPlaces() const { return m_hasPlaces; }
    OP_NAME("TopKOp", "theano.tensor.sort");
    OP_RULES(outputTypes, inferShape, gradient, rop, cost, perform, exactName, identity, prepare, onDevices, readsInputOnHost);

private:
    std::size_t axisIn(std::size_t rank) const { return static_cast<std::size_t>(m_axis < 0 ? m_axis + static_cast<int>(rank) : m_axis); }
    /// Where each of the values comes from, as an index into x.
    std::vector<IndexItem> sources(const Apply &node) const;

    int m_axis;
    bool m_sorted;
    DType m_places;
    bool m_hasValues, m_hasPlaces;
};

/// Throws what Theano's topk throws where an axis of that size has no k elements.
void wantTop(std::int64_t k, std::int64_t size);

std::vector<VarRef> topK(const VarRef &x, const VarRef &k, int axis, bool sorted, DType places, bool hasValues, bool hasPlaces);

} // namespace engine
