// Differences that lose every digit of a tiny argument as they are written, or overflow for a large one.
#include "engine/rewrite/machine/build.h"

namespace engine {
namespace {

REWRITE(local_expm1, Phase::Canonicalize)
    .why("exp(x) - 1 loses all digits of a tiny x; expm1 keeps them")
    .hurts("expm1 costs a little more than exp")
    .turns("exp(x) - 1", "expm1(x)")
    .nearMiss("exp(x) - 2")
    .also({Phase::Stabilize, Phase::Specialize});

REWRITE(croton_sinh_from_exp, Phase::Stabilize)
    .why("exp(x) - exp(-x) loses all digits of a tiny x; sinh keeps them")
    .turns("exp(x) - exp(-x)", "2 * sinh(x)")
    .nearMiss("exp(x) - exp(y)")
    .tag("croton")
    .at(1); // after the quotients that tanh takes

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

REWRITE(croton_log_cosh, Phase::Stabilize)
    .why("cosh overflows above 710, its logarithm is |x| - log(2) there")
    .hurts("softplus costs more than cosh near 0")
    .turns("log(cosh(x))", "s = abs(x); s + (softplus(-2 * s) - 0.6931471805599453)")
    .nearMiss("log(cos(x))")
    .tag("croton");

} // namespace
} // namespace engine
