// The cheapest form of each sum, product, quotient and power.
#include "engine/rewrite/algebra/canonizer.h"
#include "engine/rewrite/machine/build.h"

#include <cmath>
#include <unordered_map>

namespace engine {
namespace {

REWRITE(local_mul_specialize, Phase::Specialize)
    .why("factors of 1 go, -1 becomes a sign, signs cancel")
    .hurts("0 * nan and 0 * inf are nan in IEEE arithmetic")
    .example("-1 * x", "-x")
    .example("mul(-x, y, -1)", "x * y")
    .nearMiss("2 * x")
    .match<ScalarCode::Mul>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        const VarHandle out = node.output();
        if (isDiscrete(out.dtype()) && !isSignedInteger(out.dtype())) return declined("unsigned values have no sign");
        bool negative = false;
        std::size_t ones = 0, minuses = 0;
        std::vector<VarHandle> factors;
        for (const VarHandle &factor : node.inputs()) {
            VarHandle value = factor;
            if (const auto minus = madeBy(factor, ScalarCode::Neg)) {
                negative = !negative;
                ++minuses;
                value = minus->input(0);
            }
            const std::optional<double> constant = constantValue(value);
            if (constant && *constant == 1) {
                ++ones;
            } else if (constant && *constant == -1) {
                ++ones;
                negative = !negative;
            } else if (constant && *constant == 0) {
                return become(edit, node, constantLike(edit, out, 0));
            } else {
                factors.push_back(value);
            }
        }
        if (ones == 0 && minuses == 0) return declined("no factor is 1, -1, 0 or a negation");
        if (factors.empty()) return become(edit, node, constantLike(edit, out, negative ? -1 : 1));
        if (factors.size() == 1) {
            VarHandle after = factors[0];
            if (!(after.dtype() == out.dtype())) after = castTo(edit, after, out.dtype());
            if (negative) after = elementwise(edit, ScalarCode::Neg, {after});
            return become(edit, node, after);
        }
        if (negative) {
            const auto number = isFloatType(out) ? std::find_if(factors.begin(), factors.end(), isGatherable) : factors.end();
            if (number != factors.end()) *number = padLeft(edit, constantLike(edit, out.dtype(), 0, -*constantValue(*number)), out.rank());
            else factors.insert(factors.begin(), constantLike(edit, out, -1));
        }
        // A sign that stays needs the constant -1: no gain if that was all.
        if (factors.size() == node.inputCount() && minuses == 0) return declined("the factor -1 stays: a negation would be a node more");
        return become(edit, node, elementwise(edit, scalarOp(ScalarCode::Mul), factors));
    });

// What stabilizing and specializing put into each other. Terms that others read as well stay theirs.
RewriteResult gatherConstants(const NodeHandle &node, Editor &edit, const TermFamily &family)
{
    const VarHandle out = node.output();
    if (!elemwiseOf(node)) return declined("it works in place already");
    if (isComplex(out.dtype()) || out.dtype() == DType::Bool) return declined("complex and bool values keep their order");
    CanonTerms terms;
    std::size_t constants = 0;
    std::vector<VarHandle> waiting = node.inputs();
    std::reverse(waiting.begin(), waiting.end());
    while (!waiting.empty()) {
        const VarHandle term = waiting.back();
        waiting.pop_back();
        const auto inner = term.hasOneClient() && term.dtype() == out.dtype() ? madeBy(term, family.main) : std::nullopt;
        const std::vector<VarHandle> parts = inner ? inner->inputs() : std::vector<VarHandle>();
        if (std::any_of(parts.begin(), parts.end(), isGatherable)) {
            waiting.insert(waiting.end(), parts.rbegin(), parts.rend());
        } else {
            terms.above.push_back(term);
            constants += isGatherable(term);
        }
    }
    if (constants < 2) return declined("no two constants meet in it");
    if (!simplifyTerms(edit, terms, family, out)) return declined("it has nothing but constants");
    return become(edit, node, buildTerms(edit, terms, family, out));
}

REWRITE(croton_gather_factors, Phase::Specialize)
    .why("3 * (0.5 * x) is one product: a constant less")
    .hurts("rounds a little differently")
    .example("3 * (0.5 * x)", "1.5 * x")
    .nearMiss("3 * (x * y)")
    .tag("croton")
    .match<ScalarCode::Mul>([](const NodeHandle &node, Editor &edit) { return gatherConstants(node, edit, kProductFamily); });

REWRITE(croton_gather_terms, Phase::Specialize)
    .why("3 + (0.5 + x) is one sum: a constant less")
    .hurts("rounds a little differently")
    .example("3 + (0.5 + x)", "3.5 + x")
    .nearMiss("3 + (x + y)")
    .tag("croton")
    .match<ScalarCode::Add>([](const NodeHandle &node, Editor &edit) { return gatherConstants(node, edit, kSumFamily); });

REWRITE(local_add_specialize, Phase::Specialize)
    .why("terms of 0 go")
    .hurts("-0.0 + 0.0 was 0.0")
    .turns("x + 0", "x", {"x takes the rest"})
    .asWritten()
    .complexToo()
    .example("add(x, 0, z)", "x + z")
    .nearMiss("x + 1");

REWRITE(local_sub_specialize, Phase::Specialize)
    .why("x - 0 is x and 0 - x is -x")
    .hurts("0 - 0 was 0.0, -0 is -0.0")
    .turns("x - 0", "x")
    .turns("0 - x", "-x", {"x is float"})
    .asWritten()
    .complexToo()
    .nearMiss("x - 1")
    .tag("croton");

REWRITE(local_neg_neg, Phase::Canonicalize)
    .why("two signs cancel")
    .turns("-(-x)", "x")
    .asWritten()
    .complexToo()
    .nearMiss("-x + y")
    .also({Phase::Stabilize, Phase::Specialize})
    .at(-1);

REWRITE(local_neg_div_neg, Phase::Specialize)
    .why("-(-a / b) is a / b, and -(c / b) is (-c) / b")
    .turns("q = (-x) / y; -q", "x / y", {"q has no other client"})
    .generally("q = c / y; -q", "(-c) / y", {"q has no other client", "c is a constant", "c is a number"})
    .asWritten()
    .example("-(2.0 / y)", "(-2.0) / y")
    .nearMiss("-(x / y)");

REWRITE(local_mul_to_sqr, Phase::Specialize)
    .why("x * x is sqr(x): one argument to read")
    .turns("x * x", "sqr(x)")
    .complexToo()
    .nearMiss("x * y");

REWRITE(local_div_to_inv, Phase::Specialize)
    .why("1 / x is inv(x): one argument to read")
    .turns("1 / x", "inv(x)", {"x is float"})
    .asWritten()
    .nearMiss("2 / x");

/// x^exponent by cheap functions, or nothing.
std::optional<VarHandle> smallPower(Editor &edit, VarHandle x, double exponent)
{
    const auto call = [&](ScalarCode code, VarHandle v) { return elementwise(edit, code, {v}); };
    if (exponent == 2) return call(ScalarCode::Sqr, x);
    if (exponent == 1) return x;
    if (exponent == 0) return fillLike(edit, x, constantLike(edit, x, 1));
    if (exponent == 0.5) return call(ScalarCode::Sqrt, x);
    if (exponent == -0.5) return call(ScalarCode::Inv, call(ScalarCode::Sqrt, x));
    if (exponent == -1) return call(ScalarCode::Inv, x);
    if (exponent == -2) return call(ScalarCode::Inv, call(ScalarCode::Sqr, x));
    return std::nullopt;
}

REWRITE(local_pow_specialize, Phase::Specialize)
    .why("small constant powers are squares, roots and reciprocals: ten times cheaper than pow")
    .hurts(
        "pow(-0.0, 0.5) is 0.0, sqrt(-0.0) is -0.0; the square of an x beyond 1e154 (1e19 in float32) overflows, so that x ** -2 is 0 there")
    .infinite("the root of -inf and -0 is that of sqrt(), not of pow()")
    .turns("x ** 2", "sqr(x)")
    .turns("x ** 1", "x")
    .turns("x ** 0", "fill(x, 1.0)")
    .turns("x ** 0.5", "sqrt(x)", {"the result is not an integer"})
    .turns("x ** (-0.5)", "inv(sqrt(x))", {"the result is not an integer"})
    .turns("x ** -1", "inv(x)", {"the result is not an integer"})
    .turns("x ** -2", "inv(sqr(x))", {"the result is not an integer"})
    .complexToo()
    .nearMiss("x ** 3");

REWRITE(local_pow_specialize_device, Phase::Device)
    .pass("specialize_device")
    .why("whole powers by repeated squaring: a few multiplications instead of pow")
    .hurts("rounds a little differently from pow: by up to 6 units of the last digit")
    .example("x ** 10", "y = sqr(x); composite(sqr(sqr(y)) * y)")
    .nearMiss("x ** 2.7")
    .nearMiss("x ** 17")
    .match<ScalarCode::Pow>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        const std::optional<double> exponent = constantValue(node.input(1));
        if (!exponent) return declined("the exponent is not a constant", ownerOf(node.input(1)));
        const double size = std::fabs(*exponent);
        if (size != std::floor(size) || size > 512) return declined("the exponent is no whole number up to 512");
        const DType dtype = node.output().dtype();
        if (isDiscrete(dtype) && *exponent < 0) return declined("integers have no reciprocals");
        // Half a unit of the last digit is lost for each factor but one; pow loses 1.25 in all. Narrow floats are multiplied as float64.
        const bool isLong = isFloat(dtype) && size > 10;
        if (isLong && dtype == DType::Float64) return declined("repeated squaring would lose more digits than pow");
        VarHandle x = node.input(0);
        if (x.dtype() != dtype) x = castTo(edit, x, dtype);
        if (const auto small = smallPower(edit, x, *exponent)) return become(edit, node, *small);
        ScalarBody body;
        body.inputCount = 1;
        body.inputTypes = {dtype};
        const DType wide = isLong ? DType::Float64 : dtype;
        const auto call = [&](ScalarOpPtr function, std::vector<std::uint32_t> arguments, DType type) {
            body.instructions.push_back({std::move(function), std::move(arguments), type, 0});
            return static_cast<std::uint32_t>(body.instructions.size());
        };
        const auto emit = [&](ScalarCode code, std::vector<std::uint32_t> arguments) {
            return call(scalarOp(code), std::move(arguments), wide);
        };
        auto bits = static_cast<unsigned>(size);
        std::vector<std::uint32_t> factors;
        std::uint32_t power = isLong ? call(castOp(wide), {0}, wide) : 0;
        for (; bits; bits >>= 1) {
            if (bits & 1u) factors.push_back(power);
            if (bits > 1) power = emit(ScalarCode::Sqr, {power});
        }
        std::uint32_t result = factors[0];
        if (factors.size() > 1) {
            std::reverse(factors.begin(), factors.end());
            result = emit(ScalarCode::Mul, factors);
        }
        if (*exponent < 0) result = emit(ScalarCode::Inv, {result});
        if (isLong) result = call(castOp(dtype), {result}, dtype);
        body.outputs = {result};
        return become(edit, node, edit.make(elemwise(compositeOp(std::move(body))), {x}));
    });

REWRITE(local_abs_merge, Phase::Specialize)
    .why("|x|·|y| takes one absolute value: |x·y|")
    .example("abs(x) * abs(y)", "abs(x * y)")
    .example("abs(x) / abs(y)", "abs(x / y)")
    .nearMiss("abs(x) * y")
    .match<ScalarCode::Mul, ScalarCode::TrueDiv>([](const NodeHandle &node, Editor &edit) {
        const Elemwise *op = elemwiseOf(node);
        if (!op || node.inputCount() < 2) return declined("it has one argument");
        std::vector<VarHandle> inside;
        for (const VarHandle &input : node.inputs()) {
            if (const auto absolute = madeBy(input, ScalarCode::Abs)) {
                inside.push_back(absolute->input(0));
            } else if (const auto value = constantValue(input); value && *value >= 0 && input.isConstant()) {
                inside.push_back(input);
            } else {
                return declined("an argument is no absolute value", ownerOf(input));
            }
        }
        std::size_t absolutes = 0;
        for (const VarHandle &input : node.inputs()) absolutes += madeBy(input, ScalarCode::Abs).has_value();
        if (absolutes < 2) return declined("only one argument is an absolute value");
        return become(edit, node, elementwise(edit, ScalarCode::Abs, {elementwise(edit, op->scalar(), inside)}));
    });

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

} // namespace
} // namespace engine
