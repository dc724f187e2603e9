// tanh as it is written with exponentials, and what cancels beside it.
#include "engine/rewrite/algebra/factors.h"
#include "engine/rewrite/stabilize/logistic.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace engine {
namespace {

/// Is v a negation of exp(x)? x then.
std::optional<VarHandle> negatedExponent(VarHandle v)
{
    const auto inner = negationOf(v);
    return inner ? exponentOf(*inner) : std::nullopt;
}

/// a and b of exp(a) - exp(b), a nothing for 1 - exp(b), b nothing for exp(a) - 1.
struct PowerDifference {
    std::optional<VarHandle> a, b;
};
std::optional<PowerDifference> powerDifference(VarHandle v)
{
    if (const auto minusOne = madeBy(v, ScalarCode::Expm1)) return PowerDifference{minusOne->input(0), std::nullopt};
    const ScalarCode code = codeOf(v.graph(), v.id());
    if (code != ScalarCode::Sub && code != ScalarCode::Add) return std::nullopt;
    const NodeHandle node = *v.owner();
    if (node.inputCount() != 2) return std::nullopt;
    for (std::size_t k = 0; k < (code == ScalarCode::Add ? 2 : 1); ++k) {
        const VarHandle plus = node.input(k), minus = node.input(1 - k);
        const auto a = exponentOf(plus), b = code == ScalarCode::Sub ? exponentOf(minus) : negatedExponent(minus);
        const bool lessOne = isConstantOf(minus, code == ScalarCode::Sub ? 1 : -1);
        if (a && b) return PowerDifference{a, b};
        if (a && lessOne) return PowerDifference{a, std::nullopt};
        if (b && isConstantOf(plus, 1)) return PowerDifference{std::nullopt, b};
    }
    return std::nullopt;
}

/// tanh that a difference above and a sum below the line (or the logistic function of one) are.
std::optional<VarHandle> tanhOf(Editor &edit, const PowerDifference &difference, VarHandle other, bool isBelow)
{
    const auto half = [&](VarHandle x, double sign = 1) { return elementwise(edit, ScalarCode::Tanh, {scaledBy(edit, x, 0.5 * sign)}); };
    const auto same = [](const VarHandle &x, const VarHandle &y) { return x == y; };
    if (difference.a && difference.b) {
        const auto sum = isBelow ? madeBy(other, ScalarCode::Add) : std::nullopt;
        if (!sum || sum->inputCount() != 2) return std::nullopt;
        const auto x = exponentOf(sum->input(0)), y = exponentOf(sum->input(1));
        if (!x || !y || !((same(*x, *difference.a) && same(*y, *difference.b)) || (same(*y, *difference.a) && same(*x, *difference.b))))
            return std::nullopt;
        return half(differenceOf(edit, *difference.a, *difference.b));
    }
    const VarHandle u = difference.a ? *difference.a : *difference.b;
    const auto sum = isBelow ? onePlusExp(other) : sigmoidOf(other);
    if (!sum || !(sum->type() == u.type())) return std::nullopt;
    const Line mine = lineOf(u), its = lineOf(*sum);
    const bool isSame = (mine.scale < 0) == (its.scale < 0);
    if (!mine.isParallel(its) || isSame != isBelow) return std::nullopt;
    return half(u, difference.a ? 1 : -1);
}

REWRITE(croton_tanh_from_exp, Phase::Useless)
    .why("(exp(x) - exp(-x)) / (exp(x) + exp(-x)) is inf / inf for large x; tanh is 1 there")
    .improves("inf / inf above 709")
    .example("(exp(x) - exp(-x)) / (exp(x) + exp(-x))", "tanh(x)")
    .example("(exp(2 * x) - 1) / (exp(2 * x) + 1)", "tanh(x)")
    .example("y * (1 - exp(-x)) * sigmoid(x)", "y * tanh(0.5 * x)")
    .example("sinh(x) / cosh(x)", "tanh(x)")
    .nearMiss("(exp(x) - exp(y)) / (exp(x) + exp(z))")
    .nearMiss("(exp(x) - 1) * sigmoid(x)")
    .nearMiss("sinh(x) / cosh(y)")
    .also({Phase::Stabilize})
    .at(-3.2) // while exp(x) + 1 is there
    .tag("croton")
    .match<ScalarCode::TrueDiv, ScalarCode::Mul>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        Factors factors;
        if (const char *reason = factors.takeExponential(node)) return declined(reason);
        bool changed = false;
        const auto remove = [](std::vector<VarHandle> &list, std::size_t i) { list.erase(list.begin() + static_cast<std::ptrdiff_t>(i)); };
        for (std::size_t i = 0; i < factors.above.size(); ++i) {
            if (const auto sinh = madeBy(factors.above[i], ScalarCode::Sinh)) {
                const auto isIts = [&](VarHandle v) {
                    const auto cosh = madeBy(v, ScalarCode::Cosh);
                    return cosh && cosh->input(0) == sinh->input(0);
                };
                const auto cosh = std::find_if(factors.below.begin(), factors.below.end(), isIts);
                if (cosh == factors.below.end()) continue;
                factors.above[i] = elementwise(edit, ScalarCode::Tanh, {sinh->input(0)});
                factors.below.erase(cosh);
                changed = true;
                continue;
            }
            const auto difference = powerDifference(factors.above[i]);
            if (!difference) continue;
            std::optional<VarHandle> tanh;
            for (std::size_t k = 0; k < factors.below.size() && !tanh; ++k)
                if ((tanh = tanhOf(edit, *difference, factors.below[k], true))) remove(factors.below, k);
            if (tanh) factors.above[i] = *tanh;
            for (std::size_t k = 0; k < factors.above.size() && !tanh; ++k)
                if (k != i && (tanh = tanhOf(edit, *difference, factors.above[k], false))) {
                    factors.above[i] = *tanh;
                    remove(factors.above, k);
                    i -= k < i;
                }
            changed |= tanh.has_value();
        }
        if (!changed) return declined("no difference of two exp over their sum");
        return become(edit, node, quotientAs(edit, factors.above, factors.below, factors.negative, out),
                      "a quotient of exponentials = tanh(x)");
    });

/// A sum of the constant c and ±c·tanh(x), as 2c·sigmoid(±2x).
struct HalfTanh {
    VarHandle x;
    double c;
    bool negative;
};
std::optional<HalfTanh> halfTanh(const NodeHandle &node)
{
    const auto mayHold = [&](std::size_t k) {
        const ScalarCode code = codeOf(node.graph(), node.input(k).id());
        return code == ScalarCode::Tanh || code == ScalarCode::Mul || code == ScalarCode::TrueDiv || code == ScalarCode::Neg;
    };
    if (node.inputCount() != 2 || mayHold(0) == mayHold(1)) return std::nullopt;
    const bool isSub = elemwiseOf(node)->is(ScalarCode::Sub);
    for (std::size_t k = 0; k < 2; ++k) {
        const auto constant = constantValue(node.input(k));
        if (!constant || *constant == 0) continue;
        const Line line = lineOf(node.input(1 - k));
        const auto tanh = line.less ? std::nullopt : madeBy(line.base, ScalarCode::Tanh);
        if (!tanh || !(tanh->input(0).type() == node.output().type())) continue;
        const double c = isSub && k == 1 ? -*constant : *constant, factor = isSub && k == 0 ? -line.scale : line.scale;
        if (std::fabs(factor) == std::fabs(c)) return HalfTanh{tanh->input(0), c, (factor < 0) != (c < 0)};
    }
    return std::nullopt;
}

REWRITE(croton_sigmoid_from_tanh, Phase::Useless)
    .why("1 + tanh(x) cancels to 0 for x below -19; it is 2 * sigmoid(2 * x), which keeps its digits and has a logarithm")
    .hurts("sigmoid(2 * x) is computed beside tanh(x) where that is read, too")
    .example("1 + tanh(x / 2)", "2 * sigmoid(x)")
    .example("0.5 - 0.5 * tanh(x)", "sigmoid(-2 * x)")
    .nearMiss("2 + tanh(x)")
    .nearMiss("1 + 0.5 * tanh(x)")
    .also({Phase::Stabilize})
    .at(-3)
    .tag("croton")
    .match<ScalarCode::Add, ScalarCode::Sub>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a sum of floats");
        const auto found = halfTanh(node);
        if (!found) return declined("it is no constant and as much tanh(x)");
        const VarHandle s = sigmoid(edit, scaledBy(edit, found->x, found->negative ? -2 : 2));
        return become(edit, node, 2 * found->c == 1 ? s : elementwise(edit, ScalarCode::Mul, {constantLike(edit, out, 2 * found->c), s}),
                      "1 + tanh(x) = 2 * sigmoid(2 * x)");
    });

/// Is sigmoid(2x) or sigmoid(-2x) read by anybody? Looks at the readers of the values it may be made of.
bool hasSigmoidOfTwice(VarHandle x)
{
    Line wanted = lineOf(x);
    wanted.scale *= 2;
    int looked = 0;
    const auto isFound = [&](VarHandle v, auto &&self, int depth) -> bool {
        for (const Client &client : v.clients()) {
            if (client.isGraphOutput() || ++looked > 48) continue;
            const NodeHandle reader(v.graph(), client.apply);
            const Elemwise *op = elemwiseOf(reader);
            if (!op) continue;
            if (op->is(ScalarCode::Sigmoid) && lineOf(v).isParallel(wanted)) return true;
            if (depth > 0 && (op->is(ScalarCode::Neg) || op->is(ScalarCode::Mul)) && self(reader.output(), self, depth - 1)) return true;
        }
        return false;
    };
    return isFound(wanted.less ? x : wanted.base, isFound, 2);
}

REWRITE(croton_squared_tanh_beside_sigmoid, Phase::Stabilize)
    .why(
        "1 - sqr(tanh(x)) cancels to 0 for x beyond 19; where sigmoid(2 * x) is there already, 4 * sigmoid(2 * x) * sigmoid(-2 * x) keeps its digits")
    .hurts("sigmoid(-2 * x) is one function more")
    .example("sigmoid(2 * x), 1 - sqr(tanh(x))", "s = sigmoid(2 * x); s, mul(4.0, s, sigmoid(-2 * x))")
    .nearMiss("sigmoid(x), 1 - sqr(tanh(x))")
    .tag("croton")
    .match<ScalarCode::Add, ScalarCode::Sub>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || node.inputCount() != 2 || !isFloatType(out)) return declined("not a difference of two floats");
        const auto x = oneMinusSquaredTanh(out);
        if (!x || !(x->type() == out.type())) return declined("it is not 1 - sqr(tanh(x))");
        if (!hasSigmoidOfTwice(*x)) return declined("nobody computes sigmoid(2 * x)");
        const VarHandle plus = sigmoid(edit, scaledBy(edit, *x, 2)), minus = sigmoid(edit, scaledBy(edit, *x, -2));
        const std::array factors{constantLike(edit, out, 4), plus, minus};
        return become(edit, node, product(edit, factors, out), "1 - sqr(tanh(x)) = 4 * sigmoid(2 * x) * sigmoid(-2 * x)");
    });

} // namespace
} // namespace engine
