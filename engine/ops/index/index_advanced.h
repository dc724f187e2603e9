// Indexing with arrays of integers: reading gathers, writing scatters (repeated places accumulate for inc).
// A mask is written as the arrays of nonzero(mask), so only integers get here.
#pragma once

#include "engine/graph/op/op_class.h"
#include "engine/ops/index/index.h"

namespace engine {

/// x[i] along the first axis; inputs x, i (an integer vector).
class AdvancedSubtensor1 final : public Op {
    OP_NAME("AdvancedSubtensor1", "theano.tensor.subtensor");
    OP_RULES(outputTypes, inferShape, sizeRules, gradient, rop, firstConnected, perform, prepare, onDevices, readsInputOnHost);
};

/// x with x[i] increased by or set to y; inputs x, y, i.
class AdvancedIncSubtensor1 final : public Op {
public:
    AdvancedIncSubtensor1(bool inplace, bool isSet) : m_inplace(inplace), m_set(isSet) {}
    bool inplace() const { return m_inplace; }
    bool isSet() const { return m_set; }
    OP_NAME("AdvancedIncSubtensor1", "theano.tensor.subtensor");
    OP_RULES(outputTypes, sizesOfFirst, sizeRules, overwritesFirst, gradient, rop, firstTwoConnected, perform, exactName, prepare,
             onDevices, readsInputOnHost, whyNotOnDevice);

private:
    bool m_inplace, m_set;
};

/// One axis of a general index: a slice (its scalars are inputs) or an integer array (an input).
struct AdvancedEntry {
    bool isArray = false;
    IndexEntry slice;
    int inputCount() const { return isArray ? 1 : slice.inputCount(); }
};

/// x[slices and arrays], NumPy's rules: arrays broadcast together; their axes stand where the arrays stand, or first if
/// a slice lies between them. Inputs x and, per entry, its scalars or its array.
class AdvancedSubtensor final : public Op {
public:
    explicit AdvancedSubtensor(std::vector<AdvancedEntry> entries) : m_entries(std::move(entries)) {}
    const std::vector<AdvancedEntry> &entries() const { return m_entries; }
    OP_NAME("AdvancedSubtensor", "theano.tensor.subtensor");
    OP_RULES(outputTypes, inferShape, gradient, rop, firstConnected, perform, identity, prepare, onDevices, readsInputOnHost);

private:
    std::vector<AdvancedEntry> m_entries;
};

/// Inputs x, y and the index as above.
class AdvancedIncSubtensor final : public Op {
public:
    AdvancedIncSubtensor(std::vector<AdvancedEntry> entries, bool inplace, bool isSet)
        : m_entries(std::move(entries)), m_inplace(inplace), m_set(isSet)
    {}
    const std::vector<AdvancedEntry> &entries() const { return m_entries; }
    bool inplace() const { return m_inplace; }
    bool isSet() const { return m_set; }
    OP_NAME("AdvancedIncSubtensor", "theano.tensor.subtensor");
    OP_RULES(outputTypes, sizesOfFirst, overwritesFirst, gradient, rop, firstTwoConnected, perform, exactName, identity, prepare, onDevices,
             readsInputOnHost);

private:
    std::vector<AdvancedEntry> m_entries;
    bool m_inplace, m_set;
};

/// Places of the non-zero elements: one int64 vector per axis, in C order. Inputs: the array and, for the form of devices, how many there
/// are; else the length is known only after it ran.
class Nonzero final : public Op {
    OP_NAME("Nonzero");
    OP_RULES(outputTypes, inferShape, gradient, perform, prepare, onDevices, readsInputOnHost, whyNotOnDevice);
};

/// x[items] with at least one array among the items (no new axes, no Ellipsis).
VarRef advancedSubtensor(const VarRef &x, std::span<const IndexItem> items);
std::vector<VarRef> nonzero(const VarRef &a);
/// Elements of `a` at `indices` along `axis`; without axis `a` is flattened first.
VarRef take(const VarRef &a, const VarRef &indices, std::optional<int> axis);

} // namespace engine
