// Parts of arrays that were just computed: compute the part only.
#include "engine/ops/alloc.h"
#include "engine/ops/creation.h"
#include "engine/ops/index_advanced.h"
#include "engine/ops/join.h"
#include "engine/ops/softmax.h"
#include "engine/rewrite/index_view.h"
#include "engine/rewrite/shape_graph.h"

#include <algorithm>

namespace engine {
namespace {

IndexParts partsOf(const NodeHandle &node) { return indexParts(node, node.opAs<Subtensor>()->entries(), 1); }
IndexPart fullSlice() { return {true, {}, {}, {}}; }

std::optional<int> joinAxis(const NodeHandle &join)
{
    const auto axis = constantValue(join.input(0));
    if (!axis) return std::nullopt;
    return static_cast<int>(*axis) < 0 ? static_cast<int>(*axis) + join.output().rank() : static_cast<int>(*axis);
}

REWRITE(local_subtensor_of_join, Phase::Canonicalize)
    .why("an element of a stack is one of the arrays it was made of")
    .hurts("the other arrays are no longer checked for their sizes")
    .example("x: dvector; y: dvector; stack([x, y])[1] + 1", "x: dvector; y: dvector; y + 1")
    .nearMiss("x: dmatrix; y: dmatrix; concatenate([x, y])[1] + 1")
    .also({Phase::Specialize})
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        const auto join = madeBy<Join>(node.input(0));
        if (!join) return declined("its input is no join", ownerOf(node.input(0)));
        const auto axis = joinAxis(*join);
        if (!axis) return declined("the axis is not a constant", join->id());
        IndexParts parts = partsOf(node);
        if (static_cast<std::size_t>(*axis) >= parts.size() || !parts[static_cast<std::size_t>(*axis)].isInteger())
            return declined("the joined axis is not indexed by a number", join->id());
        auto at = knownInteger(parts[static_cast<std::size_t>(*axis)].start);
        if (!at) return declined("the index is not a constant");
        const auto count = static_cast<std::int64_t>(join->inputCount()) - 1;
        for (std::size_t i = 1; i < join->inputCount(); ++i)
            if (!join->input(i).type().isBroadcastable(*axis)) return declined("an array has more than one row along the axis", join->id());
        if (*at < 0) *at += count;
        if (*at < 0 || *at >= count) return declined("the index is out of range");
        const VarHandle piece = join->input(1 + static_cast<std::size_t>(*at));
        if (piece.dtype() != join->output().dtype()) return declined("the dtype would change", join->id());
        std::vector<int> order;
        for (int a = 0; a < piece.rank(); ++a)
            if (a != *axis) order.push_back(a);
        parts.erase(parts.begin() + *axis);
        return become(edit, node, indexed(edit, dimshuffle(edit, piece, order), parts));
    });

REWRITE(local_subtensor_of_reduce, Phase::Canonicalize)
    .why("sum(x, axis=1)[i] sums every row and takes one; sum(x[i]) sums that row only")
    .hurts("an index out of range is noticed by the view")
    .example("x: dmatrix; sum(x, axis=1)[0]", "x: dmatrix; sum(x[0], axis=0)")
    .nearMiss("x: dmatrix; y = sum(x, axis=1); y[0] + sum(y)")
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        const auto reduce = madeBy<CAReduce>(node.input(0));
        if (!reduce) return declined("its input is no reduction", ownerOf(node.input(0)));
        if (!node.input(0).hasOneClient()) return declined("the reduction has other readers", reduce->id());
        const CAReduce &op = *reduce->opAs<CAReduce>();
        const VarHandle x = reduce->input(0);
        const std::vector<int> axes = op.axesFor(x.rank());
        const IndexParts parts = partsOf(node);
        IndexParts moved;
        std::vector<int> left; // reduced axes after the index dropped some
        std::size_t next = 0;
        int place = 0;
        for (int axis = 0; axis < x.rank(); ++axis) {
            if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
                moved.push_back(fullSlice());
                left.push_back(place++);
                continue;
            }
            const IndexPart part = next < parts.size() ? parts[next] : fullSlice();
            ++next;
            moved.push_back(part);
            if (part.isSlice) ++place;
        }
        const VarHandle smaller = indexed(edit, x, moved);
        return become(edit, node, edit.make(makeOp<CAReduce>(op.kind(), left, op.dtype(), op.accDtype()), {smaller}));
    });

REWRITE(local_subtensor_of_transpose, Phase::Canonicalize)
    .why("a row of a transposed matrix is a column: the index can be taken before the reshuffle, where other rules see it")
    .example("x: dmatrix; T(x)[1]", "x: dmatrix; x[:, 1]")
    .nearMiss("v: dvector; dimshuffle(v, 0, 'x')[1]")
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        const auto shuffle = madeBy<DimShuffle>(node.input(0));
        if (!shuffle) return declined("its input is not reshuffled", ownerOf(node.input(0)));
        const std::vector<int> &order = shuffle->opAs<DimShuffle>()->order();
        const VarHandle x = shuffle->input(0);
        if (static_cast<int>(order.size()) != x.rank() || std::count(order.begin(), order.end(), DimShuffle::kNewAxis))
            return declined("axes are added or dropped, not only moved", shuffle->id());
        const IndexParts parts = partsOf(node);
        IndexParts moved(order.size(), fullSlice());
        for (std::size_t i = 0; i < parts.size(); ++i) moved[static_cast<std::size_t>(order[i])] = parts[i];
        std::vector<int> place(order.size(), -1);
        int next = 0;
        for (std::size_t axis = 0; axis < moved.size(); ++axis)
            if (moved[axis].isSlice) place[axis] = next++;
        std::vector<int> after;
        for (int axis : order)
            if (place[static_cast<std::size_t>(axis)] >= 0) after.push_back(place[static_cast<std::size_t>(axis)]);
        return become(edit, node, dimshuffle(edit, indexed(edit, x, moved), after));
    });

REWRITE(local_subtensor_of_softmax, Phase::Canonicalize)
    .why("rows of a softmax need only those rows")
    .example("x: dmatrix; Softmax(x)[1:]", "x: dmatrix; Softmax(x[1:])")
    .nearMiss("x: dmatrix; Softmax(x)[:, 1:]")
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        const ApplyId owner = ownerOf(node.input(0));
        if (owner == kNoApply) return declined("its input is an input or a constant");
        const NodeHandle softmax(node.graph(), owner);
        if (!softmax.opAs<Softmax>() && !softmax.opAs<LogSoftmax>()) return declined("its input is no softmax", owner);
        if (!node.input(0).hasOneClient()) return declined("the softmax has other readers", owner);
        const IndexParts parts = partsOf(node);
        if (parts.size() != 1 || !parts[0].isSlice) return declined("it takes no range of rows");
        node.input(0).owner();
        return become(edit, node, edit.make(softmax.op(), {indexed(edit, softmax.input(0), parts)}));
    });

REWRITE(local_replace_AdvancedSubtensor, Phase::Canonicalize)
    .why("one vector of indices gathers whole rows, once its axis stands first")
    .hurts("the gathered rows are copied from a transposed view")
    .example("x: dmatrix; i: lvector; x[:, i]", "x: dmatrix; i: lvector; T(T(x)[i])")
    .nearMiss("x: dmatrix; i: lvector; j: lvector; x[i, j]")
    .also({Phase::Specialize})
    .match<AdvancedSubtensor>([](const NodeHandle &node, Editor &edit) {
        const AdvancedSubtensor &op = *node.opAs<AdvancedSubtensor>();
        const VarHandle x = node.input(0);
        int axis = -1;
        for (std::size_t i = 0; i < op.entries().size(); ++i) {
            const AdvancedEntry &entry = op.entries()[i];
            if (!entry.isArray && !entry.slice.isFullSlice()) return declined("another axis is indexed, too");
            if (!entry.isArray) continue;
            if (axis >= 0) return declined("it is indexed by several arrays");
            axis = static_cast<int>(i);
        }
        if (axis < 0 || node.input(1).rank() != 1) return declined("the index is no vector");
        std::vector<int> forth{axis}, back;
        for (int a = 0; a < x.rank(); ++a)
            if (a != axis) forth.push_back(a);
        for (int a = 1; a <= axis; ++a) back.push_back(a);
        back.push_back(0);
        for (int a = axis + 1; a < x.rank(); ++a) back.push_back(a);
        static const OpRef rows = makeOp<AdvancedSubtensor1>();
        return become(edit, node, dimshuffle(edit, edit.make(rows, {dimshuffle(edit, x, forth), node.input(1)}), back));
    });

REWRITE(local_useless_AdvancedSubtensor1, Phase::Canonicalize)
    .why("all rows in their order are the array")
    .example("x: dmatrix; x[arange(x.shape[0])] + 1", "x: dmatrix; x + 1")
    .nearMiss("x: dmatrix; n: lscalar; x[arange(n)] + 1")
    .also({Phase::Specialize})
    .match<AdvancedSubtensor1>([](const NodeHandle &node, Editor &edit) {
        const auto range = madeBy<ARange>(node.input(1));
        if (!range) return declined("the index is no range", ownerOf(node.input(1)));
        if (!isConstantOf(range->input(0), 0) || !isConstantOf(range->input(2), 1))
            return declined("the range does not count from 0", range->id());
        VarHandle stop = range->input(1);
        if (const auto cast = madeBy(stop, ScalarCode::Cast)) stop = cast->input(0);
        if (!isSizeOf(edit, stop, node.input(0), 0)) return declined("the range is not known to count the rows", range->id());
        return become(edit, node, node.input(0));
    });

REWRITE(local_join_subtensors, Phase::Canonicalize)
    .why("the two parts of an array, joined again, are the array")
    .example("x: dmatrix; concatenate([x[:2], x[2:]]) + 1", "x: dmatrix; x + 1")
    .nearMiss("x: dmatrix; concatenate([x[:2], x[1:]]) + 1")
    .also({Phase::Specialize})
    .match<Join>([](const NodeHandle &node, Editor &edit) {
        const auto axis = joinAxis(node);
        if (!axis || node.inputCount() != 3) return declined("it does not join two arrays");
        const auto first = madeBy<Subtensor>(node.input(1)), second = madeBy<Subtensor>(node.input(2));
        if (!first || !second || !(first->input(0) == second->input(0))) return declined("they are no parts of one array");
        const IndexParts a = partsOf(*first), b = partsOf(*second);
        if (a.size() != b.size() || a.size() <= static_cast<std::size_t>(*axis))
            return declined("they are indexed differently", first->id());
        for (std::size_t i = 0; i < a.size(); ++i)
            if (i != static_cast<std::size_t>(*axis) && (!a[i].isFull() || !b[i].isFull()))
                return declined("another axis is indexed, too", first->id());
        const IndexPart &head = a[static_cast<std::size_t>(*axis)], &tail = b[static_cast<std::size_t>(*axis)];
        const auto unit = [](const IndexPart &part) { return part.isSlice && (!part.step || knownInteger(part.step) == 1); };
        // x[:k] and x[k:] meet for every k, also a negative one or one behind the end.
        if (!unit(head) || !unit(tail) || head.start || !head.stop || !tail.start || tail.stop || !(*head.stop == *tail.start))
            return declined("the parts do not meet", first->id());
        return become(edit, node, first->input(0));
    });

REWRITE(local_useless_inc_subtensor_alloc, Phase::Canonicalize)
    .why("writing repeats a smaller value by itself")
    .example("x: dmatrix; s: dscalar; inc_subtensor(x[1], alloc(s, x.shape[1]))", "x: dmatrix; s: dscalar; inc_subtensor(x[1], s)")
    .nearMiss("x: dmatrix; s: dscalar; n: lscalar; inc_subtensor(x[1], alloc(s, n))")
    .also({Phase::Stabilize, Phase::Specialize})
    .match<IncSubtensor>([](const NodeHandle &node, Editor &edit) {
        const IncSubtensor &op = *node.opAs<IncSubtensor>();
        if (op.inplace()) return declined("it works in place already");
        const auto alloc = madeBy<Alloc>(node.input(1));
        if (!alloc) return declined("the value is no allocation", ownerOf(node.input(1)));
        const IndexParts parts = indexParts(node, op.entries(), 2);
        const VarHandle place = indexed(edit, node.input(0), parts);
        if (place.rank() != node.input(1).rank()) return declined("the allocation is repeated itself", alloc->id());
        for (int axis = 0; axis < place.rank(); ++axis)
            if (!isSizeOf(edit, sizeOrShape(edit, node.input(1), axis), place, axis))
                return declined("the allocation may be smaller than the part", alloc->id());
        std::vector<VarHandle> inputs = node.inputs();
        inputs[1] = alloc->input(0);
        return become(edit, node, edit.make(node.op(), inputs));
    });

} // namespace
} // namespace engine
