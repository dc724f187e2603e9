// Likelihoods that sum what is chosen of a softmax or of exponentials, sum(chosen * softmax(x)), where all of that underflows.
#include "engine/ops/index/index.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/rewrite/algebra/factors.h"
#include "engine/rewrite/stabilize/logistic.h"
#include "engine/rewrite/stabilize/softmax_pattern.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace engine {
namespace {

/// A value and where its axes stand, seen through what only shuffles them.
struct Placed {
    VarHandle base;
    std::vector<int> order;
    bool operator==(const Placed &other) const { return base == other.base && order == other.order; }
};

std::vector<int> composed(const std::vector<int> &outer, const std::vector<int> &inner)
{
    std::vector<int> result = outer;
    for (int &axis : result)
        if (axis != DimShuffle::kNewAxis) axis = inner[static_cast<std::size_t>(axis)];
    return result;
}

Placed placed(VarHandle v)
{
    std::vector<int> order(static_cast<std::size_t>(v.rank()));
    std::iota(order.begin(), order.end(), 0);
    while (const auto shuffle = madeBy<DimShuffle>(v)) {
        order = composed(order, shuffle->opAs<DimShuffle>()->order());
        v = shuffle->input(0);
    }
    return {v, std::move(order)};
}

VarHandle shown(Editor &edit, const Placed &one) { return dimshuffle(edit, one.base, one.order); }

/// sum(weight · softmax(x), axes), or sum(weight · exp(x), axes)
struct Chosen {
    std::optional<VarHandle> rows; ///< what the op is taken of: rows of a matrix
    std::vector<int> order;        ///< how its result stands in the product
    std::optional<VarHandle> part; ///< or a part of a softmax, of which rows may be cut
    std::optional<VarHandle> d;    ///< or the argument of the exponential
    bool isSoftmax = true;         ///< which sum(exp(d)) divides
    std::vector<VarHandle> others; ///< further exponentials among the factors
    std::vector<int> axes;
    Factors weight;
    NodeHandle sum;
};

/// Is the largest taken out already, as shiftedOf() does?
bool isShifted(VarHandle d)
{
    const auto least = madeBy(d, ScalarCode::Minimum);
    return constantValue(d) || (least && isConstantOf(least->input(1), 0));
}

/// x if `one` is exp(x), the largest not taken out yet.
std::optional<VarHandle> powerOf(VarHandle one)
{
    const auto power = madeBy(one, ScalarCode::Exp);
    return power && power->input(0).dtype() == one.dtype() && !isShifted(power->input(0)) ? std::optional(power->input(0)) : std::nullopt;
}

bool findSoftmax(Chosen &chosen)
{
    std::vector<VarHandle> &above = chosen.weight.above;
    for (std::size_t i = 0; i < above.size(); ++i) {
        const Placed one = placed(above[i]);
        const auto softmax = madeBy<Softmax>(one.base);
        // Along the summed axis, and no other, go the rows.
        if (!softmax || chosen.axes.size() != 1 || one.order[static_cast<std::size_t>(chosen.axes[0])] != 1) continue;
        chosen.rows = softmax->input(0);
        chosen.order = one.order;
        above.erase(above.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
    }
    return false;
}

bool findPart(Chosen &chosen)
{
    std::vector<VarHandle> &above = chosen.weight.above;
    const auto place = std::find_if(above.begin(), above.end(), [](const VarHandle &one) {
        const auto part = madeBy<Subtensor>(placed(one).base);
        return part && madeBy<Softmax>(placed(part->input(0)).base);
    });
    if (place == above.end()) return false;
    chosen.part = *place;
    above.erase(place);
    return true;
}

bool findPower(Chosen &chosen)
{
    std::vector<VarHandle> &above = chosen.weight.above, &below = chosen.weight.below;
    for (std::size_t i = 0; i < above.size(); ++i) {
        const auto d = powerOf(above[i]);
        if (!d) continue;
        const auto whole = std::find_if(below.begin(), below.end(), [&](const VarHandle &one) {
            const auto sum = spreadExpSum(one);
            return sum && sum->x == *d && sum->axes == chosen.axes;
        });
        chosen.d = d;
        chosen.isSoftmax = whole != below.end();
        if (chosen.isSoftmax) below.erase(whole);
        above.erase(above.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
    }
    return false;
}

std::optional<Chosen> chosenOf(VarHandle v)
{
    const auto sum = madeByReduce(v, ReduceKind::Sum);
    if (!sum || !isFloatType(v)) return std::nullopt;
    const VarHandle product = sum->input(0);
    const ScalarCode code = codeOf(product);
    if (code != ScalarCode::Mul && code != ScalarCode::TrueDiv) return std::nullopt;
    const std::vector<int> axes = sum->opAs<CAReduce>()->axesFor(product.rank());
    Chosen chosen{{}, {}, {}, {}, true, {}, axes, {}, *sum};
    chosen.weight.take(product, false);
    if (!findSoftmax(chosen) && !findPart(chosen) && !findPower(chosen)) return std::nullopt;
    std::erase_if(chosen.weight.above, [&](const VarHandle &one) {
        if (!powerOf(one)) return false;
        chosen.others.push_back(one);
        return true;
    });
    if (chosen.weight.above.empty() && chosen.others.empty()) return std::nullopt;
    return chosen;
}

VarHandle spread(Editor &edit, VarHandle sum, const Chosen &chosen)
{
    return dimshuffle(edit, sum, spreadOrder(chosen.sum.input(0).rank(), chosen.axes));
}

/// As reductions name them: none where they are all.
std::optional<std::vector<int>> namedAxes(VarHandle v, const std::vector<int> &axes)
{
    return static_cast<int>(axes.size()) == v.rank() ? std::nullopt : std::optional(axes);
}

VarHandle sumAlong(Editor &edit, VarHandle v, const std::vector<int> &axes)
{
    const DType acc = v.dtype() == DType::Float32 ? DType::Float64 : v.dtype();
    return edit.make(makeOp<CAReduce>(ReduceKind::Sum, namedAxes(v, axes), v.dtype(), acc), {v});
}

VarHandle logsOfFirst(Editor &edit, const Chosen &chosen)
{
    if (chosen.rows) return dimshuffle(edit, edit.make(makeOp<LogSoftmax>(), {*chosen.rows}), chosen.order);
    if (chosen.part) return elementwise(edit, ScalarCode::Log, {*chosen.part});
    if (!chosen.isSoftmax) return *chosen.d;
    const VarHandle all = sumAlong(edit, elementwise(edit, ScalarCode::Exp, {*chosen.d}), chosen.axes);
    return elementwise(edit, ScalarCode::Sub, {*chosen.d, spread(edit, elementwise(edit, ScalarCode::Log, {all}), chosen)});
}

VarHandle logsOf(Editor &edit, const Chosen &chosen)
{
    VarHandle logs = logsOfFirst(edit, chosen);
    for (const VarHandle &power : chosen.others) logs = elementwise(edit, ScalarCode::Add, {logs, *powerOf(power)});
    return logs;
}

/// Below all logarithms: a number that is finite, so that nothing infinite is computed where all is well.
double lowest(DType dtype)
{
    if (dtype == DType::Float64) return std::numeric_limits<double>::lowest();
    return dtype == DType::Float32 ? static_cast<double>(std::numeric_limits<float>::lowest()) : -65504;
}

/// The same over exp(largest): the largest logarithm of what is chosen, or 0 where nothing is.
struct Shifted {
    VarHandle largest, parts, sum;
};

Shifted shiftedOf(Editor &edit, const Chosen &chosen)
{
    const VarHandle logs = logsOf(edit, chosen);
    const double nothing = lowest(logs.dtype());
    const Factors &factors = chosen.weight;
    std::optional<VarHandle> weight;
    VarHandle found = logs;
    if (!factors.above.empty() || !factors.below.empty() || factors.negative) {
        weight = quotientAs(edit, factors.above, factors.below, factors.negative, chosen.sum.input(0));
        const VarHandle isChosen = elementwise(edit, ScalarCode::Neq, {*weight, constantLike(edit, *weight, 0)});
        found = elementwise(edit, ScalarCode::Switch, {isChosen, logs, constantLike(edit, logs, nothing)});
    }
    const VarHandle most = edit.make(makeOp<CAReduce>(ReduceKind::Largest, namedAxes(found, chosen.axes)), {found});
    const VarHandle isNone = elementwise(edit, ScalarCode::Eq, {most, constantLike(edit, most, nothing)});
    const VarHandle largest = elementwise(edit, ScalarCode::Switch, {isNone, constantLike(edit, most, 0), most});
    // What is not chosen may be larger by far: 0 times its exponential has to stay 0.
    const VarHandle shifted =
        elementwise(edit, ScalarCode::Minimum,
                    {elementwise(edit, ScalarCode::Sub, {logs, spread(edit, largest, chosen)}), constantLike(edit, logs, 0)});
    const VarHandle power = elementwise(edit, ScalarCode::Exp, {shifted});
    const VarHandle parts = weight ? elementwise(edit, ScalarCode::Mul, {*weight, power}) : power;
    return {largest, parts, edit.make(chosen.sum.op(), {parts})};
}

REWRITE(croton_log_of_chosen_softmax, Phase::Stabilize)
    .why("the softmax, or the exponential, of what is chosen underflows to 0 before the logarithm; its logarithm does not")
    .hurts("a row's largest chosen element is looked for")
    .improves("-inf where what is chosen underflows, inf where an exponential overflows")
    .infinite("one makes its whole row nan")
    .example(
        "x: dvector; y: dvector; log(sum(y * exp(x)))",
        "x: dvector; y: dvector; m = max(switch(neq(y, 0.0), x, -1.7976931348623157e308)); n = switch(eq(m, -1.7976931348623157e308), 0.0, m); "
        "log(sum(y * exp(minimum(x - n, 0.0)))) + n")
    .example("x: dmatrix; y: dmatrix; log(sum(y * Softmax(x), axis=1))",
             "x: dmatrix; y: dmatrix; s = LogSoftmax(x); m = max(switch(neq(y, 0.0), s, -1.7976931348623157e308), axis=1); "
             "n = switch(eq(m, -1.7976931348623157e308), 0.0, m); log(sum(y * exp(minimum(s - dimshuffle(n, 0, 'x'), 0.0)), axis=1)) + n")
    .example(
        "x: dmatrix; y: dmatrix; z: dvector; log(sum(y * exp(x), axis=1) / z)",
        "x: dmatrix; y: dmatrix; z: dvector; m = max(switch(neq(y, 0.0), x, -1.7976931348623157e308), axis=1); n = switch(eq(m, -1.7976931348623157e308), 0.0, m); "
        "log(sum(y * exp(minimum(x - dimshuffle(n, 0, 'x'), 0.0)), axis=1) / z) + n")
    .example("x: dmatrix; y: dmatrix; log(sum(Softmax(x) * exp(y), axis=1))",
             "x: dmatrix; y: dmatrix; s = LogSoftmax(x) + y; m = max(s, axis=1); "
             "n = switch(eq(m, -1.7976931348623157e308), 0.0, m); log(sum(exp(minimum(s - dimshuffle(n, 0, 'x'), 0.0)), axis=1)) + n")
    .example("x: dmatrix; y: dvector; log(sum(Softmax(x)[0] * exp(y)))",
             "x: dmatrix; y: dvector; s = log(Softmax(x)[0]) + y; m = max(s); "
             "n = switch(eq(m, -1.7976931348623157e308), 0.0, m); log(sum(exp(minimum(s - n, 0.0)))) + n")
    .nearMiss("x: dmatrix; y: dmatrix; log(sum(y * Softmax(x), axis=0))")
    .nearMiss("x: dmatrix; y: dmatrix; log(sum(y * cosh(x), axis=1))")
    .tag("croton")
    .match<ScalarCode::Log>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place");
        // Factors that are the same for the whole row stand outside of its sum.
        const auto quotient = madeBy(node.input(0), ScalarCode::TrueDiv);
        const auto chosen = chosenOf(quotient ? quotient->input(0) : node.input(0));
        if (!chosen) return declined("its input is no sum of a softmax or an exponential with factors", ownerOf(node.input(0)));
        const Shifted shifted = shiftedOf(edit, *chosen);
        const VarHandle sum = quotient ? elementwise(edit, ScalarCode::TrueDiv, {shifted.sum, quotient->input(1)}) : shifted.sum;
        const VarHandle log = elementwise(edit, ScalarCode::Log, {sum});
        return become(edit, node, elementwise(edit, ScalarCode::Add, {log, shifted.largest}), "the largest that is chosen is taken out");
    });

/// Takes factors away from those of a product. Its numbers may have become one: `scale` is what it has to be multiplied by instead.
struct Remains {
    std::vector<Placed> above, below;
    double scale = 1;

    /// False where one is missing.
    bool take(const Factors &factors, const std::vector<int> &move)
    {
        for (const bool isBelow : {false, true})
            for (const VarHandle &factor : isBelow ? factors.below : factors.above) {
                if (const auto number = constantValue(factor)) {
                    scale = isBelow ? scale * *number : scale / *number;
                    if (scale == 0 || !holdsDigits(factor.dtype(), scale)) return false;
                    continue;
                }
                Placed wanted = placed(factor);
                wanted.order = composed(move, wanted.order);
                std::vector<Placed> &from = isBelow ? below : above;
                const auto place = std::find(from.begin(), from.end(), wanted);
                if (place == from.end()) return false;
                from.erase(place);
            }
        return true;
    }
    /// What is left, times `share`.
    VarHandle times(Editor &edit, VarHandle share, bool isNegative, VarHandle like) const
    {
        std::vector<VarHandle> factors, divisors;
        if (scale != 1) factors.push_back(constantLike(edit, like, scale));
        for (const Placed &one : above) factors.push_back(shown(edit, one));
        for (const Placed &one : below) divisors.push_back(shown(edit, one));
        factors.push_back(share);
        return quotientAs(edit, factors, divisors, isNegative, like);
    }
};

std::vector<Placed> allPlaced(const std::vector<VarHandle> &factors, const std::vector<int> &move)
{
    std::vector<Placed> result;
    for (const VarHandle &factor : factors) {
        result.push_back(placed(factor));
        result.back().order = composed(move, result.back().order);
    }
    return result;
}

/// How the rows of the op are made of the layout of the product.
std::vector<int> orderOfRows(const Chosen &chosen)
{
    std::vector<int> order(2, DimShuffle::kNewAxis);
    for (std::size_t axis = 0; axis < chosen.order.size(); ++axis)
        if (chosen.order[axis] != DimShuffle::kNewAxis) order[static_cast<std::size_t>(chosen.order[axis])] = static_cast<int>(axis);
    return order;
}

REWRITE(croton_slope_over_chosen_softmax, Phase::Stabilize)
    .why("the gradient of a logarithm of what is chosen is 0 / 0 where all of that underflows; shares of what is chosen are not")
    .hurts("the softmax of what is chosen is computed for itself")
    .improves("nan where what is chosen underflows")
    .infinite("one makes its whole row nan")
    .example(
        "x: dmatrix; y: dmatrix; g: dmatrix; p = Softmax(x); SoftmaxGrad(g * y / dimshuffle(sum(y * p, axis=1), 0, 'x'), p)",
        "x: dmatrix; y: dmatrix; g: dmatrix; p = Softmax(x); s = LogSoftmax(x); m = max(switch(neq(y, 0.0), s, -1.7976931348623157e308), axis=1); "
        "n = switch(eq(m, -1.7976931348623157e308), 0.0, m); w = y * exp(minimum(s - dimshuffle(n, 0, 'x'), 0.0)); "
        "t = g * (w / dimshuffle(sum(w, axis=1), 0, 'x')); t - p * dimshuffle(sum(t, axis=1), 0, 'x')")
    .nearMiss("x: dmatrix; y: dmatrix; g: dmatrix; p = Softmax(x); SoftmaxGrad(g / dimshuffle(sum(y * p, axis=1), 0, 'x'), p)")
    .tag("croton")
    .match<SoftmaxGrad>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        const auto rows = madeBy<Softmax>(node.input(1));
        if (!rows) return declined("its softmax is none");
        // The product may stand as it does where it is written, the rows shuffled out of it.
        VarHandle product = node.input(0);
        std::vector<int> layout{0, 1};
        if (const auto shuffled = madeBy<DimShuffle>(product)) {
            layout = shuffled->opAs<DimShuffle>()->order();
            product = shuffled->input(0);
        }
        // Labels that are integers make it wider than the softmax.
        if (const auto cast = madeBy(product, ScalarCode::Cast); cast && isFloatType(cast->input(0))) product = cast->input(0);
        Factors arriving;
        arriving.take(product, false);
        const std::vector<Placed> above = allPlaced(arriving.above, layout), below = allPlaced(arriving.below, layout);
        for (std::size_t i = 0; i < below.size(); ++i) {
            const auto chosen = chosenOf(below[i].base);
            if (!chosen || !chosen->rows || !(*chosen->rows == rows->input(0))) continue;
            const std::vector<int> toRows = orderOfRows(*chosen);
            if (below[i].order != composed(toRows, spreadOrder(chosen->sum.input(0).rank(), chosen->axes))) continue;
            Remains rest{above, below};
            rest.below.erase(rest.below.begin() + static_cast<std::ptrdiff_t>(i));
            Factors gone = chosen->weight;
            gone.above.insert(gone.above.end(), chosen->others.begin(), chosen->others.end());
            if (!rest.take(gone, toRows)) continue;
            const Shifted shifted = shiftedOf(edit, *chosen);
            const VarHandle part =
                dimshuffle(edit, elementwise(edit, ScalarCode::TrueDiv, {shifted.parts, spread(edit, shifted.sum, *chosen)}), toRows);
            const VarHandle share = castTo(edit, rest.times(edit, part, arriving.negative != gone.negative, out), out.dtype());
            const VarHandle all = dimshuffle(edit, sumAlong(edit, share, {1}), {0, DimShuffle::kNewAxis});
            const VarHandle back = elementwise(edit, ScalarCode::Mul, {node.input(1), all});
            return become(edit, node, elementwise(edit, ScalarCode::Sub, {share, back}), "shares of what is chosen");
        }
        return declined("what arrives is not divided by a sum of this softmax");
    });

REWRITE(croton_share_of_chosen_softmax, Phase::Stabilize)
    .why(
        "the share that one has of what is chosen of a softmax, or of exponentials, is 0 / 0 where all of that underflows; taken of the largest it is not")
    .hurts("what is chosen is computed once more, for itself")
    .improves("nan where what is chosen underflows")
    .infinite("one makes its whole row nan")
    .example("x: dtensor3; y: dtensor3; e = exp(x - max(x, axis=2, keepdims=True)); p = e / sum(e, axis=2, keepdims=True); "
             "y * p / sum(y * p, axis=2, keepdims=True)",
             "x: dtensor3; y: dtensor3; d = x - max(x, axis=2, keepdims=True); s = d - dimshuffle(log(sum(exp(d), axis=2)), 0, 1, 'x'); "
             "m = max(switch(neq(y, 0.0), s, -1.7976931348623157e308), axis=2); n = switch(eq(m, -1.7976931348623157e308), 0.0, m); "
             "w = y * exp(minimum(s - dimshuffle(n, 0, 1, 'x'), 0.0)); w / sum(w, axis=2, keepdims=True)")
    .example(
        "x: dvector; y: dvector; y * exp(x) / sum(y * exp(x))",
        "x: dvector; y: dvector; m = max(switch(neq(y, 0.0), x, -1.7976931348623157e308)); n = switch(eq(m, -1.7976931348623157e308), 0.0, m); "
        "w = y * exp(minimum(x - n, 0.0)); w / sum(w)")
    .nearMiss(
        "x: dtensor3; y: dtensor3; z: dtensor3; e = exp(x); p = e / sum(e, axis=2, keepdims=True); z * p / sum(y * p, axis=2, keepdims=True)")
    .also({Phase::Specialize})
    .tag("croton")
    .match<ScalarCode::Mul, ScalarCode::TrueDiv>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out) || out.rank() == 0) return declined("no product of floats");
        Factors product;
        product.take(out, false);
        for (std::size_t i = 0; i < product.below.size(); ++i) {
            const Placed divisor = placed(product.below[i]);
            const auto chosen = chosenOf(divisor.base);
            if (!chosen || (!chosen->d && chosen->others.empty()) ||
                divisor.order != spreadOrder(chosen->sum.input(0).rank(), chosen->axes))
                continue;
            Factors all;
            all.take(chosen->sum.input(0), false);
            const std::vector<int> asItIs = spreadOrder(out.rank(), {});
            Remains rest{allPlaced(product.above, asItIs), allPlaced(product.below, asItIs)};
            rest.below.erase(rest.below.begin() + static_cast<std::ptrdiff_t>(i));
            if (!rest.take(all, asItIs)) continue;
            const Shifted shifted = shiftedOf(edit, *chosen);
            const VarHandle share = elementwise(edit, ScalarCode::TrueDiv, {shifted.parts, spread(edit, shifted.sum, *chosen)});
            return become(edit, node, rest.times(edit, share, product.negative != all.negative, out), "shares of what is chosen");
        }
        return declined("it is not divided by a sum of what is among its factors");
    });

} // namespace
} // namespace engine
