// What is reduced: factors outside of the sum, repeated values counted, squares and rising functions seen through.
#include "engine/ops/alloc.h"
#include "engine/ops/dot.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"
#include "engine/rewrite/factors.h"
#include "engine/rewrite/predicates.h"
#include "engine/rewrite/shape_graph.h"

#include <algorithm>

namespace engine {
namespace {

VarHandle summed(Editor &edit, VarHandle x, std::optional<std::vector<int>> axes, const CAReduce &like)
{
    return edit.make(makeOp<CAReduce>(ReduceKind::Sum, std::move(axes), like.dtype(), like.accDtype()), {x});
}

/// The factors of what is summed: those that vary along the summed axes, and those that each sum has one of.
struct SummedFactors {
    std::vector<VarHandle> inside, outside;
};

SummedFactors factorsOf(const NodeHandle &product, VarHandle x, const CAReduce &op)
{
    SummedFactors result;
    const std::vector<int> axes = op.axesFor(x.rank());
    for (const VarHandle &factor : product.inputs()) {
        bool isOutside = factor.dtype() == x.dtype();
        for (int axis : axes) isOutside &= factor.type().isBroadcastable(axis);
        (isOutside ? result.outside : result.inside).push_back(factor);
    }
    return result;
}

/// The sum of `inside` as `node` sums, times the factors that stand outside.
VarHandle scaledSum(Editor &edit, const NodeHandle &node, VarHandle inside, const std::vector<VarHandle> &outside)
{
    const VarHandle sum = edit.make(node.op(), {inside});
    if (outside.empty()) return sum;
    const std::vector<int> axes = node.opAs<CAReduce>()->axesFor(inside.rank());
    std::vector<int> order;
    for (int axis = 0; axis < inside.rank(); ++axis)
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) order.push_back(axis);
    std::vector<VarHandle> after{sum};
    for (const VarHandle &factor : outside) after.push_back(dimshuffle(edit, factor, order));
    return elementwise(edit, scalarOp(ScalarCode::Mul), after);
}

/// Is it how many elements of x there are along these axes?
bool isCountOf(Editor &edit, VarHandle count, VarHandle x, std::vector<int> axes)
{
    const auto plain = [](VarHandle v) {
        v = withoutBroadcast(v);
        const auto cast = madeBy(v, ScalarCode::Cast);
        return cast ? withoutBroadcast(cast->input(0)) : v;
    };
    count = plain(count);
    if (const auto value = constantValue(count)) {
        double wanted = 1;
        for (int axis : axes) wanted *= static_cast<double>(knownSize(edit, x, axis).value_or(-1));
        return wanted == *value;
    }
    std::vector<VarHandle> factors;
    openTerms(
        count, kProductFamily, false,
        [&](const Part &part, ScalarCode code, std::size_t) { return code == ScalarCode::Mul && part.depth < 8; },
        [&](const Part &part) { factors.push_back(plain(part.var)); });
    if (factors.size() != axes.size()) return false;
    for (const VarHandle &factor : factors) {
        const auto axis = std::ranges::find_if(axes, [&](int one) { return isSizeOf(edit, factor, x, one); });
        if (axis == axes.end()) return false;
        axes.erase(axis);
    }
    return true;
}

/// x less its mean along these axes: they sum to nothing, and what comes out is how the mean was rounded.
bool isDeviation(Editor &edit, VarHandle v, const std::vector<int> &axes)
{
    const auto difference = madeBy(v, ScalarCode::Sub);
    if (!difference) return false;
    const VarHandle x = difference->input(0);
    const auto mean = madeBy(withoutBroadcast(difference->input(1)), ScalarCode::TrueDiv);
    if (!mean || !(x.type() == v.type())) return false;
    const auto sum = madeByReduce(withoutBroadcast(mean->input(0)), ReduceKind::Sum);
    return sum && sum->input(0) == x && sum->opAs<CAReduce>()->axesFor(x.rank()) == axes && isCountOf(edit, mean->input(1), x, axes);
}

/// A term of a sum as often as it stands there; fewer than no times where it is subtracted.
struct CountedTerm {
    VarHandle var;
    int times = 0;
};

std::vector<CountedTerm> termsOf(VarHandle sum)
{
    constexpr std::size_t kMostTerms = 8;
    std::vector<CountedTerm> terms;
    const auto opens = [&](const Part &, ScalarCode, std::size_t waiting) { return terms.size() + waiting + 1 < kMostTerms; };
    openTerms(sum, kSumFamily, false, opens, [&](const Part &part) {
        const auto same = std::ranges::find(terms, part.var, &CountedTerm::var);
        const auto term = same == terms.end() ? terms.insert(same, {part.var}) : same;
        term->times += part.below ? -1 : 1;
    });
    return terms;
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
        const auto [inside, outside] = factorsOf(*factors, x, op);
        if (outside.empty()) return declined("every factor varies along the summed axes", factors->id());
        if (inside.empty()) return declined("no factor varies along the summed axes", factors->id());
        const VarHandle rest = inside.size() == 1 ? inside[0] : edit.make(factors->op(), inside);
        if (!(rest.type() == x.type())) return declined("a factor decides the shape", factors->id());
        return become(edit, node, scaledSum(edit, node, rest, outside));
    });

REWRITE(croton_sum_of_scaled_terms, Phase::Specialize)
    .why(
        "what the terms scale is summed without waiting for the scales, and the terms need not be kept for the sum and for who else reads them")
    .hurts("each term is summed and rounded by itself: the last digits may differ, and more of them where the terms cancel")
    .dropsNan("0 times inf in one element, inf less a mean")
    .example("x: dmatrix; y: dmatrix; v: drow; w: drow; (x * v + y * w) + dimshuffle(sum(x * v + y * w, axis=0), 'x', 0)",
             "x: dmatrix; y: dmatrix; v: drow; w: drow; (x * v + y * w) + dimshuffle(sum(x, axis=0) * dimshuffle(v, 1) + "
             "sum(y, axis=0) * dimshuffle(w, 1), 'x', 0)")
    .nearMiss("x: dmatrix; y: dmatrix; v: drow; w: drow; sum(x * v + y * w, axis=0)")
    .tag("croton")
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        if (op.kind() != ReduceKind::Sum || !op.axes()) return declined("it is no sum over some axes");
        const VarHandle x = node.input(0);
        if (codeOf(x) != ScalarCode::Add && codeOf(x) != ScalarCode::Sub) return declined("it does not sum a sum", ownerOf(x));
        if (x.hasOneClient()) return declined("nobody else reads the terms", ownerOf(x));
        if (x.dtype() != node.output().dtype() || !isFloatType(x)) return declined("the dtype would change");
        struct Term {
            VarHandle inside;
            std::vector<VarHandle> outside;
            int times;
        };
        const std::vector<int> axes = op.axesFor(x.rank());
        const auto isThere = [](VarHandle v) { return ownerOf(v) == kNoApply || !v.hasOneClient(); };
        std::vector<Term> terms;
        for (const CountedTerm &term : termsOf(x)) {
            Term one{term.var, {}, term.times};
            if (const auto product = madeBy(term.var, ScalarCode::Mul)) {
                SummedFactors factors = factorsOf(*product, x, op);
                if (!std::ranges::all_of(factors.inside, isThere)) return declined("what a term scales is computed for it alone");
                if (factors.inside.empty()) return declined("a term does not vary along the summed axes");
                one.inside = factors.inside.size() == 1 ? factors.inside[0] : edit.make(product->op(), factors.inside);
                one.outside = std::move(factors.outside);
            } else if (!isThere(term.var)) return declined("a term is computed for the sum alone");
            if (!(one.inside.type() == x.type())) return declined("a term does not have the shape of the sum");
            terms.push_back(std::move(one));
        }
        if (std::ranges::all_of(terms, [](const Term &term) { return term.outside.empty(); })) return declined("no term is scaled");
        std::erase_if(terms, [&](const Term &term) { return term.times == 0 || isDeviation(edit, term.inside, axes); });
        if (terms.empty()) return declined("the terms cancel");
        std::optional<VarHandle> total;
        for (const Term &term : terms) {
            VarHandle one = scaledSum(edit, node, term.inside, term.outside);
            if (const int times = std::abs(term.times); times > 1)
                one = elementwise(edit, ScalarCode::Mul, {constantLike(edit, one, times), one});
            if (total) total = elementwise(edit, term.times < 0 ? ScalarCode::Sub : ScalarCode::Add, {*total, one});
            else total = term.times < 0 ? elementwise(edit, ScalarCode::Neg, {one}) : one;
        }
        return become(edit, node, *total);
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
