// Small identities: fewer transcendental functions, fewer passes.
#include "engine/rewrite/build.h"

#include <cmath>
#include <unordered_map>

namespace engine {
namespace {

REWRITE(local_log_exp, Phase::Stabilize)
    .why("log undoes exp; keeping both overflows above 709")
    .improves("inf above 709, -inf below -745")
    .example("log(exp(x)) + y", "x + y")
    .nearMiss("log(sin(x)) + y")
    .also({Phase::Specialize})
    .tag("croton")
    .match<ScalarCode::Log>([](const NodeHandle &node, Editor &edit) {
        const auto inner = madeBy(node.input(0), ScalarCode::Exp);
        if (!inner || !elemwiseOf(node)) return declined("its input is no exp", ownerOf(node.input(0)));
        if (!isFloatType(inner->input(0)) || inner->input(0).dtype() != node.output().dtype()) return declined("the dtype would change");
        return become(edit, node, inner->input(0));
    });

REWRITE(local_expm1_log1p, Phase::Stabilize)
    .why("expm1 undoes log1p, and log1p undoes expm1")
    .hurts("arguments below -1 are no longer nan")
    .dropsNan("a number below -1")
    .example("log1p(expm1(x)) + y", "x + y")
    .nearMiss("log1p(exp(x)) + y")
    .tag("croton")
    .match<ScalarCode::Log1p>([](const NodeHandle &node, Editor &edit) {
        const auto inner = madeBy(node.input(0), ScalarCode::Expm1);
        if (!inner || !elemwiseOf(node)) return declined("its input is no expm1", ownerOf(node.input(0)));
        if (!isFloatType(inner->input(0)) || inner->input(0).dtype() != node.output().dtype()) return declined("the dtype would change");
        return become(edit, node, inner->input(0));
    });

/// x if v is x², in any of its spellings.
std::optional<VarHandle> squareRootOf(VarHandle v)
{
    if (const auto square = madeBy(v, ScalarCode::Sqr)) return square->input(0);
    if (const auto product = madeBy(v, ScalarCode::Mul); product && product->inputCount() == 2 && product->input(0) == product->input(1)) return product->input(0);
    if (const auto power = madeBy(v, ScalarCode::Pow); power && isConstantOf(power->input(1), 2) && power->input(0).type() == v.type()) return power->input(0);
    return std::nullopt;
}

REWRITE(local_sqrt_sqr, Phase::Canonicalize)
    .why("the root of a square is the absolute value: it does not overflow in between, and its gradient is no 0 / 0 at 0")
    .improves("inf above 1e154, 0 below 1e-162")
    .example("sqrt(sqr(x))", "abs(x)")
    .example("sqrt(x * x)", "abs(x)")
    .example("(x ** 2) ** 0.5", "abs(x)")
    .example("(x ** 2) ** -0.5", "inv(abs(x))")
    .nearMiss("sqrt(exp(x))")
    .nearMiss("sqrt(x * y)")
    .nearMiss("(x ** 2) ** 1.5")
    .also({Phase::Specialize})
    .tag("croton")
    .match<ScalarCode::Sqrt, ScalarCode::Pow>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        const VarHandle out = node.output();
        double exponent = 0.5;
        if (elemwiseOf(node)->is(ScalarCode::Pow)) exponent = constantValue(node.input(1)).value_or(0);
        if (exponent != 0.5 && exponent != -0.5) return declined("it is no root");
        const auto x = squareRootOf(node.input(0));
        if (!x) return declined("its input is no square", ownerOf(node.input(0)));
        if (!(x->type() == out.type())) return declined("the type would change");
        const VarHandle size = elementwise(edit, ScalarCode::Abs, {*x});
        return become(edit, node, exponent == 0.5 ? size : elementwise(edit, ScalarCode::Inv, {size}));
    });

REWRITE(local_log_sqrt, Phase::Specialize)
    .why("the logarithm of a root is half the logarithm")
    .hurts("log(sqrt(-0.0)) and the like keep their infinities, others round differently")
    .example("log(sqrt(x))", "0.5 * log(x)")
    .nearMiss("log(sqr(x))")
    .tag("croton")
    .match<ScalarCode::Log>([](const NodeHandle &node, Editor &edit) {
        const auto inner = madeBy(node.input(0), ScalarCode::Sqrt);
        if (!inner || !elemwiseOf(node)) return declined("its input is no root", ownerOf(node.input(0)));
        if (!node.input(0).hasOneClient()) return declined("the root has other readers", inner->id());
        if (inner->input(0).dtype() != node.output().dtype()) return declined("the dtype would change");
        return become(edit, node,
                      elementwise(edit, ScalarCode::Mul, {constantLike(edit, node.output(), 0.5), elementwise(edit, ScalarCode::Log, {inner->input(0)})}));
    });

REWRITE(local_mul_exp_to_exp_add, Phase::Specialize)
    .why("exp(a) * exp(b) is one exp of a sum, and does not overflow where one factor would")
    .hurts("exp(800) * exp(-800) is inf * 0 = nan by the letter and 1 now")
    .improves("inf times 0 and inf / inf")
    .example("exp(x) * exp(y)", "exp(x + y)")
    .example("exp(x) / exp(y)", "exp(x - y)")
    .nearMiss("exp(x) * sin(y)")
    .tag("croton")
    .match<ScalarCode::Mul, ScalarCode::TrueDiv>([](const NodeHandle &node, Editor &edit) {
        const Elemwise *op = elemwiseOf(node);
        if (!op || node.inputCount() != 2 || !isFloatType(node.output())) return declined("not a product of two floats");
        std::vector<VarHandle> exponents;
        for (const VarHandle &input : node.inputs()) {
            const auto power = madeBy(input, ScalarCode::Exp);
            if (!power) return declined("an argument is no exp", ownerOf(input));
            if (!input.hasOneClient()) return declined("an exp has other readers", power->id());
            if (!(input.type() == node.output().type()) || power->input(0).dtype() != input.dtype()) return declined("an argument is repeated", power->id());
            exponents.push_back(power->input(0));
        }
        const ScalarCode code = op->is(ScalarCode::Mul) ? ScalarCode::Add : ScalarCode::Sub;
        return become(edit, node, elementwise(edit, ScalarCode::Exp, {elementwise(edit, code, {exponents[0], exponents[1]})}));
    });

REWRITE(local_sqr_sqrt, Phase::Specialize)
    .why("the square of a root is the number itself")
    .hurts("negative numbers are no longer nan")
    .dropsNan("the root of a negative number")
    .example("sqr(sqrt(x)) + y", "x + y")
    .nearMiss("sqr(sin(x)) + y")
    .off()
    .tag("unsafe")
    .match<ScalarCode::Sqr>([](const NodeHandle &node, Editor &edit) {
        const auto inner = madeBy(node.input(0), ScalarCode::Sqrt);
        if (!inner || !elemwiseOf(node)) return declined("its input is no root", ownerOf(node.input(0)));
        if (inner->input(0).dtype() != node.output().dtype()) return declined("the dtype would change");
        return become(edit, node, inner->input(0));
    });

REWRITE(local_abs_abs, Phase::Canonicalize)
    .why("an absolute value has no sign to drop")
    .example("abs(abs(x))", "abs(x)")
    .example("abs(-x)", "abs(x)")
    .nearMiss("abs(sin(x))")
    .tag("croton")
    .match<ScalarCode::Abs>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node) || isUnsignedInteger(node.output().dtype())) return declined("it works in place already");
        if (const auto inner = madeBy(node.input(0), ScalarCode::Abs)) return become(edit, node, inner->output());
        if (const auto inner = madeBy(node.input(0), ScalarCode::Neg))
            return become(edit, node, elementwise(edit, ScalarCode::Abs, {inner->input(0)}));
        for (ScalarCode code : {ScalarCode::Exp, ScalarCode::Sigmoid, ScalarCode::Softplus, ScalarCode::Sqr, ScalarCode::Sqrt})
            if (const auto positive = madeBy(node.input(0), code); positive && isFloatType(node.output()) && !isComplex(positive->input(0).dtype()))
                return become(edit, node, node.input(0));
        return declined("its input may be negative", ownerOf(node.input(0)));
    });

REWRITE(local_maximum_of_zero_exp, Phase::Canonicalize)
    .why("what is never negative is its own maximum with 0")
    .example("maximum(exp(x), 0.0)", "exp(x)")
    .nearMiss("maximum(sin(x), 0.0)")
    .tag("croton")
    .match<ScalarCode::Maximum>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        for (std::size_t k = 0; k < 2; ++k) {
            const auto bound = constantValue(node.input(k));
            if (!bound || *bound > 0) continue;
            for (ScalarCode code : {ScalarCode::Exp, ScalarCode::Sigmoid, ScalarCode::Softplus, ScalarCode::Abs, ScalarCode::Sqr})
                if (const auto positive = madeBy(node.input(1 - k), code); positive && isFloatType(node.output()))
                    return become(edit, node, node.input(1 - k));
        }
        return declined("neither side is 0 and the other never negative");
    });

REWRITE(local_switch_of_not, Phase::Canonicalize)
    .why("a switch on eq(c, 0) is the switch on c with its branches exchanged")
    .example("c: lvector; x: dvector; y: dvector; switch(eq(c, 0), x, y)", "c: lvector; x: dvector; y: dvector; switch(c, y, x)")
    .nearMiss("c: lvector; x: dvector; y: dvector; switch(eq(c, 1), x, y)")
    .tag("croton")
    .match<ScalarCode::Switch>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        const auto test = madeBy(node.input(0), ScalarCode::Eq);
        if (!test) return declined("the condition is no comparison with 0", ownerOf(node.input(0)));
        for (std::size_t k = 0; k < 2; ++k)
            if (isConstantOf(test->input(k), 0) && isDiscrete(test->input(1 - k).dtype()))
                return become(edit, node, elementwise(edit, ScalarCode::Switch, {test->input(1 - k), node.input(2), node.input(1)}));
        return declined("the condition does not compare with 0", test->id());
    });

REWRITE(local_add_neg_to_sub, Phase::Specialize)
    .why("x + (-y) is x - y: one operation less")
    .example("x + (-y)", "x - y")
    .nearMiss("x + y")
    .at(30) // after the signs of products have been found
    .match<ScalarCode::Add>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node) || node.inputCount() != 2) return declined("it is no sum of two");
        for (std::size_t k = 2; k-- > 0;) {
            const auto minus = madeBy(node.input(k), ScalarCode::Neg);
            if (!minus || !node.input(k).hasOneClient()) continue;
            return become(edit, node, elementwise(edit, ScalarCode::Sub, {node.input(1 - k), minus->input(0)}));
        }
        return declined("no term is a negation that only it reads");
    });

REWRITE(local_sub_neg_to_add, Phase::Specialize)
    .why("x - (-y) is x + y: one operation less")
    .example("x - (-y)", "x + y")
    .nearMiss("x - y")
    .at(30)
    .match<ScalarCode::Sub>([](const NodeHandle &node, Editor &edit) {
        const auto minus = madeBy(node.input(1), ScalarCode::Neg);
        if (!minus || !elemwiseOf(node)) return declined("the subtrahend is no negation", ownerOf(node.input(1)));
        return become(edit, node, elementwise(edit, ScalarCode::Add, {node.input(0), minus->input(0)}));
    });

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
    .example("log(sqr(x))", "2.0 * log(abs(x))")
    .nearMiss("log(x ** 3)")
    .also({Phase::Specialize})
    .match<ScalarCode::Log>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        std::optional<VarHandle> x;
        double exponent = 2;
        if (const auto square = madeBy(node.input(0), ScalarCode::Sqr)) x = square->input(0);
        if (const auto power = madeBy(node.input(0), ScalarCode::Pow)) {
            const auto value = constantValue(power->input(1));
            // Only even powers are positive for every x.
            if (value && *value != 0 && std::fmod(*value, 2) == 0) {
                x = power->input(0);
                exponent = *value;
            }
        }
        if (!x) return declined("its input is no even power", ownerOf(node.input(0)));
        if (!(x->type() == node.output().type()) || !isFloatType(*x)) return declined("the type would change");
        return become(edit, node,
                      elementwise(edit, ScalarCode::Mul,
                                  {constantLike(edit, *x, exponent), elementwise(edit, ScalarCode::Log, {elementwise(edit, ScalarCode::Abs, {*x})})}));
    });

} // namespace
} // namespace engine
