// Logarithms and exponentials near 0 and 1, where the textbook form loses every digit.
#include "engine/rewrite/machine/build.h"

namespace engine {
namespace {

REWRITE(local_log1p, Phase::Stabilize)
    .why("log(1 + x) loses all digits of a tiny x; log1p keeps them")
    .hurts("log1p costs a little more than log")
    .turns("log(1 + x)", "log1p(x)", {"x takes the rest"})
    .turns("log(1 - x)", "log1p(-x)")
    .nearMiss("log(2 + x)")
    .also({Phase::Specialize});

REWRITE(croton_log1p_of_less_one, Phase::Stabilize)
    .why("log1p(x - 1) takes 1 away and adds it again: a tiny x is gone in between; log(x) keeps it")
    .improves("-inf for x below 1e-16")
    .turns("log1p(x - 1)", "log(x)")
    .example("log1p(-1 + x * y)", "log(x * y)")
    .nearMiss("log1p(x - 2)")
    .tag("croton");

REWRITE(local_log1p_plusminus_exp, Phase::Stabilize)
    .why("log(1 - exp(x)) is -inf for tiny negative x; log(-expm1(x)) keeps the digits there")
    .hurts("three transcendental functions instead of two")
    .improves("-inf near 0, where the exponential rounds to 1")
    .stays("log1p(-exp(minimum(x, -0.6931471805599453)))", "it is guarded already")
    .turns("log1p(-exp(x))", "switch(x > -0.6931471805599453, log(-expm1(x)), log1p(-exp(minimum(x, -0.6931471805599453))))")
    .nearMiss("log1p(-sin(x))")
    .also({Phase::Specialize});

} // namespace
} // namespace engine
