// What is reduced: factors outside of the sum, repeated values counted, squares and rising functions seen through.
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/shape.h"
#include "engine/rewrite/machine/predicates.h"
#include "engine/rewrite/shapes/shape_graph.h"

#include <algorithm>

namespace engine {
namespace {

VarHandle summed(Editor &edit, VarHandle x, std::optional<std::vector<int>> axes, const CAReduce &like)
{
    return edit.make(makeOp<CAReduce>(ReduceKind::Sum, std::move(axes), like.dtype(), like.accDtype()), {x});
}

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

REWRITE(local_opt_alloc, Phase::Specialize)
    .why("the sum of a repeated value is the value times how often it is repeated")
    .hurts("rounds differently from adding one by one")
    .example("s: dscalar; n: lscalar; sum(alloc(s, n))", "s: dscalar; n: lscalar; s * cast(n, float64)")
    .nearMiss("v: dvector; n: lscalar; sum(alloc(v, n, v.shape[0]), axis=1)")
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        if (op.kind() != ReduceKind::Sum && op.kind() != ReduceKind::Prod) return declined("it is neither sum nor product");
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

REWRITE(local_sum_make_vector, Phase::Canonicalize)
    .why("the sum of a vector of scalars is the sum of the scalars: no vector is made")
    .hurts("rounds after each addition instead of in the wider accumulator")
    .example("a: lscalar; b: lscalar; c: lscalar; sum(MakeVector(a, b, c))", "a: lscalar; b: lscalar; c: lscalar; add(a, b, c)")
    .nearMiss("a: lscalar; b: lscalar; max(MakeVector(a, b))")
    .also({Phase::Specialize})
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        if (op.kind() != ReduceKind::Sum && op.kind() != ReduceKind::Prod) return declined("it is neither sum nor product");
        const auto vector = madeBy<MakeVector>(node.input(0));
        if (!vector) return declined("its input is no vector of scalars", ownerOf(node.input(0)));
        if (op.axesFor(1).empty()) return declined("it reduces no axis");
        std::vector<VarHandle> parts;
        for (const VarHandle &part : vector->inputs()) parts.push_back(castTo(edit, part, node.output().dtype()));
        if (op.kind() == ReduceKind::Sum) return become(edit, node, total(edit, parts, node.output()));
        return become(edit, node, product(edit, parts, node.output()));
    });

REWRITE(local_max_to_min, Phase::Uncanonicalize)
    .why("-max(-x) is min(x): one pass instead of three")
    .turns("x: dmatrix; -max(-x, axis=1)", "min(x, axis=1)")
    .asWritten()
    .nearMiss("x: dmatrix; max(-x, axis=1)");

REWRITE(croton_max_of_rising, Phase::Specialize)
    .why("the largest value of a rising function is the function of the largest value: one call instead of one per element")
    .hurts("rounding ties of the function are broken differently")
    .example("x: dmatrix; max(exp(x), axis=1)", "x: dmatrix; exp(max(x, axis=1))")
    .example("x: dvector; min(sigmoid(x))", "x: dvector; sigmoid(min(x))")
    .nearMiss("x: dmatrix; max(sin(x), axis=1)")
    .tag("croton")
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        if (op.kind() != ReduceKind::Max && op.kind() != ReduceKind::Min) return declined("it is neither maximum nor minimum");
        const ApplyId owner = ownerOf(node.input(0));
        if (owner == kNoApply) return declined("its input is an input or a constant");
        for (ScalarCode code : {ScalarCode::Exp, ScalarCode::Expm1, ScalarCode::Sigmoid, ScalarCode::Tanh, ScalarCode::Softplus,
                                ScalarCode::Arctan, ScalarCode::Sinh, ScalarCode::Arcsinh}) {
            const auto rising = madeBy(node.input(0), code);
            if (!rising) continue;
            if (!node.input(0).hasOneClient()) return declined("the function has other readers", rising->id());
            if (rising->input(0).dtype() != node.output().dtype()) return declined("the dtype would change", rising->id());
            return become(edit, node, elementwise(edit, code, {edit.make(node.op(), {rising->input(0)})}));
        }
        return declined("its input is no rising function", owner);
    });

REWRITE(local_sumsqr2dot, Phase::Canonicalize)
    .why("squared norms of outer products (per-example gradients) are a product of squared norms: no 3-d array")
    .hurts("rounds differently")
    .dropsNan("0 times inf in one element")
    .example("g: dmatrix; w: dmatrix; sum(sqr(dimshuffle(w, 'x', 0, 1) * dimshuffle(g, 0, 'x', 1)), axis=[1, 2])",
             "g: dmatrix; w: dmatrix; dot(sqr(g), sum(sqr(w), axis=0))")
    .nearMiss("g: dmatrix; w: dmatrix; sum(sqr(dimshuffle(w, 'x', 0, 1) * dimshuffle(g, 0, 'x', 1)), axis=[0, 2])")
    .also({Phase::Specialize})
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        const VarHandle x = node.input(0), out = node.output();
        if (op.kind() != ReduceKind::Sum || x.rank() != 3 || op.axesFor(3) != std::vector<int>{1, 2})
            return declined("it is no sum over the last two of three axes");
        VarHandle inside = x;
        if (const auto square = madeBy(x, ScalarCode::Sqr)) inside = square->input(0);
        else if (const auto power = madeBy(x, ScalarCode::Pow); power && isConstantOf(power->input(1), 2)) inside = power->input(0);
        else return declined("it sums no squares", ownerOf(x));
        const auto times = madeBy(inside, ScalarCode::Mul);
        if (!times || times->inputCount() != 2) return declined("no product of two is squared", ownerOf(inside));
        std::optional<VarHandle> w, g;
        for (const VarHandle &factor : times->inputs()) {
            const auto shuffle = madeBy<DimShuffle>(factor);
            if (!shuffle) continue;
            if (shuffle->opAs<DimShuffle>()->order() == std::vector<int>{DimShuffle::kNewAxis, 0, 1}) w = shuffle->input(0);
            if (shuffle->opAs<DimShuffle>()->order() == std::vector<int>{0, DimShuffle::kNewAxis, 1}) g = shuffle->input(0);
        }
        if (!w || !g) return declined("the factors are no matrices spread over one another", times->id());
        if (w->dtype() != out.dtype() || g->dtype() != out.dtype()) return declined("the dtype would change", times->id());
        const VarHandle weights = summed(edit, elementwise(edit, ScalarCode::Sqr, {*w}), std::vector<int>{0}, op);
        static const OpRef dot = makeOp<Dot>();
        return become(edit, node, edit.make(dot, {elementwise(edit, ScalarCode::Sqr, {*g}), weights}));
    });

REWRITE(croton_sum_of_spread_products, Phase::Stabilize)
    .why("two matrices spread over one another, multiplied and summed along the axis that both have, are their product: no 3-d array")
    .hurts("rounds in the dtype of the matrices, whatever sums are accumulated in")
    .example("a: dmatrix; b: dmatrix; sum(dimshuffle(a, 0, 1, 'x') * dimshuffle(b, 'x', 0, 1), axis=1)",
             "a: dmatrix; b: dmatrix; dot(a, b)")
    .example("a: dmatrix; b: dmatrix; sum(dimshuffle(a, 'x', 0, 1) * dimshuffle(b, 0, 'x', 1), axis=2)",
             "a: dmatrix; b: dmatrix; dot(b, dimshuffle(a, 1, 0))")
    .nearMiss("a: dmatrix; b: dmatrix; sum(dimshuffle(a, 0, 1, 'x') * dimshuffle(b, 'x', 0, 1), axis=2)")
    .tag("croton")
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        const VarHandle x = node.input(0);
        const auto axes = op.axesFor(x.rank());
        if (op.kind() != ReduceKind::Sum || x.rank() != 3 || axes.size() != 1) return declined("it is no sum over one of three axes");
        const auto times = madeBy(x, ScalarCode::Mul);
        if (!times || times->inputCount() != 2) return declined("it sums no product of two", ownerOf(x));
        if (!x.hasOneClient()) return declined("the product has other readers", times->id());
        // The remaining axes in their order: of the first one the left matrix has the sizes.
        const int inner = axes[0], first = inner == 0 ? 1 : 0, second = inner == 2 ? 1 : 2;
        const auto isSpread = [&](const VarHandle &v, int along) {
            return v.type().isBroadcastable(along) && !v.type().isBroadcastable(inner) && !v.type().isBroadcastable(first + second - along);
        };
        VarHandle left = times->input(0), right = times->input(1);
        if (!isSpread(left, second)) std::swap(left, right);
        if (!isSpread(left, second) || !isSpread(right, first))
            return declined("the factors are no matrices spread over one another", times->id());
        if (!isFloatType(left) || left.dtype() == DType::Float16 || left.dtype() != right.dtype() || left.dtype() != node.output().dtype())
            return declined("the dtype would change", times->id());
        static const OpRef dot = makeOp<Dot>();
        return become(edit, node, edit.make(dot, {dimshuffle(edit, left, {first, inner}), dimshuffle(edit, right, {inner, second})}));
    });

REWRITE(local_log_prod_sqr, Phase::Stabilize)
    .why("a product of many squares underflows or overflows; the sum of their logarithms does not")
    .hurts("a logarithm per element instead of one")
    // Anything that is never negative will do: the logarithm of each factor exists.
    .turns("x: dvector; q = sqr(x); log(prod(q))", "sum(log(q))")
    .generally("q: dvector; log(prod(q))", "sum(log(q))", {"q is made by exp, sigmoid, softplus or abs"})
    .where("q is float")
    .where("q has the dtype of the result")
    .example("x: dmatrix; log(prod(x ** 2, axis=1))", "x: dmatrix; sum(log(sqr(x)), axis=1)")
    .example("x: dmatrix; log(prod(abs(x), axis=0))", "x: dmatrix; sum(log(abs(x)), axis=0)")
    .nearMiss("x: dvector; log(prod(x))")
    .also({Phase::Specialize});

} // namespace
} // namespace engine
