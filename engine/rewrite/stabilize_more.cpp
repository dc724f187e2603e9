// Further forms that overflow or cancel as they are written: erfc in its tail, hyperbolic functions, differences near 0.
#include "engine/rewrite/canonizer.h"
#include "engine/rewrite/logistic.h"
#include "engine/rewrite/predicates.h"

#include <cmath>

namespace engine {
namespace {

VarHandle call(Editor &edit, ScalarCode code, VarHandle x) { return elementwise(edit, code, {x}); }

std::optional<VarHandle> argumentOf(VarHandle v, ScalarCode code)
{
    const auto node = madeBy(v, code);
    if (!node || !(node->input(0).type() == v.type())) return std::nullopt;
    return node->input(0);
}

REWRITE(local_log_erfc, Phase::Stabilize)
    .why("erfc(x) is 0 above 26.6 and its logarithm -inf; log(erfcx(x)) - x² is finite there")
    .hurts("both branches are computed for every element")
    .stays("log(erfc(minimum(x, 1.0)))", "it is guarded already")
    .turns("log(erfc(x))", "switch(x < 1.0, log(erfc(minimum(x, 1.0))), log(erfcx(maximum(x, 1.0))) - sqr(x))")
    .nearMiss("log(erf(x))")
    .also({Phase::Specialize});

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
                const auto base = square ? squareRootOf(*square) : std::nullopt;
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
    .stays("log1p(-exp(minimum(x, -0.6931471805599453)))", "it is guarded already")
    .turns("log1p(-exp(x))", "switch(x > -0.6931471805599453, log(-expm1(x)), log1p(-exp(minimum(x, -0.6931471805599453))))")
    .nearMiss("log1p(-sin(x))")
    .also({Phase::Specialize});

REWRITE(local_exp_log, Phase::Stabilize)
    .why("exp of a logarithm-like function is arithmetic: no transcendental functions, no overflow in between")
    .hurts("exp(log1p(x)) below -1 was nan")
    .dropsNan("the logarithm of a negative number")
    .turns("exp(log1p(x))", "1 + x")
    .turns("exp(softplus(x))", "1 + exp(x)")
    .nearMiss("exp(sin(x))")
    .also({Phase::Specialize});

REWRITE(local_exp_log_nan_switch, Phase::Stabilize)
    .why("exp(log(x)) is x where the logarithm exists")
    .turns("exp(log(x))", "switch(x >= 0.0, x, constant(nan, float64))")
    .nearMiss("exp(log2(x))")
    .also({Phase::Specialize});

REWRITE(croton_sinh_from_exp, Phase::Stabilize)
    .why("exp(x) - exp(-x) loses all digits of a tiny x; sinh keeps them")
    .turns("exp(x) - exp(-x)", "2 * sinh(x)")
    .nearMiss("exp(x) - exp(y)")
    .tag("croton")
    .at(1); // after the quotients that tanh takes

REWRITE(croton_log_cosh, Phase::Stabilize)
    .why("cosh overflows above 710, its logarithm is |x| - log(2) there")
    .hurts("softplus costs more than cosh near 0")
    .turns("log(cosh(x))", "s = abs(x); s + (softplus(-2 * s) - 0.6931471805599453)")
    .nearMiss("log(cos(x))")
    .tag("croton");

REWRITE(croton_one_minus_cos, Phase::Stabilize)
    .why("1 - cos(x) loses all digits of a tiny x; 2·sin²(x/2) keeps them")
    .turns("1 - cos(x)", "2 * sqr(sin(0.5 * x))")
    .nearMiss("2 - cos(x)")
    .tag("croton");

REWRITE(croton_sqrt1pm1, Phase::Stabilize)
    .why("sqrt(1 + x) - 1 loses all digits of a tiny x; expm1(log1p(x) / 2) keeps them")
    .hurts("two transcendental functions instead of a root")
    .turns("sqrt(1 + x) - 1", "expm1(0.5 * log1p(x))")
    .nearMiss("sqrt(1 + x) - 2")
    .tag("croton");

REWRITE(croton_softplus_difference, Phase::Stabilize)
    .why("softplus(x) - softplus(-x) is x")
    .turns("softplus(x) - softplus(-x)", "x")
    .example("softplus(x) - softplus(-x) + y", "x + y")
    .nearMiss("softplus(x) - softplus(-y)")
    .also({Phase::Specialize})
    .tag("croton")
    .at(2);

REWRITE(local_ultra_fast_sigmoid, Phase::Uncanonicalize)
    .why("a piecewise approximation of the logistic function: no exp at all")
    .hurts("differs from the logistic function by up to 0.03")
    .dropsNan("it is clipped")
    .turns("sigmoid(x)", "ultra_fast_sigmoid(x)")
    .nearMiss("tanh(x)")
    .off()
    .tag("approximate");

REWRITE(local_hard_sigmoid, Phase::Uncanonicalize)
    .why("three straight lines instead of the logistic function")
    .hurts("differs from the logistic function by up to 0.06")
    .turns("sigmoid(x)", "clip(0.2 * x + 0.5, 0.0, 1.0)")
    .nearMiss("tanh(x)")
    .off()
    .tag("approximate");

} // namespace
} // namespace engine
