// Reductions that can do less: of vectors of scalars, of rising functions, of squares of outer products.
#include "engine/ops/dot.h"
#include "engine/ops/shape.h"
#include "engine/rewrite/build.h"

#include <algorithm>

namespace engine {
namespace {

VarHandle summed(Editor &edit, VarHandle x, std::optional<std::vector<int>> axes, const CAReduce &like)
{
    return edit.make(makeOp<CAReduce>(ReduceKind::Sum, std::move(axes), like.dtype(), like.accDtype()), {x});
}

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
        const VarHandle result = edit.make(makeOp<CAReduce>(op.kind(), named, op.dtype(), op.accDtype()), {x});
        return become(edit, node, dimshuffle(edit, result, after));
    });

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

REWRITE(local_log_prod_sqr, Phase::Stabilize)
    .why("a product of many squares underflows or overflows; the sum of their logarithms does not")
    .hurts("a logarithm per element instead of one")
    .example("x: dvector; log(prod(sqr(x)))", "x: dvector; sum(log(sqr(x)))")
    .nearMiss("x: dvector; log(prod(x))")
    .also({Phase::Specialize})
    .match<ScalarCode::Log>([](const NodeHandle &node, Editor &edit) {
        const auto all = madeByReduce(node.input(0), ReduceKind::Prod);
        if (!all || !elemwiseOf(node)) return declined("its input is no product over axes", ownerOf(node.input(0)));
        const VarHandle x = all->input(0);
        // Anything that is never negative will do: the logarithm of each factor exists.
        bool positive = false;
        for (ScalarCode code : {ScalarCode::Sqr, ScalarCode::Exp, ScalarCode::Sigmoid, ScalarCode::Softplus, ScalarCode::Abs})
            positive = positive || madeBy(x, code).has_value();
        if (const auto power = madeBy(x, ScalarCode::Pow)) positive = positive || isConstantOf(power->input(1), 2);
        if (!positive) return declined("a factor may be negative", ownerOf(x));
        if (x.dtype() != node.output().dtype() || !isFloatType(x)) return declined("the dtype would change");
        const CAReduce &op = *all->opAs<CAReduce>();
        return become(edit, node, summed(edit, elementwise(edit, ScalarCode::Log, {x}), op.axes(), op));
    });

} // namespace
} // namespace engine
