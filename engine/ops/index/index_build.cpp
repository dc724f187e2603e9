// x[...] as people write it: None, Ellipsis, integers, slices, arrays.
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/shapes/dimshuffle.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/ops/shapes/transfer.h"
#include "engine/tensor/errors.h"

namespace engine {

IndexItem IndexItem::at(std::int64_t value) { return integer(constantOf(DType::Int64, static_cast<double>(value))); }

namespace {

const OpRef &firstElementOp()
{
    static const OpRef op = [] {
        IndexEntry entry;
        entry.start = DType::Int64;
        return makeOp<Subtensor>(std::vector<IndexEntry>{entry});
    }();
    return op;
}

// Puts whole slices in the place of the Ellipsis and says how many axes of x the items use.
std::vector<IndexItem> expanded(const VarRef &x, std::span<const IndexItem> items)
{
    int used = 0;
    bool hasEllipsis = false;
    for (const IndexItem &item : items) {
        if (item.kind == IndexItem::Kind::Ellipsis) {
            if (hasEllipsis) throw ShapeMismatch("[subtensor] an index can only have one Ellipsis");
            hasEllipsis = true;
        } else if (item.kind == IndexItem::Kind::Array && item.value->type().dtype() == DType::Bool) {
            used += item.value->type().rank();
        } else if (item.kind != IndexItem::Kind::NewAxis) {
            ++used;
        }
    }
    const int rank = x->type().rank();
    if (used > rank) throw ShapeMismatch("[subtensor] too many indices: " + std::to_string(used) + " for " + x->type().text());
    std::vector<IndexItem> result;
    for (const IndexItem &item : items) {
        if (item.kind != IndexItem::Kind::Ellipsis) result.push_back(item);
        else
            for (int i = used; i < rank; ++i) result.push_back(IndexItem::slice());
    }
    return result;
}

} // namespace

VarRef elementAt(const VarRef &x, std::int64_t i)
{
    if (x->type().rank() == 0) throw ShapeMismatch("[subtensor] a scalar cannot be indexed");
    return engine::apply(firstElementOp(), {x, constantOf(DType::Int64, static_cast<double>(i))});
}

VarRef subtensor(const VarRef &x, std::span<const IndexItem> items)
{
    if (!x->type().isTensor()) throw TypeMismatch("[subtensor] wants a tensor, got " + x->type().text());
    const std::vector<IndexItem> all = expanded(x, items);
    VarRef base = x;
    std::vector<IndexItem> rest;
    bool hasNew = false, hasArray = false;
    for (const IndexItem &item : all) {
        hasNew |= item.kind == IndexItem::Kind::NewAxis;
        hasArray |= item.kind == IndexItem::Kind::Array;
    }
    if (hasNew) {
        // New axes first, then they are taken whole.
        std::vector<int> order;
        int axis = 0;
        for (const IndexItem &item : all) {
            if (item.kind == IndexItem::Kind::NewAxis) {
                order.push_back(DimShuffle::kNewAxis);
                rest.push_back(IndexItem::slice());
                continue;
            }
            const bool isMask = item.kind == IndexItem::Kind::Array && item.value->type().dtype() == DType::Bool;
            for (int i = 0; i < (isMask ? item.value->type().rank() : 1); ++i) order.push_back(axis++);
            rest.push_back(item);
        }
        while (axis < x->type().rank()) order.push_back(axis++);
        base = dimshuffle(x, std::move(order));
    } else {
        rest = all;
    }
    if (hasArray) return advancedSubtensor(base, rest);

    // x[:] stays an index, so that it can be written to.
    while (rest.size() > (hasNew ? 0u : 1u) && rest.back().kind == IndexItem::Kind::Slice && !rest.back().start && !rest.back().stop &&
           !rest.back().step)
        rest.pop_back();
    if (rest.empty()) return base;
    std::vector<IndexEntry> entries;
    std::vector<VarRef> inputs{base};
    const auto put = [&](const VarRef &scalar, std::optional<DType> &place) {
        if (!scalar) return;
        place = scalar->type().dtype();
        inputs.push_back(scalar);
    };
    for (const IndexItem &item : rest) {
        IndexEntry entry;
        entry.isSlice = item.kind == IndexItem::Kind::Slice;
        if (entry.isSlice) {
            put(item.start, entry.start);
            put(item.stop, entry.stop);
            put(item.step, entry.step);
        } else {
            put(item.value, entry.start);
        }
        entries.push_back(entry);
    }
    return engine::apply(makeOp<Subtensor>(std::move(entries)), inputs);
}

VarRef incSubtensor(const VarRef &indexed, const VarRef &y, bool isSet, bool inplace)
{
    const std::string symbol = isSet ? "[set_subtensor] " : "[inc_subtensor] ";
    const Apply *node = indexed->owner();
    const Op *op = node ? &node->op() : nullptr;
    const Type part = indexed->type();
    if (y->type().isTensor() && y->type().rank() > part.rank())
        throw ShapeMismatch(symbol + "the value has more dimensions than the part it goes to: " + y->type().text() + " into " +
                            part.text());
    // The array may lie on a device; what comes back is one of the host, which rewrites send there as a whole.
    if (opCast<HostFromGpu>(op) && node->input(0)->owner()) return incSubtensor(node->input(0), y, isSet, inplace);
    const auto withValue = [&] {
        std::vector<VarRef> inputs(node->inputs().begin(), node->inputs().end());
        inputs[0] = transfer(inputs[0], DeviceId::Host);
        inputs.insert(inputs.begin() + 1, y);
        return inputs;
    };
    if (const auto *reading = opCast<Subtensor>(op))
        return engine::apply(makeOp<IncSubtensor>(reading->entries(), inplace, isSet), withValue());
    if (opCast<AdvancedSubtensor1>(op)) return engine::apply(makeOp<AdvancedIncSubtensor1>(inplace, isSet), withValue());
    if (const auto *reading = opCast<AdvancedSubtensor>(op))
        return engine::apply(makeOp<AdvancedIncSubtensor>(reading->entries(), inplace, isSet), withValue());
    // Of a view on a part that view is written; what comes back is the array underneath.
    const auto under = [&](const VarRef &value) { return incSubtensor(node->input(0), value, isSet, inplace); };
    if (const auto *shuffle = opCast<DimShuffle>(op)) {
        std::vector<int> back(static_cast<std::size_t>(shuffle->inputRank()), DimShuffle::kNewAxis);
        std::vector<std::pair<int, bool>> ones;
        for (int i = 0; i < part.rank(); ++i) {
            const int axis = shuffle->order()[i];
            if (axis == DimShuffle::kNewAxis) ones.push_back({i, true});
            else back[axis] = i;
        }
        return under(dimshuffle(rebroadcast(padLeft(y, part.rank() - y->type().rank()), ones), back));
    }
    if (opCast<Rebroadcast>(op)) {
        const Type inner = node->input(0)->type();
        return under(y->type().rank() == inner.rank() ? patternBroadcast(y, inner.pattern()) : y);
    }
    if (opCast<Reshape>(op)) {
        const VarRef whole = y->type().rank() == part.rank() && part.rank() ? y : fill(indexed, y);
        return under(reshape(whole, engine::shape(node->input(0)), node->input(0)->type().rank()));
    }
    throw TypeMismatch(symbol + "the first argument must be an indexed array such as x[1:3], got " + indexed->displayName());
}

} // namespace engine
