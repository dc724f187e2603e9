// Functions that undo each other, and signs, squares and roots that make no difference.
#include "engine/rewrite/machine/build.h"

namespace engine {
namespace {

REWRITE(local_log_exp, Phase::Stabilize)
    .why("log undoes exp; keeping both overflows above 709")
    .improves("inf above 709, -inf below -745")
    .turns("log(exp(x))", "x")
    .example("log(exp(x)) + y", "x + y")
    .nearMiss("log(sin(x)) + y")
    .also({Phase::Specialize})
    .tag("croton");

REWRITE(local_exp_log_nan_switch, Phase::Stabilize)
    .why("exp(log(x)) is x where the logarithm exists")
    .turns("exp(log(x))", "switch(x >= 0.0, x, constant(nan, float64))")
    .turns("exp(log1p(x))", "switch(x >= -1.0, 1 + x, constant(nan, float64))")
    .nearMiss("exp(log2(x))")
    .also({Phase::Specialize});

REWRITE(local_expm1_log1p, Phase::Stabilize)
    .why("log1p undoes expm1; keeping both overflows above 709 and is -inf below -37")
    .improves("inf above 709, -inf below -37")
    .turns("log1p(expm1(x))", "x")
    .example("log1p(expm1(x)) + y", "x + y")
    .nearMiss("log1p(exp(x)) + y")
    .tag("croton");

REWRITE(local_sqrt_sqr, Phase::Canonicalize)
    .why("the root of a square is the absolute value: it does not overflow in between, and its gradient is no 0 / 0 at 0")
    .improves("inf above 1e154, 0 below 1e-162")
    .turns("sqrt(sqr(x))", "abs(x)")
    .turns("sqr(x) ** 0.5", "abs(x)")
    .turns("sqr(x) ** -0.5", "inv(abs(x))")
    .where("x is float")
    .example("sqrt(x * x)", "abs(x)")
    .example("(x ** 2) ** 0.5", "abs(x)")
    .example("(x ** 2) ** -0.5", "inv(abs(x))")
    .nearMiss("sqrt(exp(x))")
    .nearMiss("sqrt(x * y)")
    .nearMiss("(x ** 2) ** 1.5")
    .also({Phase::Specialize})
    .tag("croton");

REWRITE(local_sqr_sqrt, Phase::Specialize)
    .why("the square of a root is the number itself")
    .hurts("negative numbers are no longer nan")
    .dropsNan("the root of a negative number")
    .turns("sqr(sqrt(x))", "x")
    .asWritten()
    .example("sqr(sqrt(x)) + y", "x + y")
    .nearMiss("sqr(sin(x)) + y")
    .off()
    .tag("unsafe");

REWRITE(local_log_sqrt, Phase::Specialize)
    .why("the logarithm of a root is half the logarithm")
    .hurts("log(sqrt(-0.0)) and the like keep their infinities, others round differently")
    .turns("r = sqrt(x); log(r)", "0.5 * log(x)", {"r has no other client"})
    .nearMiss("log(sqr(x))")
    .tag("croton");

REWRITE(local_log_pow, Phase::Stabilize)
    .why("the square overflows above 1e154, twice the logarithm of |x| does not")
    .hurts("twice the logarithm is rounded once more than the logarithm of the square")
    .turns("log(sqr(x))", "2.0 * log(abs(x))")
    .generally("log(x ** c)", "c * log(abs(x))", {"c is even"})
    .where("x is float")
    .example("log(x ** 4)", "4.0 * log(abs(x))")
    .nearMiss("log(x ** 3)")
    .also({Phase::Specialize});

REWRITE(local_abs_abs, Phase::Canonicalize)
    .why("an absolute value has no sign to drop")
    .turns("abs(abs(x))", "abs(x)")
    .turns("abs(-x)", "abs(x)")
    .generally("abs(x)", "x", {"x is never negative"})
    .example("abs(exp(x))", "exp(x)")
    .nearMiss("abs(sin(x))")
    .tag("croton");

REWRITE(croton_square_of_absolute, Phase::Canonicalize)
    .why("a square has no sign to drop")
    .turns("sqr(abs(x))", "sqr(x)")
    .nearMiss("sqr(sin(x))")
    .tag("croton");

REWRITE(local_maximum_of_zero_exp, Phase::Canonicalize)
    .why("what is never negative is its own maximum with 0")
    .generally("maximum(x, c)", "x", {"x is never negative", "c is at most 0"})
    .example("maximum(exp(x), 0.0)", "exp(x)")
    .nearMiss("maximum(sin(x), 0.0)")
    .tag("croton");

} // namespace
} // namespace engine
