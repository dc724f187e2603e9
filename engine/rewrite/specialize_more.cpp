// Small identities: fewer transcendental functions, fewer passes.
#include "engine/rewrite/build.h"

#include <cmath>
#include <unordered_map>

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

REWRITE(local_expm1_log1p, Phase::Stabilize)
    .why("expm1 undoes log1p, and log1p undoes expm1")
    .hurts("arguments below -1 are no longer nan")
    .dropsNan("a number below -1")
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

REWRITE(local_log_sqrt, Phase::Specialize)
    .why("the logarithm of a root is half the logarithm")
    .hurts("log(sqrt(-0.0)) and the like keep their infinities, others round differently")
    .turns("r = sqrt(x); log(r)", "0.5 * log(x)", {"r has no other client"})
    .nearMiss("log(sqr(x))")
    .tag("croton");

REWRITE(local_mul_exp_to_exp_add, Phase::Specialize)
    .why("exp(a) * exp(b) is one exp of a sum, and does not overflow where one factor would")
    .hurts("exp(800) * exp(-800) is inf * 0 = nan by the letter and 1 now")
    .improves("inf times 0 and inf / inf")
    .turns("a = exp(x); b = exp(y); a * b", "exp(x + y)")
    .turns("a = exp(x); b = exp(y); a / b", "exp(x - y)")
    .where("a has no other client")
    .where("b has no other client")
    .where("a has the type of the result")
    .where("b has the type of the result")
    .nearMiss("exp(x) * sin(y)")
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

REWRITE(local_switch_of_not, Phase::Canonicalize)
    .why("a switch on eq(c, 0) is the switch on c with its branches exchanged")
    .turns("c: lvector; x: dvector; y: dvector; switch(eq(c, 0), x, y)", "switch(c, y, x)", {"c is an integer"})
    .complexToo()
    .nearMiss("c: lvector; x: dvector; y: dvector; switch(eq(c, 1), x, y)")
    .tag("croton");

REWRITE(local_add_neg_to_sub, Phase::Specialize)
    .why("x + (-y) is x - y: one operation less")
    .turns("n = -y; x + n", "x - y", {"n has no other client"})
    .asWritten()
    .complexToo()
    .nearMiss("x + y")
    .at(30); // after the signs of products have been found

REWRITE(local_sub_neg_to_add, Phase::Specialize)
    .why("x - (-y) is x + y: one operation less")
    .turns("x - (-y)", "x + y")
    .asWritten()
    .complexToo()
    .nearMiss("x - y")
    .at(30);

REWRITE(local_mul_pow_to_pow_add, Phase::Specialize)
    .why("powers of one base multiply by adding exponents: one pow less")
    .hurts("x ** a overflows or is nan where the sum of the exponents would not be")
    .example("x ** 2.5 * x ** 1.2", "x ** 3.7")
    .nearMiss("x ** 2.5 * y ** 1.2")
    .at(-1) // before small powers become roots and squares
    .match<ScalarCode::Mul>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || node.inputCount() < 2 || !isFloatType(out)) return declined("not a product of floats");
        std::vector<VarHandle> factors = node.inputs();
        std::unordered_map<std::uint32_t, std::vector<std::size_t>> powersOf; // by base
        for (std::size_t k = 0; k < factors.size(); ++k) {
            const auto power = factors[k].hasOneClient() ? madeBy(factors[k], ScalarCode::Pow) : std::nullopt;
            if (power) powersOf[raw(power->input(0).id())].push_back(k);
        }
        if (powersOf.empty()) return declined("no two factors are powers of one base");
        for (std::size_t i = 0; i < factors.size(); ++i) {
            const auto a = factors[i].hasOneClient() ? madeBy(factors[i], ScalarCode::Pow) : std::nullopt;
            if (!a) continue;
            for (const std::size_t k : powersOf[raw(a->input(0).id())]) {
                if (k <= i) continue;
                const auto b = madeBy(factors[k], ScalarCode::Pow);
                const auto x = constantValue(a->input(1)), y = constantValue(b->input(1));
                if (!x || !y || !a->input(0).type().isTensor() || a->input(0).dtype() != out.dtype()) continue;
                // Whole exponents of different sign would hide a division by 0; fractional ones keep the domain.
                if ((*x < 0) != (*y < 0)) continue;
                const bool whole = std::floor(*x + *y) == *x + *y;
                if (whole && !(std::floor(*x) == *x && std::floor(*y) == *y)) continue; // x ** 0.5 * x ** 1.5 is nan below 0, x² is not
                factors[i] = elementwise(edit, ScalarCode::Pow, {a->input(0), constantLike(edit, a->input(0), *x + *y)});
                factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(k));
                return become(edit, node, product(edit, factors, out));
            }
        }
        return declined("no two factors are powers of one base");
    });

REWRITE(local_log_pow, Phase::Stabilize)
    .why("the square overflows above 1e154, twice the logarithm of |x| does not")
    .hurts("twice the logarithm is rounded once more than the logarithm of the square")
    .turns("log(sqr(x))", "2.0 * log(abs(x))")
    .generally("log(x ** c)", "c * log(abs(x))", {"c is even"})
    .where("x is float")
    .example("log(x ** 4)", "4.0 * log(abs(x))")
    .nearMiss("log(x ** 3)")
    .also({Phase::Specialize});

} // namespace
} // namespace engine
