// The gradient of exp(x) / sum(exp(x)) written out, found before anything moves its factors apart.
#include "engine/ops/reductions/softmax.h"
#include "engine/rewrite/algebra/factors.h"
#include "engine/rewrite/stabilize/softmax_pattern.h"

#include <algorithm>

namespace engine {
namespace {

/// What is only repeated and reshuffled to the shape of an array.
VarHandle withoutSpread(VarHandle v)
{
    for (int depth = 0; depth < 8; ++depth) {
        if (const auto shuffle = madeBy<DimShuffle>(v)) v = shuffle->input(0);
        else if (const auto filled = madeBy(v, ScalarCode::Second)) v = filled->input(1);
        else break;
    }
    return v;
}

/// g if `direct` + `throughSum`, times e = exp(x), is the gradient g of e / sum(e) with regard to x.
struct Found {
    VarHandle g;
    ExpSum sum;
};
std::optional<Found> gradientOfQuotient(VarHandle direct, VarHandle throughSum, VarHandle e)
{
    const auto quotient = madeBy(direct, ScalarCode::TrueDiv);
    if (!quotient) return std::nullopt;
    const auto sum = spreadExpSum(quotient->input(1));
    const VarHandle x = e.owner()->input(0), g = quotient->input(0);
    if (!sum || !(sum->x == x) || !fitsSoftmaxOp(x, sum->axes) || !(g.type() == x.type()) || !(e.type() == x.type())) return std::nullopt;
    const auto inner = madeByReduce(withoutSpread(throughSum), ReduceKind::Sum);
    if (!inner || inner->opAs<CAReduce>()->axesFor(inner->input(0).rank()) != sum->axes || inner->input(0).rank() != x.rank())
        return std::nullopt;
    // -g·e / s² over g / s is -e / s.
    Factors ratio;
    ratio.take(inner->input(0), false);
    ratio.take(direct, true);
    if (!ratio.negative) return std::nullopt;
    const bool asQuotient = ratio.above == std::vector{e} && ratio.below == std::vector{quotient->input(1)};
    const bool asSoftmax = ratio.above.size() == 1 && ratio.below.empty() && [&] {
        const auto rows = madeBy<Softmax>(withoutSpread(ratio.above[0]));
        return rows && (withoutSpread(rows->input(0)) == x || withoutSpread(rows->input(0)) == withoutShift(x, sum->axes));
    }();
    if (!asQuotient && !asSoftmax) return std::nullopt;
    return Found{g, *sum};
}

REWRITE(croton_softmax_grad_from_exp, Phase::Useless)
    .why("the gradient of exp(x) / sum(exp(x)) as people derive it has inf / inf² in it; SoftmaxGrad has the softmax only")
    .improves("inf / inf above 709")
    .infinite("one makes its whole row nan")
    .example("x: dmatrix; g: dmatrix; e = exp(x); s = sum(e, axis=1, keepdims=True); "
             "e * (g / s + fill(e, sum(-(g * e) / (s * s), axis=1, keepdims=True)))",
             "x: dmatrix; g: dmatrix; SoftmaxGrad(g, Softmax(x))")
    .nearMiss("x: dmatrix; g: dmatrix; e = exp(x); s = sum(x, axis=1, keepdims=True); "
              "e * (g / s + fill(e, sum(-(g * e) / (s * s), axis=1, keepdims=True)))")
    .also({Phase::Canonicalize})
    .at(-2)
    .tag("croton")
    .match<ScalarCode::Mul, ScalarCode::Add>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out) || out.rank() > 2) return declined("no matrix or vector of floats");
        ShortList<VarHandle, 16> factors; // of one exponential each
        std::vector<VarHandle> rest;      // what else is added
        std::optional<VarHandle> e;
        const auto isPower = [](VarHandle v) { return madeBy(v, ScalarCode::Exp).has_value(); };
        if (elemwiseOf(node)->is(ScalarCode::Mul)) {
            if (node.inputCount() != 2) return declined("no product of two");
            for (std::size_t i = 0; i < 2 && !e; ++i)
                if (isPower(node.input(i)) && madeBy(node.input(1 - i), ScalarCode::Add)) {
                    e = node.input(i);
                    factors = addendsOf(node.input(1 - i));
                }
            if (!e) return declined("no product of a sum and an exponential");
        } else {
            const ShortList<VarHandle, 16> addends = addendsOf(out);
            // Most sums have no exponential at all: nothing is collected for them.
            const auto isPowerTimes = [&](VarHandle v) {
                const auto product = madeBy(v, ScalarCode::Mul);
                return product && product->inputCount() == 2 && (isPower(product->input(0)) || isPower(product->input(1)));
            };
            if (std::count_if(addends.begin(), addends.end(), isPowerTimes) < 2)
                return declined("fewer than two terms with one exponential");
            for (const VarHandle &addend : addends) {
                const auto product = madeBy(addend, ScalarCode::Mul);
                std::optional<std::size_t> power;
                for (std::size_t i = 0; product && product->inputCount() == 2 && i < 2; ++i)
                    if (isPower(product->input(i)) && (!e || product->input(i) == *e)) power = i;
                if (!power) {
                    rest.push_back(addend);
                    continue;
                }
                e = product->input(*power);
                factors.push_back(product->input(1 - *power));
            }
            if (factors.size() < 2) return declined("fewer than two terms with one exponential");
        }
        for (std::size_t i = 0; i < factors.size(); ++i)
            for (std::size_t k = 0; k < factors.size(); ++k) {
                const auto found = i == k ? std::nullopt : gradientOfQuotient(factors[i], factors[k], *e);
                if (!found) continue;
                const VarHandle x = found->sum.x;
                const std::vector<int> &axes = found->sum.axes;
                const VarHandle softmax = edit.make(makeOp<Softmax>(), {toSoftmaxRows(edit, withoutShift(x, axes), axes)});
                const VarHandle rows = edit.make(makeOp<SoftmaxGrad>(), {toSoftmaxRows(edit, found->g, axes), softmax});
                rest.push_back(fromSoftmaxRows(edit, rows, x, axes));
                for (std::size_t other = 0; other < factors.size(); ++other)
                    if (other != i && other != k) rest.push_back(elementwise(edit, ScalarCode::Mul, {factors[other], *e}));
                return become(edit, node, rest.size() == 1 ? rest[0] : elementwise(edit, scalarOp(ScalarCode::Add), rest),
                              "the gradient of exp(x) / sum(exp(x))");
            }
        return declined("no two terms are the gradient of exp(x) / sum(exp(x))");
    });

} // namespace
} // namespace engine
