// Sums and products over axes: constants and scalars outside, useless axes gone.
#include "engine/ops/alloc.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"
#include "engine/rewrite/predicates.h"
#include "engine/rewrite/shape_graph.h"

#include <algorithm>

namespace engine {
namespace {

OpRef sameReduce(const CAReduce &op, std::optional<std::vector<int>> axes)
{
    return makeOp<CAReduce>(op.kind(), std::move(axes), op.dtype(), op.accDtype());
}

bool accumulates(const CAReduce &op) { return op.kind() == ReduceKind::Sum || op.kind() == ReduceKind::Prod; }

REWRITE(local_sum_prod_mul_by_scalar, Phase::Specialize)
    .why("a scalar factor is applied once to the sum instead of to every element")
    .hurts("one rounding of the sum in place of one of each element: the last digits may differ")
    .example("x: dvector; sum(2.0 * x)", "x: dvector; 2.0 * sum(x)")
    .example("x: dvector; sum(-x)", "x: dvector; -sum(x)")
    .nearMiss("x: dvector; y: dvector; sum(x * y)")
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        if (op.kind() != ReduceKind::Sum) return declined("it is no sum");
        const VarHandle out = node.output(), x = node.input(0);
        if (!isFloatType(x) || x.dtype() != out.dtype()) return declined("not a sum of floats in their own dtype");
        if (const auto minus = madeBy(x, ScalarCode::Neg)) {
            const VarHandle inner = edit.make(node.op(), {minus->input(0)});
            return become(edit, node, elementwise(edit, ScalarCode::Neg, {inner}));
        }
        const auto times = madeBy(x, ScalarCode::Mul);
        if (!times) return declined("it does not sum a product", ownerOf(x));
        if (!x.hasOneClient()) return declined("the product has other readers", times->id());
        std::vector<VarHandle> scalars, others;
        for (const VarHandle &factor : times->inputs()) (isSingle(factor) ? scalars : others).push_back(factor);
        if (scalars.empty()) return declined("no factor is a scalar", times->id());
        if (others.empty()) return declined("all factors are scalars", times->id());
        VarHandle inner = product(edit, others, x);
        if (!(inner.type() == x.type())) return declined("the scalar decides the shape", times->id());
        VarHandle scalar = product(edit, scalars, x);
        if (scalar.dtype() != out.dtype()) return declined("the scalar has another dtype", times->id());
        scalar = dimshuffle(edit, scalar, {});
        return become(edit, node, elementwise(edit, ScalarCode::Mul, {scalar, edit.make(node.op(), {inner})}));
    });

REWRITE(local_sum_prod_div_dimshuffle, Phase::Canonicalize)
    .why("dividing the sum once is cheaper than dividing each element")
    .hurts("one division of each sum in place of one of each element: the last digits may differ")
    .dropsNan("0 / 0 and inf / inf in one element")
    .example("x: dmatrix; v: dvector; sum(x / dimshuffle(v, 0, 'x'), axis=1)", "x: dmatrix; v: dvector; sum(x, axis=1) / v")
    .nearMiss("x: dmatrix; v: dvector; sum(x / dimshuffle(v, 'x', 0), axis=1)")
    .also({Phase::Specialize})
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        if (op.kind() != ReduceKind::Sum) return declined("it is no sum");
        const VarHandle x = node.input(0);
        const auto quotient = madeBy(x, ScalarCode::TrueDiv);
        if (!quotient) return declined("it does not sum a quotient", ownerOf(x));
        if (!x.hasOneClient()) return declined("the quotient has other readers", quotient->id());
        const VarHandle below = quotient->input(1);
        const std::vector<int> axes = op.axesFor(x.rank());
        for (int axis : axes)
            if (!below.type().isBroadcastable(axis)) return declined("the divisor varies along the summed axes", quotient->id());
        if (!(quotient->input(0).type() == x.type())) return declined("the divisor decides the shape", quotient->id());
        if (quotient->input(0).dtype() != node.output().dtype() || below.dtype() != x.dtype()) return declined("the dtype would change");
        std::vector<int> order;
        for (int axis = 0; axis < x.rank(); ++axis)
            if (std::find(axes.begin(), axes.end(), axis) == axes.end()) order.push_back(axis);
        const VarHandle sum = edit.make(node.op(), {quotient->input(0)});
        return become(edit, node, elementwise(edit, ScalarCode::TrueDiv, {sum, dimshuffle(edit, below, order)}));
    });

REWRITE(local_sum_of_mul_dimshuffle, Phase::Canonicalize)
    .why("multiplying the sum once is cheaper than multiplying each element, and factors of sums can cancel")
    .hurts("rounds a little differently; a factor that overflows meets the sum, not its elements")
    .dropsNan("0 times inf in one element")
    .example("x: dmatrix; v: dvector; sum(x * dimshuffle(v, 0, 'x'), axis=1)", "x: dmatrix; v: dvector; sum(x, axis=1) * v")
    .nearMiss("x: dmatrix; v: dvector; sum(x * dimshuffle(v, 'x', 0), axis=1)")
    .also({Phase::Specialize})
    .tag("croton")
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        if (op.kind() != ReduceKind::Sum || !op.axes()) return declined("it is no sum over some axes");
        const VarHandle x = node.input(0);
        const auto factors = madeBy(x, ScalarCode::Mul);
        if (!factors) return declined("it does not sum a product", ownerOf(x));
        if (!x.hasOneClient()) return declined("the product has other readers", factors->id());
        if (x.dtype() != node.output().dtype() || !isFloatType(x)) return declined("the dtype would change");
        const std::vector<int> axes = op.axesFor(x.rank());
        std::vector<VarHandle> inside, outside;
        for (const VarHandle &factor : factors->inputs()) {
            bool isSame = factor.dtype() == x.dtype();
            for (int axis : axes) isSame &= factor.type().isBroadcastable(axis);
            (isSame ? outside : inside).push_back(factor);
        }
        if (outside.empty()) return declined("every factor varies along the summed axes", factors->id());
        if (inside.empty()) return declined("no factor varies along the summed axes", factors->id());
        const VarHandle rest = inside.size() == 1 ? inside[0] : edit.make(factors->op(), inside);
        if (!(rest.type() == x.type())) return declined("a factor decides the shape", factors->id());
        std::vector<int> order;
        for (int axis = 0; axis < x.rank(); ++axis)
            if (std::find(axes.begin(), axes.end(), axis) == axes.end()) order.push_back(axis);
        std::vector<VarHandle> after{edit.make(node.op(), {rest})};
        for (const VarHandle &factor : outside) after.push_back(dimshuffle(edit, factor, order));
        return become(edit, node, elementwise(edit, scalarOp(ScalarCode::Mul), after));
    });

REWRITE(local_sum_prod_all_to_none, Phase::Canonicalize)
    .why("all axes named is the same as none named: one way to write it lets equal sums merge")
    .example("x: dmatrix; sum(x, axis=[0, 1])", "x: dmatrix; sum(x)")
    .nearMiss("x: dmatrix; sum(x, axis=1)")
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        if (!op.axes()) return declined("no axes are named");
        if (static_cast<int>(op.axes()->size()) != node.input(0).rank()) return declined("some axes stay");
        return become(edit, node, edit.make(sameReduce(op, std::nullopt), {node.input(0)}));
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
        for (int axis : op.axesFor(node.input(0).rank())) axes.push_back(left[static_cast<std::size_t>(axis)]);
        std::sort(axes.begin(), axes.end());
        std::optional<std::vector<int>> all;
        if (static_cast<int>(axes.size()) != x.rank()) all = axes;
        return become(edit, node, edit.make(sameReduce(op, all), {x}));
    });

REWRITE(local_useless_reduce, Phase::Useless)
    .why("a reduction of a scalar or over no axes is its input")
    .example("s: dscalar; sum(s) + 1", "s: dscalar; s + 1")
    .nearMiss("x: dvector; sum(x) + 1")
    .also({Phase::Canonicalize})
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        if (!op.axesFor(node.input(0).rank()).empty()) return declined("it reduces axes");
        if (node.input(0).dtype() != node.output().dtype() && !accumulates(op)) return declined("the dtype would change");
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
            after = edit.make(sameReduce(op, named), {after});
        } else if (op.kind() == ReduceKind::Any || op.kind() == ReduceKind::All) {
            if (after.dtype() != node.output().dtype()) return declined("the dtype would change");
        } else {
            after = castTo(edit, after, node.output().dtype());
        }
        return become(edit, node, after);
    });

REWRITE(local_opt_alloc, Phase::Specialize)
    .why("the sum of a repeated value is the value times how often it is repeated")
    .hurts("rounds differently from adding one by one")
    .example("s: dscalar; n: lscalar; sum(alloc(s, n))", "s: dscalar; n: lscalar; s * cast(n, float64)")
    .nearMiss("v: dvector; n: lscalar; sum(alloc(v, n, v.shape[0]), axis=1)")
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        if (!accumulates(op)) return declined("it is neither sum nor product");
        const VarHandle x = node.input(0), out = node.output();
        const auto alloc = madeBy<Alloc>(x);
        if (!alloc) return declined("its input is no allocation", ownerOf(x));
        const VarHandle value = alloc->input(0);
        if (!isSingle(value)) return declined("the allocated value is no scalar", alloc->id());
        if (!isFloatType(out)) return declined("not a float");
        const std::vector<int> axes = op.axesFor(x.rank());
        VarHandle count = alloc->input(1 + static_cast<std::size_t>(axes.empty() ? 0 : axes[0]));
        for (std::size_t i = 1; i < axes.size(); ++i)
            count = elementwise(edit, ScalarCode::Mul, {count, alloc->input(1 + static_cast<std::size_t>(axes[i]))});
        if (axes.empty()) return declined("it reduces no axis");
        count = castTo(edit, count, out.dtype());
        const VarHandle scalar = castTo(edit, dimshuffle(edit, value, {}), out.dtype());
        VarHandle after = elementwise(edit, op.kind() == ReduceKind::Sum ? ScalarCode::Mul : ScalarCode::Pow, {scalar, count});
        if (out.rank() > 0) {
            std::vector<VarHandle> inputs{after};
            for (int axis = 0; axis < x.rank(); ++axis)
                if (std::find(axes.begin(), axes.end(), axis) == axes.end())
                    inputs.push_back(alloc->input(1 + static_cast<std::size_t>(axis)));
            after = edit.make(alloc->op(), inputs);
        }
        return become(edit, node, after);
    });

REWRITE(local_max_to_min, Phase::Uncanonicalize)
    .why("-max(-x) is min(x): one pass instead of three")
    .example("x: dmatrix; -max(-x, axis=1)", "x: dmatrix; min(x, axis=1)")
    .nearMiss("x: dmatrix; max(-x, axis=1)")
    .match<ScalarCode::Neg>([](const NodeHandle &node, Editor &edit) {
        const auto largest = madeByReduce(node.input(0), ReduceKind::Max);
        if (!largest || !elemwiseOf(node)) return declined("its input is no maximum", ownerOf(node.input(0)));
        const auto minus = madeBy(largest->input(0), ScalarCode::Neg);
        if (!minus) return declined("the maximum is not of a negation", largest->id());
        const CAReduce &op = *largest->opAs<CAReduce>();
        return become(edit, node, edit.make(makeOp<CAReduce>(ReduceKind::Min, op.axes()), {minus->input(0)}));
    });

} // namespace
} // namespace engine
