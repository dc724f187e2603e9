// Indexing with arrays of integers: reading gathers, writing scatters (repeated places accumulate for inc).
// A mask is written as the arrays of nonzero(mask), so only integers get here.
#pragma once

#include "engine/ops/index.h"

namespace engine {

/// x[i] along the first axis; inputs x, i (an integer vector).
class AdvancedSubtensor1 final : public Op {
public:
    std::string_view className() const override { return "AdvancedSubtensor1"; }
    std::string_view moduleName() const override { return "theano.tensor.subtensor"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "AdvancedSubtensor1"; }
};

/// x with x[i] increased by or set to y; inputs x, y, i.
class AdvancedIncSubtensor1 final : public Op {
public:
    AdvancedIncSubtensor1(bool inplace, bool isSet) : m_inplace(inplace), m_set(isSet) {}
    bool inplace() const { return m_inplace; }
    bool isSet() const { return m_set; }
    std::string_view className() const override { return "AdvancedIncSubtensor1"; }
    std::string_view moduleName() const override { return "theano.tensor.subtensor"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<SizeRule> sizeRules(ShapeBuilder &shapes) const override;
    std::vector<Alias> destroyMap() const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override;

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
    std::string_view className() const override { return "AdvancedSubtensor"; }
    std::string_view moduleName() const override { return "theano.tensor.subtensor"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "AdvancedSubtensor"; }
    std::string identity() const override;

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
    std::string_view className() const override { return "AdvancedIncSubtensor"; }
    std::string_view moduleName() const override { return "theano.tensor.subtensor"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    bool inferShape(ShapeBuilder &shapes, std::vector<SymShape> &outputs) const override;
    std::vector<Alias> destroyMap() const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    std::vector<VarRef> rop(const Apply &node, std::span<const VarRef> evalPoints) const override;
    std::vector<std::vector<bool>> connectionPattern(const Apply &node) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override;
    std::string identity() const override;

private:
    std::vector<AdvancedEntry> m_entries;
    bool m_inplace, m_set;
};

/// Places of the non-zero elements: one int64 vector per axis, in C order. The length is known only after it ran.
class Nonzero final : public Op {
public:
    std::string_view className() const override { return "Nonzero"; }
    std::vector<Type> outputTypes(std::span<const Operand> inputs) const override;
    std::vector<VarRef> gradient(const Apply &node, std::span<const VarRef> outputGrads) const override;
    void perform(PerformArgs &args) const override;

protected:
    std::string exactName() const override { return "Nonzero"; }
};

/// x[items] with at least one array among the items (no new axes, no Ellipsis).
VarRef advancedSubtensor(const VarRef &x, std::span<const IndexItem> items);
std::vector<VarRef> nonzero(const VarRef &a);
/// Elements of `a` at `indices` along `axis`; without axis `a` is flattened first.
VarRef take(const VarRef &a, const VarRef &indices, std::optional<int> axis);

} // namespace engine
