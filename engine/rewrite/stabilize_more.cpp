// Further forms that overflow or cancel as they are written: erfc in its tail, hyperbolic functions, differences near 0.
#include "engine/rewrite/canonizer.h"
#include "engine/rewrite/logistic.h"

#include <cmath>

namespace engine {
namespace {

VarHandle call(Editor &edit, ScalarCode code, VarHandle x) { return elementwise(edit, code, {x}); }
VarHandle number(Editor &edit, VarHandle like, double value) { return constantLike(edit, like, value); }

std::optional<VarHandle> argumentOf(VarHandle v, ScalarCode code)
{
    const auto node = madeBy(v, code);
    if (!node || !(node->input(0).type() == v.type())) return std::nullopt;
    return node->input(0);
}

/// x if v is x², in any of its spellings.
std::optional<VarHandle> squareOf(VarHandle v)
{
    if (const auto x = argumentOf(v, ScalarCode::Sqr)) return x;
    if (const auto power = madeBy(v, ScalarCode::Pow); power && isConstantOf(power->input(1), 2) && power->input(0).type() == v.type())
        return power->input(0);
    if (const auto product = madeBy(v, ScalarCode::Mul); product && product->inputCount() == 2 && product->input(0) == product->input(1))
        return product->input(0);
    return std::nullopt;
}

REWRITE(local_log_erfc, Phase::Stabilize)
    .why("erfc(x) is 0 above 26.6 and its logarithm -inf; log(erfcx(x)) - x² is finite there")
    .hurts("both branches are computed for every element")
    .example("log(erfc(x))", "switch(x < 1.0, log(erfc(minimum(x, 1.0))), log(erfcx(maximum(x, 1.0))) - sqr(x))")
    .nearMiss("log(erf(x))")
    .also({Phase::Specialize})
    .match<ScalarCode::Log>([](const NodeHandle &node, Editor &edit) {
        const auto x = argumentOf(node.input(0), ScalarCode::Erfc);
        if (!x || !elemwiseOf(node)) return declined("its input is no erfc", ownerOf(node.input(0)));
        const VarHandle border = number(edit, *x, 1);
        if (const auto cut = madeBy(*x, ScalarCode::Minimum); cut && isConstantOf(cut->input(1), 1)) return declined("it is guarded already", cut->id());
        const VarHandle tail = elementwise(edit, ScalarCode::Sub,
                                           {call(edit, ScalarCode::Log, call(edit, ScalarCode::Erfcx, elementwise(edit, ScalarCode::Maximum, {*x, border}))),
                                            call(edit, ScalarCode::Sqr, *x)});
        const VarHandle plain = call(edit, ScalarCode::Log, call(edit, ScalarCode::Erfc, elementwise(edit, ScalarCode::Minimum, {*x, border})));
        return become(edit, node, elementwise(edit, ScalarCode::Switch, {elementwise(edit, ScalarCode::Lt, {*x, border}), plain, tail}),
                      "log(erfc(x)) = log(erfcx(x)) - x²");
    });

REWRITE(local_grad_log_erfc_neg, Phase::Stabilize)
    .why("exp(-x²) / erfc(x) is 0 / 0 above 26.6; there it is 1 / erfcx(x)")
    .hurts("both branches are computed for every element")
    .improves("0 / 0 in the tail")
    .example("y * exp(-sqr(x)) / erfc(x)", "y * inv(erfcx(x))")
    .nearMiss("y * exp(-sqr(y)) / erfc(x)")
    .also({Phase::Specialize})
    .match<ScalarCode::TrueDiv>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a quotient of floats");
        CanonTerms terms = canonTerms(out, kProductFamily);
        for (std::size_t below = 0; below < terms.below.size(); ++below) {
            const auto x = argumentOf(terms.below[below], ScalarCode::Erfc);
            if (!x) continue;
            for (VarHandle &factor : terms.above) {
                const auto exponent = argumentOf(factor, ScalarCode::Exp);
                const auto square = exponent ? negationOf(*exponent) : std::nullopt;
                const auto base = square ? squareOf(*square) : std::nullopt;
                if (!base || !(*base == *x)) continue;
                // erfcx overflows only below -26, where exp(-x²) / erfc(x) is 0 as 1 / inf is.
                factor = call(edit, ScalarCode::Inv, call(edit, ScalarCode::Erfcx, *x));
                terms.below.erase(terms.below.begin() + static_cast<std::ptrdiff_t>(below));
                return become(edit, node, buildTerms(edit, terms, kProductFamily, out), "exp(-x²) / erfc(x) = 1 / erfcx(x)");
            }
        }
        return declined("no exp(-x²) above and erfc(x) below the line");
    });

REWRITE(local_log1p_plusminus_exp, Phase::Stabilize)
    .why("log(1 - exp(x)) is -inf for tiny negative x; log(-expm1(x)) keeps the digits there")
    .hurts("three transcendental functions instead of two")
    .improves("-inf near 0, where the exponential rounds to 1")
    .example("log1p(-exp(x))", "switch(x > -0.6931471805599453, log(-expm1(x)), log1p(-exp(minimum(x, -0.6931471805599453))))")
    .nearMiss("log1p(-sin(x))")
    .also({Phase::Specialize})
    .match<ScalarCode::Log1p>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        const auto power = negationOf(node.input(0));
        const auto x = power ? argumentOf(*power, ScalarCode::Exp) : std::nullopt;
        if (!x) return declined("its input is not -exp(x)", ownerOf(node.input(0)));
        const VarHandle border = number(edit, *x, -0.6931471805599453);
        if (const auto cut = madeBy(*x, ScalarCode::Minimum); cut && cut->input(1) == border)
            return declined("it is guarded already", cut->id());
        const VarHandle near = call(edit, ScalarCode::Log, call(edit, ScalarCode::Neg, call(edit, ScalarCode::Expm1, *x)));
        const VarHandle far = call(edit, ScalarCode::Log1p, call(edit, ScalarCode::Neg, call(edit, ScalarCode::Exp, elementwise(edit, ScalarCode::Minimum, {*x, border}))));
        return become(edit, node, elementwise(edit, ScalarCode::Switch, {elementwise(edit, ScalarCode::Gt, {*x, border}), near, far}),
                      "log(1 - exp(x)) on the side where it keeps its digits");
    });

REWRITE(local_exp_log, Phase::Stabilize)
    .why("exp of a logarithm-like function is arithmetic: no transcendental functions, no overflow in between")
    .hurts("exp(log1p(x)) below -1 was nan")
    .dropsNan("the logarithm of a negative number")
    .example("exp(log1p(x))", "1 + x")
    .example("exp(softplus(x))", "1 + exp(x)")
    .nearMiss("exp(sin(x))")
    .also({Phase::Specialize})
    .match<ScalarCode::Exp>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        const VarHandle inside = node.input(0);
        if (const auto x = argumentOf(inside, ScalarCode::Log1p))
            return become(edit, node, elementwise(edit, ScalarCode::Add, {number(edit, *x, 1), *x}));
        if (const auto x = argumentOf(inside, ScalarCode::Softplus))
            return become(edit, node, elementwise(edit, ScalarCode::Add, {number(edit, *x, 1), call(edit, ScalarCode::Exp, *x)}));
        return declined("its input is neither log1p nor softplus", ownerOf(inside));
    });

REWRITE(local_exp_log_nan_switch, Phase::Stabilize)
    .why("exp(log(x)) is x where the logarithm exists")
    .example("exp(log(x))", "switch(x >= 0.0, x, constant(nan, float64))")
    .nearMiss("exp(log2(x))")
    .also({Phase::Specialize})
    .match<ScalarCode::Exp>([](const NodeHandle &node, Editor &edit) {
        const auto x = argumentOf(node.input(0), ScalarCode::Log);
        if (!x || !elemwiseOf(node)) return declined("its input is no logarithm", ownerOf(node.input(0)));
        if (!isFloatType(*x)) return declined("not a float");
        return become(edit, node,
                      elementwise(edit, ScalarCode::Switch,
                                  {elementwise(edit, ScalarCode::Ge, {*x, number(edit, *x, 0)}), *x, number(edit, *x, std::nan(""))}));
    });

/// The two exponents of a sum or difference of exponentials: (a, b, isDifference).
struct TwoPowers {
    VarHandle a, b;
    bool isDifference;
};
std::optional<TwoPowers> twoPowers(VarHandle v)
{
    std::vector<std::pair<VarHandle, bool>> terms; // exponent, negative
    const auto collect = [&](VarHandle term, bool negative) {
        if (const auto inner = negationOf(term)) {
            term = *inner;
            negative = !negative;
        }
        if (const auto x = argumentOf(term, ScalarCode::Exp); x && term.type() == v.type()) terms.emplace_back(*x, negative);
    };
    if (const auto difference = madeBy(v, ScalarCode::Sub)) {
        collect(difference->input(0), false);
        collect(difference->input(1), true);
    } else if (const auto sum = madeBy(v, ScalarCode::Add); sum && sum->inputCount() == 2) {
        collect(sum->input(0), false);
        collect(sum->input(1), false);
    }
    if (terms.size() != 2 || (terms[0].second && terms[1].second)) return std::nullopt;
    if (terms[0].second) std::swap(terms[0], terms[1]);
    return TwoPowers{terms[0].first, terms[1].first, terms[1].second};
}

bool areOpposite(VarHandle a, VarHandle b)
{
    const auto x = negationOf(b), y = negationOf(a);
    return (x && *x == a) || (y && *y == b);
}

REWRITE(croton_sinh_from_exp, Phase::Stabilize)
    .why("exp(x) - exp(-x) loses all digits of a tiny x; sinh keeps them")
    .example("exp(x) - exp(-x)", "2 * sinh(x)")
    .nearMiss("exp(x) - exp(y)")
    .tag("croton")
    .at(1) // after the quotients that tanh takes
    .match<ScalarCode::Sub, ScalarCode::Add>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a float");
        const auto powers = twoPowers(out);
        if (!powers || !powers->isDifference) return declined("it is no difference of two exp");
        if (!areOpposite(powers->a, powers->b)) return declined("the exponents are not x and -x");
        for (const Client &client : out.clients())
            if (!client.isGraphOutput() && client.port == 0)
                if (const auto sum = madeBy({node.graph(), node.graph().apply(client.apply).outputs[0]}, ScalarCode::TrueDiv); sum && twoPowers(sum->input(1)))
                    return declined("it is the numerator of tanh", client.apply);
        return become(edit, node, elementwise(edit, ScalarCode::Mul, {number(edit, out, 2), call(edit, ScalarCode::Sinh, powers->a)}));
    });

REWRITE(croton_log_cosh, Phase::Stabilize)
    .why("cosh overflows above 710, its logarithm is |x| - log(2) there")
    .hurts("softplus costs more than cosh near 0")
    .example("log(cosh(x))", "abs(x) + (softplus(-2 * abs(x)) - 0.6931471805599453)")
    .nearMiss("log(cos(x))")
    .tag("croton")
    .match<ScalarCode::Log>([](const NodeHandle &node, Editor &edit) {
        const auto x = argumentOf(node.input(0), ScalarCode::Cosh);
        if (!x || !elemwiseOf(node)) return declined("its input is no cosh", ownerOf(node.input(0)));
        if (!isFloatType(*x)) return declined("not a float");
        const VarHandle size = call(edit, ScalarCode::Abs, *x);
        const VarHandle rest = call(edit, ScalarCode::Softplus, elementwise(edit, ScalarCode::Mul, {number(edit, *x, -2), size}));
        return become(edit, node,
                      elementwise(edit, ScalarCode::Add, {size, elementwise(edit, ScalarCode::Sub, {rest, number(edit, *x, 0.6931471805599453)})}));
    });

REWRITE(croton_one_minus_cos, Phase::Stabilize)
    .why("1 - cos(x) loses all digits of a tiny x; 2·sin²(x/2) keeps them")
    .example("1 - cos(x)", "2 * sqr(sin(0.5 * x))")
    .nearMiss("2 - cos(x)")
    .tag("croton")
    .match<ScalarCode::Sub, ScalarCode::Add>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || node.inputCount() != 2 || !isFloatType(out)) return declined("not a difference of two floats");
        std::optional<VarHandle> x;
        if (elemwiseOf(node)->is(ScalarCode::Sub)) {
            if (isConstantOf(node.input(0), 1)) x = argumentOf(node.input(1), ScalarCode::Cos);
        } else {
            for (std::size_t k = 0; k < 2 && !x; ++k)
                if (isConstantOf(node.input(k), 1))
                    if (const auto minus = negationOf(node.input(1 - k))) x = argumentOf(*minus, ScalarCode::Cos);
        }
        if (!x || !(x->type() == out.type())) return declined("it is not 1 - cos(x)");
        const VarHandle half = elementwise(edit, ScalarCode::Mul, {number(edit, out, 0.5), *x});
        return become(edit, node, elementwise(edit, ScalarCode::Mul, {number(edit, out, 2), call(edit, ScalarCode::Sqr, call(edit, ScalarCode::Sin, half))}));
    });

REWRITE(croton_sqrt1pm1, Phase::Stabilize)
    .why("sqrt(1 + x) - 1 loses all digits of a tiny x; expm1(log1p(x) / 2) keeps them")
    .hurts("two transcendental functions instead of a root")
    .example("sqrt(1 + x) - 1", "expm1(0.5 * log1p(x))")
    .nearMiss("sqrt(1 + x) - 2")
    .tag("croton")
    .match<ScalarCode::Sub, ScalarCode::Add>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        const Elemwise *op = elemwiseOf(node);
        if (!op || node.inputCount() != 2 || !isFloatType(out)) return declined("not a difference of two floats");
        std::optional<VarHandle> root;
        if (op->is(ScalarCode::Sub)) {
            if (isConstantOf(node.input(1), 1)) root = node.input(0);
        } else {
            for (std::size_t k = 0; k < 2; ++k)
                if (isConstantOf(node.input(k), -1)) root = node.input(1 - k);
        }
        const auto inside = root ? argumentOf(*root, ScalarCode::Sqrt) : std::nullopt;
        const auto sum = inside ? madeBy(*inside, ScalarCode::Add) : std::nullopt;
        if (!sum || sum->inputCount() != 2) return declined("it is not sqrt(1 + x) - 1");
        for (std::size_t k = 0; k < 2; ++k)
            if (isConstantOf(sum->input(k), 1) && sum->input(1 - k).type() == out.type())
                return become(edit, node,
                              call(edit, ScalarCode::Expm1,
                                   elementwise(edit, ScalarCode::Mul, {number(edit, out, 0.5), call(edit, ScalarCode::Log1p, sum->input(1 - k))})));
        return declined("it is not sqrt(1 + x) - 1", sum->id());
    });

REWRITE(croton_softplus_difference, Phase::Stabilize)
    .why("softplus(x) - softplus(-x) is x")
    .example("softplus(x) - softplus(-x) + y", "x + y")
    .nearMiss("softplus(x) - softplus(-y)")
    .also({Phase::Specialize})
    .tag("croton")
    .at(2)
    .match<ScalarCode::Sub>([](const NodeHandle &node, Editor &edit) {
        const auto a = argumentOf(node.input(0), ScalarCode::Softplus), b = argumentOf(node.input(1), ScalarCode::Softplus);
        if (!a || !b || !elemwiseOf(node)) return declined("it is no difference of two softplus");
        if (!areOpposite(*a, *b)) return declined("the arguments are not x and -x");
        return become(edit, node, *a);
    });

REWRITE(local_ultra_fast_sigmoid, Phase::Uncanonicalize)
    .why("a piecewise approximation of the logistic function: no exp at all")
    .hurts("differs from the logistic function by up to 0.03")
    .dropsNan("it is clipped")
    .example("sigmoid(x)", "ultra_fast_sigmoid(x)")
    .nearMiss("tanh(x)")
    .off()
    .tag("approximate")
    .match<ScalarCode::Sigmoid>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        if (!isFloatType(node.input(0))) return declined("not a float");
        return become(edit, node, call(edit, ScalarCode::UltraFastSigmoid, node.input(0)));
    });

REWRITE(local_hard_sigmoid, Phase::Uncanonicalize)
    .why("three straight lines instead of the logistic function")
    .hurts("differs from the logistic function by up to 0.06")
    .example("sigmoid(x)", "clip(0.2 * x + 0.5, 0.0, 1.0)")
    .nearMiss("tanh(x)")
    .off()
    .tag("approximate")
    .match<ScalarCode::Sigmoid>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        const VarHandle x = node.input(0);
        if (!isFloatType(x)) return declined("not a float");
        const VarHandle line = elementwise(edit, ScalarCode::Add, {elementwise(edit, ScalarCode::Mul, {number(edit, x, 0.2), x}), number(edit, x, 0.5)});
        return become(edit, node, elementwise(edit, ScalarCode::Clip, {line, number(edit, x, 0), number(edit, x, 1)}));
    });

} // namespace
} // namespace engine
