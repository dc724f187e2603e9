// Likelihoods that sum what is chosen of a softmax, sum(chosen * softmax(x)), where all of that underflows.
#include "engine/ops/softmax.h"
#include "engine/rewrite/factors.h"
#include "engine/rewrite/logistic.h"
#include "engine/rewrite/softmax_pattern.h"

#include <algorithm>
#include <limits>

namespace engine {
namespace {

/// sum(weight · softmax(x), axis=1)
struct Chosen {
    VarHandle x;
    Factors weight;
    NodeHandle sum;
};

std::optional<Chosen> chosenOf(VarHandle v)
{
    const auto sum = madeByReduce(v, ReduceKind::Sum);
    if (!sum || !isFloatType(v) || sum->input(0).rank() != 2 || sum->opAs<CAReduce>()->axesFor(2) != std::vector{1}) return std::nullopt;
    const ScalarCode code = codeOf(sum->input(0));
    if (code != ScalarCode::Mul && code != ScalarCode::TrueDiv) return std::nullopt;
    Factors factors;
    factors.take(sum->input(0), false);
    const auto place =
        std::find_if(factors.above.begin(), factors.above.end(), [](const VarHandle &one) { return madeBy<Softmax>(one).has_value(); });
    if (place == factors.above.end()) return std::nullopt;
    const VarHandle x = madeBy<Softmax>(*place)->input(0);
    factors.above.erase(place);
    if (factors.above.empty()) return std::nullopt;
    return Chosen{x, std::move(factors), *sum};
}

VarHandle asColumn(Editor &edit, VarHandle v) { return dimshuffle(edit, v, {0, DimShuffle::kNewAxis}); }

/// The same over exp(largest): the largest logarithm of what is chosen, or 0 where nothing is.
struct Shifted {
    VarHandle largest, parts, sum;
};

Shifted shiftedOf(Editor &edit, const Chosen &chosen)
{
    constexpr double kNothing = -std::numeric_limits<double>::infinity();
    const VarHandle logs = edit.make(makeOp<LogSoftmax>(), {chosen.x});
    const VarHandle weight = quotientAs(edit, chosen.weight.above, chosen.weight.below, chosen.weight.negative, chosen.sum.input(0));
    const VarHandle isChosen = elementwise(edit, ScalarCode::Neq, {weight, constantLike(edit, weight, 0)});
    const VarHandle found = elementwise(edit, ScalarCode::Switch, {isChosen, logs, constantLike(edit, logs, kNothing)});
    const VarHandle most = edit.make(makeOp<CAReduce>(ReduceKind::Largest, std::vector{1}), {found});
    const VarHandle isNone = elementwise(edit, ScalarCode::Eq, {most, constantLike(edit, most, kNothing)});
    const VarHandle largest = elementwise(edit, ScalarCode::Switch, {isNone, constantLike(edit, most, 0), most});
    const VarHandle shifted = elementwise(edit, ScalarCode::Sub, {logs, asColumn(edit, largest)});
    const VarHandle parts = elementwise(edit, ScalarCode::Mul, {weight, elementwise(edit, ScalarCode::Exp, {shifted})});
    return {largest, parts, edit.make(chosen.sum.op(), {parts})};
}

REWRITE(croton_log_of_chosen_softmax, Phase::Stabilize)
    .why("the softmax of what is chosen underflows to 0 before the logarithm; its logarithm does not")
    .hurts("a row's largest chosen element is looked for")
    .improves("-inf where what is chosen underflows")
    .infinite("one makes its whole row nan")
    .example("x: dmatrix; y: dmatrix; log(sum(y * Softmax(x), axis=1))",
             "x: dmatrix; y: dmatrix; s = LogSoftmax(x); m = max(switch(neq(y, 0.0), s, -inf), axis=1); "
             "n = switch(eq(m, -inf), 0.0, m); log(sum(y * exp(s - dimshuffle(n, 0, 'x')), axis=1)) + n")
    .nearMiss("x: dmatrix; y: dmatrix; log(sum(y * Softmax(x), axis=0))")
    .nearMiss("x: dmatrix; y: dmatrix; log(sum(y * exp(x), axis=1))")
    .tag("croton")
    .match<ScalarCode::Log>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place");
        const auto chosen = chosenOf(node.input(0));
        if (!chosen) return declined("its input is no sum of a softmax with factors, row by row", ownerOf(node.input(0)));
        const Shifted shifted = shiftedOf(edit, *chosen);
        const VarHandle log = elementwise(edit, ScalarCode::Log, {shifted.sum});
        return become(edit, node, elementwise(edit, ScalarCode::Add, {log, shifted.largest}), "the largest that is chosen is taken out");
    });

/// Takes these factors away; false where one is missing.
bool takeAway(std::vector<VarHandle> &from, const std::vector<VarHandle> &factors)
{
    for (const VarHandle &factor : factors) {
        const auto place = std::find(from.begin(), from.end(), factor);
        if (place == from.end()) return false;
        from.erase(place);
    }
    return true;
}

REWRITE(croton_slope_over_chosen_softmax, Phase::Stabilize)
    .why("the gradient of a logarithm of what is chosen is 0 / 0 where all of that underflows; shares of what is chosen are not")
    .hurts("the softmax of what is chosen is computed for itself")
    .improves("nan where what is chosen underflows")
    .infinite("one makes its whole row nan")
    .example("x: dmatrix; y: dmatrix; g: dmatrix; p = Softmax(x); SoftmaxGrad(g * y / dimshuffle(sum(y * p, axis=1), 0, 'x'), p)",
             "x: dmatrix; y: dmatrix; g: dmatrix; p = Softmax(x); s = LogSoftmax(x); m = max(switch(neq(y, 0.0), s, -inf), axis=1); "
             "n = switch(eq(m, -inf), 0.0, m); w = y * exp(s - dimshuffle(n, 0, 'x')); "
             "t = g * (w / dimshuffle(sum(w, axis=1), 0, 'x')); t - p * dimshuffle(sum(t, axis=1), 0, 'x')")
    .nearMiss("x: dmatrix; y: dmatrix; g: dmatrix; p = Softmax(x); SoftmaxGrad(g / dimshuffle(sum(y * p, axis=1), 0, 'x'), p)")
    .tag("croton")
    .match<SoftmaxGrad>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        const auto rows = madeBy<Softmax>(node.input(1));
        if (!rows) return declined("its softmax is none");
        Factors arriving;
        arriving.take(node.input(0), false);
        for (std::size_t i = 0; i < arriving.below.size(); ++i) {
            const auto shuffle = madeBy<DimShuffle>(arriving.below[i]);
            if (!shuffle || shuffle->opAs<DimShuffle>()->order() != std::vector{0, DimShuffle::kNewAxis}) continue;
            const auto chosen = chosenOf(shuffle->input(0));
            if (!chosen || !(chosen->x == rows->input(0))) continue;
            Factors rest = arriving;
            rest.below.erase(rest.below.begin() + static_cast<std::ptrdiff_t>(i));
            if (!takeAway(rest.above, chosen->weight.above) || !takeAway(rest.below, chosen->weight.below)) continue;
            const Shifted shifted = shiftedOf(edit, *chosen);
            rest.above.push_back(elementwise(edit, ScalarCode::TrueDiv, {shifted.parts, asColumn(edit, shifted.sum)}));
            const VarHandle share = quotientAs(edit, rest.above, rest.below, rest.negative != chosen->weight.negative, out);
            const VarHandle all = edit.make(chosen->sum.op(), {share});
            const VarHandle back = elementwise(edit, ScalarCode::Mul, {node.input(1), asColumn(edit, all)});
            return become(edit, node, elementwise(edit, ScalarCode::Sub, {share, back}), "shares of what is chosen");
        }
        return declined("what arrives is not divided by a sum of this softmax");
    });

} // namespace
} // namespace engine
