// Basic indexing: integers and slices, reading (a view) and writing (a new array).
#pragma once

#include "engine/graph/op/op_class.h"

#include <optional>

namespace engine {

/// One axis of an index. The scalars themselves are inputs of the apply, in order of appearance.
struct IndexEntry {
    bool isSlice = false;
    /// dtypes of the scalars that are inputs; an integer index uses `start` only, a missing bound is Python's None.
    std::optional<DType> start, stop, step;
    int inputCount() const { return int(start.has_value()) + int(stop.has_value()) + int(step.has_value()); }
    bool isFullSlice() const { return isSlice && !start && !stop && !step; }
};
/// "int64, int64:int64:" as Theano prints it inside Subtensor{}.
std::string indexText(std::span<const IndexEntry> entries);

/// x[...]: inputs x and the scalars. Axes behind the entries are taken whole.
class Subtensor final : public Op {
public:
    explicit Subtensor(std::vector<IndexEntry> entries) : m_entries(std::move(entries)) {}
    const std::vector<IndexEntry> &entries() const { return m_entries; }
    OP_NAME("Subtensor", "theano.tensor.subtensor");
    OP_RULES(outputTypes, inferShape, sizeRules, inferValue, viewsFirst, viewLayout, gradient, rop, firstConnected, costsNothing, perform,
             prepare, onDevices, readsInputOnHost);

protected:
    std::string exactName() const override { return "Subtensor{" + indexText(m_entries) + "}"; }

private:
    std::vector<IndexEntry> m_entries;
};

/// x with x[...] increased by, or set to, y: inputs x, y and the scalars.
class IncSubtensor final : public Op {
public:
    IncSubtensor(std::vector<IndexEntry> entries, bool inplace, bool isSet)
        : m_entries(std::move(entries)), m_inplace(inplace), m_set(isSet)
    {}
    const std::vector<IndexEntry> &entries() const { return m_entries; }
    bool inplace() const { return m_inplace; }
    bool isSet() const { return m_set; }
    OP_NAME("IncSubtensor", "theano.tensor.subtensor");
    OP_RULES(outputTypes, sizesOfFirst, sizeRules, overwritesFirst, gradient, rop, firstTwoConnected, perform, exactName, prepare,
             onDevices, readsInputOnHost);

private:
    std::vector<IndexEntry> m_entries;
    bool m_inplace, m_set;
};

/// One part of an index as people write it.
struct IndexItem {
    enum class Kind : std::uint8_t { Integer, Slice, NewAxis, Ellipsis, Array };
    Kind kind = Kind::Slice;
    VarRef value;             ///< Integer: a 0-d integer; Array: integers or bools of any rank
    VarRef start, stop, step; ///< Slice; null refs are None

    static IndexItem integer(VarRef value) { return {Kind::Integer, std::move(value), {}, {}, {}}; }
    static IndexItem at(std::int64_t value);
    static IndexItem slice(VarRef start = {}, VarRef stop = {}, VarRef step = {})
    {
        return {Kind::Slice, {}, std::move(start), std::move(stop), std::move(step)};
    }
    static IndexItem newAxis() { return {Kind::NewAxis, {}, {}, {}, {}}; }
    static IndexItem ellipsis() { return {Kind::Ellipsis, {}, {}, {}, {}}; }
    static IndexItem array(VarRef value) { return {Kind::Array, std::move(value), {}, {}, {}}; }
};

/// x[items]: basic items give a Subtensor, arrays an advanced one.
VarRef subtensor(const VarRef &x, std::span<const IndexItem> items);
/// x[i] along the first axis.
VarRef elementAt(const VarRef &x, std::int64_t i);
/// `indexed` must be the result of subtensor(); gives the whole array with that part increased by (set to) y.
VarRef incSubtensor(const VarRef &indexed, const VarRef &y, bool isSet = false, bool inplace = false);
inline VarRef setSubtensor(const VarRef &indexed, const VarRef &y) { return incSubtensor(indexed, y, true); }

} // namespace engine
