// Softmax and its logarithm: found in what people write, computed without overflow.
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/reductions/argmax.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/rewrite/algebra/canonizer.h"
#include "engine/rewrite/shapes/shape_graph.h"
#include "engine/rewrite/stabilize/softmax_pattern.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

namespace engine {

std::optional<ExpSum> spreadExpSum(VarHandle v)
{
    VarHandle inside = v;
    const DimShuffle *shuffle = nullptr;
    if (const auto node = madeBy<DimShuffle>(v)) {
        shuffle = node->opAs<DimShuffle>();
        inside = node->input(0);
    }
    const auto sum = madeByReduce(inside, ReduceKind::Sum);
    if (!sum) return std::nullopt;
    const auto power = madeBy(sum->input(0), ScalarCode::Exp);
    if (!power) return std::nullopt;
    const VarHandle x = power->input(0);
    const std::vector<int> axes = sum->opAs<CAReduce>()->axesFor(x.rank());
    if (x.dtype() != v.dtype()) return std::nullopt;
    std::vector<int> wanted;
    bool leading = true; // axes are padded from the left without a DimShuffle
    int next = 0;
    for (int axis = 0; axis < x.rank(); ++axis) {
        const bool isSummed = std::find(axes.begin(), axes.end(), axis) != axes.end();
        leading &= !isSummed || next == 0;
        wanted.push_back(isSummed ? DimShuffle::kNewAxis : next++);
    }
    if (shuffle ? shuffle->order() != wanted : !leading) return std::nullopt;
    return ExpSum{x, axes};
}

std::vector<int> spreadOrder(int rank, const std::vector<int> &axes)
{
    std::vector<int> order;
    for (int axis = 0, next = 0; axis < rank; ++axis)
        order.push_back(std::find(axes.begin(), axes.end(), axis) != axes.end() ? DimShuffle::kNewAxis : next++);
    return order;
}

VarHandle withoutShift(VarHandle x, const std::vector<int> &axes)
{
    const auto difference = madeBy(x, ScalarCode::Sub);
    if (!difference || !(difference->input(0).type() == x.type())) return x;
    for (int axis : axes)
        if (!difference->input(1).type().isBroadcastable(axis)) return x;
    return difference->input(0);
}

bool fitsSoftmaxOp(VarHandle x, const std::vector<int> &axes) { return axes.size() == 1 && x.rank() <= 2; }

VarHandle toSoftmaxRows(Editor &edit, VarHandle x, const std::vector<int> &axes)
{
    if (x.rank() == 1) return dimshuffle(edit, x, {DimShuffle::kNewAxis, 0});
    return axes[0] == 1 ? x : dimshuffle(edit, x, {1, 0});
}

VarHandle fromSoftmaxRows(Editor &edit, VarHandle rows, VarHandle x, const std::vector<int> &axes)
{
    if (x.rank() == 1) return dimshuffle(edit, rows, {1});
    return axes[0] == 1 ? rows : dimshuffle(edit, rows, {1, 0});
}

namespace {

VarHandle softmaxOf(Editor &edit, VarHandle x)
{
    static const OpRef op = makeOp<Softmax>();
    return edit.make(op, {x});
}
VarHandle logSoftmaxOf(Editor &edit, VarHandle x)
{
    static const OpRef op = makeOp<LogSoftmax>();
    return edit.make(op, {x});
}
VarHandle rowSum(Editor &edit, VarHandle x)
{
    const VarHandle sum = edit.make(
        makeOp<CAReduce>(ReduceKind::Sum, std::vector<int>{1}, x.dtype(), x.dtype() == DType::Float32 ? DType::Float64 : x.dtype()), {x});
    return dimshuffle(edit, sum, {0, DimShuffle::kNewAxis});
}

/// Is the maximum out already? What stableSoftmax() makes would be found again otherwise.
bool isShiftedByMaximum(VarHandle x)
{
    const auto difference = madeBy(withoutBroadcast(x), ScalarCode::Sub);
    if (!difference) return false;
    VarHandle taken = difference->input(1);
    if (const auto shuffle = madeBy<DimShuffle>(taken)) taken = shuffle->input(0);
    return madeByReduce(taken, ReduceKind::Max) || madeByReduce(taken, ReduceKind::Largest);
}

/// exp(x - max) / sum(exp(x - max)) over some axes, the Softmax op where it fits.
VarHandle stableSoftmax(Editor &edit, VarHandle x, const std::vector<int> &axes)
{
    if (fitsSoftmaxOp(x, axes)) return fromSoftmaxRows(edit, softmaxOf(edit, toSoftmaxRows(edit, withoutShift(x, axes), axes)), x, axes);
    std::optional<std::vector<int>> named;
    if (static_cast<int>(axes.size()) != x.rank()) named = axes;
    const std::vector<int> order = spreadOrder(x.rank(), axes);
    const VarHandle largest = dimshuffle(edit, edit.make(makeOp<CAReduce>(ReduceKind::Largest, named), {x}), order);
    const VarHandle power = elementwise(edit, ScalarCode::Exp, {elementwise(edit, ScalarCode::Sub, {x, largest})});
    const DType acc = x.dtype() == DType::Float32 ? DType::Float64 : x.dtype();
    const VarHandle sum = dimshuffle(edit, edit.make(makeOp<CAReduce>(ReduceKind::Sum, named, x.dtype(), acc), {power}), order);
    return elementwise(edit, ScalarCode::TrueDiv, {power, sum});
}

REWRITE(softmax_simplifier, Phase::Canonicalize)
    .why("exp(x) / sum(exp(x)) is inf / inf above 709; softmax takes the maximum out first")
    .hurts("the sum of the exponentials is no longer there for others to share")
    .improves("inf / inf above 709, 0 / 0 below -745")
    .infinite("one makes its whole row nan")
    .example("x: dmatrix; exp(x) / sum(exp(x), axis=1, keepdims=True)", "x: dmatrix; Softmax(x)")
    .example("x: dvector; y: dvector; y * exp(x) / sum(exp(x))",
             "x: dvector; y: dvector; y * dimshuffle(Softmax(dimshuffle(x, 'x', 0)), 1)")
    .example("x: dmatrix; y: dmatrix; y * sum(exp(x), axis=1, keepdims=True) / exp(x)", "x: dmatrix; y: dmatrix; y / Softmax(x)")
    .nearMiss("x: dmatrix; exp(x) / sum(x, axis=1, keepdims=True)")
    .nearMiss("x: dmatrix; exp(x - max(x)) / sum(exp(x - max(x)))")
    .example("x: dmatrix; d = x - max(x, axis=1, keepdims=True); exp(d) / sum(exp(d), axis=1, keepdims=True)", "x: dmatrix; Softmax(x)")
    .also({Phase::Useless, Phase::Stabilize, Phase::Specialize})
    .at(-1) // before the canonizer moves the factors apart
    .match<ScalarCode::TrueDiv, ScalarCode::Mul>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a quotient of floats");
        if (isInsideFamily(out, kProductFamily)) {
            // A long product is opened from its root, and where a sum of exponentials divides.
            if (elemwiseOf(node)->is(ScalarCode::Mul)) return declined("a part of a larger product");
            const CanonTerms divisor = canonTerms(node.input(1), kProductFamily);
            const auto isSum = [](const VarHandle &factor) { return spreadExpSum(factor).has_value(); };
            if (std::none_of(divisor.above.begin(), divisor.above.end(), isSum)) return declined("a part of a larger product");
        }
        CanonTerms terms = canonTerms(out, kProductFamily);
        // What cancels is not part of a softmax: a softmax over itself is gone at once.
        bool cancelled = false;
        std::unordered_set<std::uint32_t> factors;
        for (const VarHandle &factor : terms.above) factors.insert(raw(factor.id()));
        std::erase_if(terms.below, [&](const VarHandle &factor) {
            if (!factors.count(raw(factor.id()))) return false;
            const auto twin = std::find(terms.above.begin(), terms.above.end(), factor);
            if (twin == terms.above.end()) return false;
            terms.above.erase(twin);
            cancelled |= spreadExpSum(factor).has_value();
            return true;
        });
        if (cancelled) return become(edit, node, buildTerms(edit, terms, kProductFamily, out), "sum(exp(x)) cancels");
        const auto takeOut = [&](auto &powers, auto &sums) {
            for (std::size_t one = 0; one < sums.size(); ++one) {
                const auto sum = spreadExpSum(sums[one]);
                if (!sum || (isShiftedByMaximum(sum->x) && !fitsSoftmaxOp(sum->x, sum->axes))) continue;
                for (VarHandle &factor : powers) {
                    const auto power = madeBy(factor, ScalarCode::Exp);
                    if (!power || !(power->input(0) == sum->x)) continue;
                    factor = stableSoftmax(edit, sum->x, sum->axes);
                    sums.erase(sums.begin() + static_cast<std::ptrdiff_t>(one));
                    return true;
                }
            }
            return false;
        };
        if (takeOut(terms.above, terms.below))
            return become(edit, node, buildTerms(edit, terms, kProductFamily, out), "exp(x) / sum(exp(x)) = softmax(x)");
        if (takeOut(terms.below, terms.above))
            return become(edit, node, buildTerms(edit, terms, kProductFamily, out), "sum(exp(x)) / exp(x) = 1 / softmax(x)");
        return declined("no exp(x) above and sum(exp(x)) below the line");
    });

/// The axes, if v is log(sum(exp(x))) along them, spread over x again.
std::optional<std::vector<int>> axesOfLogSumExp(VarHandle v, VarHandle x)
{
    std::vector<int> order(static_cast<std::size_t>(v.rank()));
    std::iota(order.begin(), order.end(), 0);
    bool isLog = false;
    for (;;) {
        if (const auto shuffle = madeBy<DimShuffle>(v)) {
            for (int &axis : order)
                if (axis != DimShuffle::kNewAxis) axis = shuffle->opAs<DimShuffle>()->order()[static_cast<std::size_t>(axis)];
            v = shuffle->input(0);
        } else if (const auto log = madeBy(v, ScalarCode::Log); log && !isLog) {
            isLog = true;
            v = log->input(0);
        } else break;
    }
    const auto sum = madeByReduce(v, ReduceKind::Sum);
    const auto power = sum ? madeBy(sum->input(0), ScalarCode::Exp) : std::nullopt;
    if (!isLog || !power || !(power->input(0) == x)) return std::nullopt;
    const std::vector<int> axes = sum->opAs<CAReduce>()->axesFor(x.rank());
    return order == spreadOrder(x.rank(), axes) ? std::optional(axes) : std::nullopt;
}

/// a and b of a - b, a + (-b) and -(b - a).
std::optional<std::pair<VarHandle, VarHandle>> partsOfDifference(VarHandle v)
{
    if (const auto sub = madeBy(v, ScalarCode::Sub)) return std::pair(sub->input(0), sub->input(1));
    if (const auto sign = madeBy(v, ScalarCode::Neg))
        if (const auto sub = madeBy(sign->input(0), ScalarCode::Sub)) return std::pair(sub->input(1), sub->input(0));
    const auto sum = madeBy(v, ScalarCode::Add);
    if (!sum || sum->inputCount() != 2) return std::nullopt;
    for (const std::size_t i : {0, 1})
        if (const auto sign = madeBy(sum->input(i), ScalarCode::Neg)) return std::pair(sum->input(1 - i), sign->input(0));
    return std::nullopt;
}

REWRITE(croton_softmax_of_log_sum, Phase::Canonicalize)
    .why(
        "exp(x - log(sum(exp(x)))) is a softmax, and what is known of its logarithm, of what is chosen of it and of its gradient holds for it")
    .hurts("the logarithm of the sum is computed once more where others read it")
    .improves("log(sum(exp(x))) is inf above 709")
    .infinite("one makes its whole row nan")
    .example("x: dmatrix; exp(x - log(sum(exp(x), axis=1, keepdims=True)))", "x: dmatrix; Softmax(x)")
    .nearMiss("x: dmatrix; y: dmatrix; exp(y - log(sum(exp(x), axis=1, keepdims=True)))")
    .nearMiss("x: dmatrix; exp(x - sum(exp(x), axis=1, keepdims=True))")
    .also({Phase::Useless, Phase::Stabilize})
    .at(-2)
    .tag("croton")
    .match<ScalarCode::Exp>([](const NodeHandle &node, Editor &edit) {
        const auto difference = partsOfDifference(node.input(0));
        if (!elemwiseOf(node) || !difference || !isFloatType(node.output())) return declined("its input is no difference of floats");
        const auto &[x, logarithm] = *difference;
        if (!(x.type() == node.output().type())) return declined("x is repeated", ownerOf(x));
        const auto axes = axesOfLogSumExp(logarithm, x);
        if (!axes) return declined("what is subtracted is no log(sum(exp(x)))", ownerOf(logarithm));
        if (isShiftedByMaximum(x) && !fitsSoftmaxOp(x, *axes)) return declined("the maximum is out already", ownerOf(x));
        return become(edit, node, stableSoftmax(edit, x, *axes), "exp(x - log(sum(exp(x)))) = softmax(x)");
    });

REWRITE(local_logsoftmax, Phase::Stabilize)
    .why("log(softmax(x)) is -inf where softmax rounds to 0; LogSoftmax is x - logsumexp(x) there")
    .example("x: dmatrix; log(Softmax(x))", "x: dmatrix; LogSoftmax(x)")
    .example("x: dmatrix; log(T(Softmax(x)))", "x: dmatrix; T(LogSoftmax(x))")
    .example("x: dmatrix; log(flatten(Softmax(x)))", "x: dmatrix; flatten(LogSoftmax(x))")
    .nearMiss("x: dmatrix; log(x)")
    .also({Phase::Specialize})
    .fastCompile()
    .match<ScalarCode::Log>([](const NodeHandle &node, Editor &edit) {
        VarHandle inside = node.input(0);
        const auto shuffle = madeBy<DimShuffle>(inside);
        const auto reshape = madeBy<Reshape>(inside);
        if (shuffle) inside = shuffle->input(0);
        else if (reshape) inside = reshape->input(0);
        const auto softmax = madeBy<Softmax>(inside);
        if (!softmax || !elemwiseOf(node)) return declined("its input is no softmax", ownerOf(inside));
        VarHandle after = logSoftmaxOf(edit, softmax->input(0));
        if (shuffle) after = dimshuffle(edit, after, shuffle->opAs<DimShuffle>()->order());
        else if (reshape) after = edit.make(reshape->op(), {after, reshape->input(1)});
        return become(edit, node, after);
    });

REWRITE(local_log_softmax_with_bias, Phase::Specialize)
    .why("log(softmax(x + b)) is -inf where softmax rounds to 0; LogSoftmax is finite there")
    .hurts("the bias is added in a pass of its own")
    .turns("x: dmatrix; b: dvector; log(SoftmaxWithBias(x, b))", "LogSoftmax(x + b)")
    .nearMiss("x: dmatrix; b: dvector; log(x + b)")
    .tag("croton");

REWRITE(local_logsoftmax_grad, Phase::Stabilize)
    .why("the gradient of log(softmax) divides by the softmax, which may be 0; g - sum(g)·softmax does not")
    .improves("0 / 0 where the softmax rounds to 0")
    .example("x: dmatrix; g: dmatrix; s = Softmax(x); SoftmaxGrad(g / s, s)",
             "x: dmatrix; g: dmatrix; g - sum(g, axis=1, keepdims=True) * Softmax(x)")
    .nearMiss("x: dmatrix; g: dmatrix; s = Softmax(x); SoftmaxGrad(g * s, s)")
    .also({Phase::Specialize})
    .fastCompile()
    .match<SoftmaxGrad>([](const NodeHandle &node, Editor &edit) {
        const VarHandle softmax = node.input(1);
        if (!isSoftmax(softmax)) return declined("the second input is no softmax", ownerOf(softmax));
        CanonTerms terms = canonTerms(node.input(0), kProductFamily);
        const auto found = std::find(terms.below.begin(), terms.below.end(), softmax);
        if (found == terms.below.end()) return declined("the gradient is not divided by the softmax", ownerOf(node.input(0)));
        terms.below.erase(found);
        VarHandle g = buildTerms(edit, terms, kProductFamily, node.input(0));
        g = fillLike(edit, softmax, g);
        if (g.dtype() != node.output().dtype()) return declined("the dtype would change");
        const VarHandle all = elementwise(edit, ScalarCode::Mul, {rowSum(edit, g), softmax});
        return become(edit, node, elementwise(edit, ScalarCode::Sub, {g, all}));
    });

REWRITE(local_softmax_with_bias, Phase::Specialize)
    .why("adding the bias and the softmax over the sum are one pass")
    .hurts("x + b is no longer available")
    .example("x: dmatrix; b: dvector; Softmax(x + b)", "x: dmatrix; b: dvector; SoftmaxWithBias(x, b)")
    .nearMiss("x: dmatrix; y: dmatrix; Softmax(x + y)")
    .match<Softmax>([](const NodeHandle &node, Editor &edit) {
        const auto sum = madeBy(node.input(0), ScalarCode::Add);
        if (!sum) return declined("its input is no sum", ownerOf(node.input(0)));
        if (!node.input(0).hasOneClient()) return declined("the sum has other readers", sum->id());
        std::vector<VarHandle> rows, others;
        for (const VarHandle &term : sum->inputs()) {
            const auto shuffle = madeBy<DimShuffle>(term);
            const bool isRow = shuffle && shuffle->input(0).rank() == 1 && shuffle->opAs<DimShuffle>()->isLeftPad() &&
                               term.dtype() == node.output().dtype();
            (isRow ? rows : others).push_back(isRow ? shuffle->input(0) : term);
        }
        if (rows.empty()) return declined("no term is a vector added to each row", sum->id());
        if (others.empty()) return declined("all terms are rows", sum->id());
        const VarHandle x = total(edit, others, node.input(0));
        if (!(x.type() == node.input(0).type())) return declined("the bias decides the shape", sum->id());
        static const OpRef op = makeOp<SoftmaxWithBias>();
        return become(edit, node, edit.make(op, {x, total(edit, rows, rows[0])}));
    });

REWRITE(local_argmax_pushdown, Phase::Specialize)
    .why("the largest element stays where it is under a rising function: no need to compute the function")
    .hurts("ties that only rounding made are told apart")
    .improves("values that tied after rounding are told apart")
    .example("x: dmatrix; argmax(Softmax(x), axis=1)", "x: dmatrix; argmax(x, axis=1)")
    .example("x: dmatrix; argmax(tanh(x), axis=1)", "x: dmatrix; argmax(x, axis=1)")
    .nearMiss("x: dmatrix; argmax(sin(x), axis=1)")
    .match<Argmax>([](const NodeHandle &node, Editor &edit) {
        const VarHandle inside = node.input(0);
        if (const auto softmax = madeBy<Softmax>(inside); softmax && node.opAs<Argmax>()->axes() == std::vector<int>{1})
            return become(edit, node, edit.make(node.op(), {softmax->input(0)}));
        for (ScalarCode code : {ScalarCode::Exp, ScalarCode::Log, ScalarCode::Log1p, ScalarCode::Expm1, ScalarCode::Tanh,
                                ScalarCode::Sigmoid, ScalarCode::Softplus, ScalarCode::Sqrt}) {
            const auto rising = madeBy(inside, code);
            if (rising && isFloatType(rising->input(0))) return become(edit, node, edit.make(node.op(), {rising->input(0)}));
        }
        return declined("its input is no rising function", ownerOf(inside));
    });

REWRITE(local_max_and_argmax, Phase::Uncanonicalize)
    .why("who asks only for the maximum, or only for its place, gets only that")
    .example("x: dmatrix; MaxAndArgmax(x, axis=1)[0]", "x: dmatrix; max(x, axis=1)")
    .example("x: dmatrix; MaxAndArgmax(x, axis=1)[1]", "x: dmatrix; argmax(x, axis=1)")
    .nearMiss("x: dmatrix; MaxAndArgmax(x, axis=1)[0], MaxAndArgmax(x, axis=1)[1]")
    .match<MaxAndArgmax>([](const NodeHandle &node, Editor &edit) {
        const std::vector<int> &axes = node.opAs<MaxAndArgmax>()->axes();
        const VarHandle x = node.input(0);
        if (node.output(1).clients().empty()) {
            std::optional<std::vector<int>> named;
            if (static_cast<int>(axes.size()) != x.rank()) named = axes;
            return becomeOutput(edit, node, 0, edit.make(makeOp<CAReduce>(ReduceKind::Max, named), {x}));
        }
        if (node.output(0).clients().empty()) return becomeOutput(edit, node, 1, edit.make(makeOp<Argmax>(axes), {x}));
        return declined("both results are read");
    });

} // namespace
} // namespace engine
