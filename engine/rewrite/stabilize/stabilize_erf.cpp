// Error functions: in their tails, and where they cancel.
#include "engine/rewrite/algebra/canonizer.h"
#include "engine/rewrite/machine/predicates.h"
#include "engine/rewrite/stabilize/logistic.h"

namespace engine {
namespace {

VarHandle call(Editor &edit, ScalarCode code, VarHandle x) { return elementwise(edit, code, {x}); }

std::optional<VarHandle> argumentOf(VarHandle v, ScalarCode code)
{
    const auto node = madeBy(v, code);
    if (!node || !(node->input(0).type() == v.type())) return std::nullopt;
    return node->input(0);
}

REWRITE(local_one_minus_erf, Phase::Canonicalize)
    .why("1 - erf(x) cancels to 0 for x above 6; erfc keeps its digits")
    .turns("1 - erf(x)", "erfc(x)")
    .nearMiss("2 - erf(x)")
    .also({Phase::Stabilize, Phase::Specialize});

REWRITE(local_one_plus_erf, Phase::Canonicalize)
    .why("1 + erf(x) cancels to 0 for x below -6; erfc(-x) keeps its digits")
    .turns("1 + erf(x)", "erfc(-x)")
    .nearMiss("2 + erf(x)")
    .also({Phase::Stabilize, Phase::Specialize});

REWRITE(local_erf_minus_one, Phase::Canonicalize)
    .why("erf(x) - 1 cancels to 0 for x above 6; -erfc(x) keeps its digits")
    .turns("erf(x) - 1", "-erfc(x)")
    .nearMiss("erf(x) - 2")
    .also({Phase::Stabilize, Phase::Specialize});

REWRITE(local_erf_neg_minus_one, Phase::Canonicalize)
    .why("-erf(x) - 1 cancels to 0 for x below -6; -erfc(-x) keeps its digits")
    .turns("-erf(x) - 1", "-erfc(-x)")
    .nearMiss("-erf(x) - 3")
    .also({Phase::Stabilize, Phase::Specialize});

REWRITE(local_one_minus_erfc, Phase::Canonicalize)
    .why("1 - erfc(x) loses all digits of a tiny x; erf keeps them")
    .turns("1 - erfc(x)", "erf(x)")
    .nearMiss("2 - erfc(x)")
    .also({Phase::Stabilize, Phase::Specialize});

REWRITE(local_erfc_minus_one, Phase::Canonicalize)
    .why("erfc(x) - 1 loses all digits of a tiny x; erf(-x) keeps them")
    .turns("erfc(x) - 1", "erf(-x)")
    .nearMiss("erfc(x) - 2")
    .also({Phase::Stabilize, Phase::Specialize});

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

} // namespace
} // namespace engine
