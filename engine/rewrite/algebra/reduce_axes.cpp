// Axes of reductions: named one way, reduced once, dropped where they have size 1.
#include "engine/ops/reductions/reduce.h"
#include "engine/rewrite/machine/build.h"

#include <algorithm>

namespace engine {
namespace {

REWRITE(local_sum_prod_all_to_none, Phase::Canonicalize)
    .why("all axes named is the same as none named: one way to write it lets equal sums merge")
    .example("x: dmatrix; sum(x, axis=[0, 1])", "x: dmatrix; sum(x)")
    .nearMiss("x: dmatrix; sum(x, axis=1)")
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        if (!op.axes()) return declined("no axes are named");
        if (static_cast<int>(op.axes()->size()) != node.input(0).rank()) return declined("some axes stay");
        return become(edit, node, edit.make(overAxes(op, std::nullopt), {node.input(0)}));
    });

REWRITE(local_op_of_op, Phase::Canonicalize)
    .why("a sum of sums is one sum over all their axes")
    .hurts("adds up in another order")
    .example("x: dmatrix; sum(sum(x, axis=0))", "x: dmatrix; sum(x)")
    .nearMiss("x: dmatrix; sum(max(x, axis=0))")
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        const auto inner = madeBy<CAReduce>(node.input(0));
        if (!inner) return declined("its input is no reduction", ownerOf(node.input(0)));
        const CAReduce &before = *inner->opAs<CAReduce>();
        if (before.kind() != op.kind() || before.dtype() != op.dtype() || before.accDtype() != op.accDtype())
            return declined("the inner reduction is another one", inner->id());
        if (!node.input(0).hasOneClient()) return declined("the inner reduction has other readers", inner->id());
        const VarHandle x = inner->input(0);
        if (x.dtype() != node.input(0).dtype()) return declined("the inner sum changes the dtype", inner->id());
        const std::vector<int> innerAxes = before.axesFor(x.rank());
        std::vector<int> left, axes = innerAxes;
        for (int axis = 0; axis < x.rank(); ++axis)
            if (std::find(innerAxes.begin(), innerAxes.end(), axis) == innerAxes.end()) left.push_back(axis);
        for (int axis : op.axesFor(node.input(0).rank())) axes.push_back(left[axis]);
        std::sort(axes.begin(), axes.end());
        std::optional<std::vector<int>> all;
        if (static_cast<int>(axes.size()) != x.rank()) all = axes;
        return become(edit, node, edit.make(overAxes(op, all), {x}));
    });

REWRITE(local_useless_reduce, Phase::Useless)
    .why("a reduction of a scalar or over no axes is its input")
    .example("s: dscalar; sum(s) + 1", "s: dscalar; s + 1")
    .nearMiss("x: dvector; sum(x) + 1")
    .also({Phase::Canonicalize})
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        if (!op.axesFor(node.input(0).rank()).empty()) return declined("it reduces axes");
        if (node.input(0).dtype() != node.output().dtype() && op.kind() != ReduceKind::Sum && op.kind() != ReduceKind::Prod)
            return declined("the dtype would change");
        return become(edit, node, castTo(edit, node.input(0), node.output().dtype()));
    });

REWRITE(local_reduce_broadcastable, Phase::Canonicalize)
    .why("an axis of size 1 is dropped, not summed")
    .example("x: dmatrix; c = dimshuffle(sum(x, axis=1), 0, 'x'); sum(c, axis=1)", "x: dmatrix; sum(x, axis=1)")
    .nearMiss("x: dmatrix; sum(x, axis=1)")
    .also({Phase::Specialize})
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        const VarHandle x = node.input(0);
        std::vector<int> axes, order;
        bool dropped = false;
        const std::vector<int> reduced = op.axesFor(x.rank());
        for (int axis = 0; axis < x.rank(); ++axis) {
            const bool isReduced = std::find(reduced.begin(), reduced.end(), axis) != reduced.end();
            if (isReduced && x.type().isBroadcastable(axis)) {
                dropped = true;
                continue;
            }
            if (isReduced) axes.push_back(static_cast<int>(order.size()));
            order.push_back(axis);
        }
        if (!dropped) return declined("no reduced axis is known to have size 1");
        VarHandle after = dimshuffle(edit, x, order);
        if (!axes.empty()) {
            std::optional<std::vector<int>> named;
            if (axes.size() != order.size()) named = axes;
            after = edit.make(overAxes(op, named), {after});
        } else if (op.kind() == ReduceKind::Any || op.kind() == ReduceKind::All) {
            if (after.dtype() != node.output().dtype()) return declined("the dtype would change");
        } else {
            after = castTo(edit, after, node.output().dtype());
        }
        return become(edit, node, after);
    });

REWRITE(croton_reduce_through_dimshuffle, Phase::Canonicalize)
    .why("the order of axes makes no difference to a reduction: it can read the array as it lies in memory")
    .hurts("the elements are added in another order")
    .example("x: dmatrix; sum(T(x), axis=0)", "x: dmatrix; sum(x, axis=1)")
    .nearMiss("x: dmatrix; sum(exp(x), axis=0)")
    .tag("croton")
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        const auto shuffle = madeBy<DimShuffle>(node.input(0));
        if (!shuffle) return declined("its input is not reshuffled", ownerOf(node.input(0)));
        const std::vector<int> &order = shuffle->opAs<DimShuffle>()->order();
        const VarHandle x = shuffle->input(0);
        const auto kept =
            static_cast<int>(order.size() - static_cast<std::size_t>(std::count(order.begin(), order.end(), DimShuffle::kNewAxis)));
        if (kept != x.rank()) return declined("an axis is dropped", shuffle->id());
        const std::vector<int> axes = op.axesFor(node.input(0).rank());
        std::vector<int> reduced;
        std::vector<int> left; // of x, in the order of the result; -1 for an axis of size 1
        for (std::size_t i = 0; i < order.size(); ++i) {
            const bool isReduced = std::find(axes.begin(), axes.end(), static_cast<int>(i)) != axes.end();
            if (isReduced && order[i] == DimShuffle::kNewAxis) return declined("an axis of size 1 is reduced", shuffle->id());
            if (isReduced) reduced.push_back(order[i]);
            else left.push_back(order[i]);
        }
        if (reduced.empty()) return declined("it reduces no axis");
        std::sort(reduced.begin(), reduced.end());
        std::vector<int> after;
        for (int axis : left)
            after.push_back(axis == DimShuffle::kNewAxis
                                ? axis
                                : axis - static_cast<int>(std::count_if(reduced.begin(), reduced.end(), [&](int r) { return r < axis; })));
        std::optional<std::vector<int>> named;
        if (static_cast<int>(reduced.size()) != x.rank()) named = reduced;
        const VarHandle result = edit.make(overAxes(op, named), {x});
        return become(edit, node, dimshuffle(edit, result, after));
    });

} // namespace
} // namespace engine
