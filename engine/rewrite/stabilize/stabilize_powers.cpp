// Likelihoods as textbooks write them: products of powers of probabilities, which underflow where their logarithm does not.
#include "engine/rewrite/algebra/canonizer.h"
#include "engine/rewrite/stabilize/loggable.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace engine {
namespace {

// Each base looks at all factors.
constexpr std::size_t kMostPowers = 32;

/// A power of a float, also as a square or a root.
std::optional<NodeHandle> asPower(VarHandle v)
{
    for (const ScalarCode code : {ScalarCode::Pow, ScalarCode::Sqr, ScalarCode::Sqrt})
        if (auto power = madeBy(v, code); power && power->input(0).dtype() == v.dtype()) return power;
    return std::nullopt;
}

REWRITE(croton_log_of_power, Phase::Stabilize)
    .why("a power of a probability underflows to 0, the exponent times the logarithm does not")
    .hurts("where the rewrites of log(p) are excluded, 0 ** 0 gives nan")
    .improves("-inf where the power underflows")
    .infinite("nan for an infinite exponent of a base that rounds to 1")
    .keepsNan("nan ** 0 and 1 ** nan are 1, their logarithm becomes nan")
    .generally("log(p ** y)", "y * log(p)", {"p is of a safe logarithm"})
    .generally("log(sqrt(p))", "0.5 * log(p)", {"p is of a safe logarithm"})
    .example("log(sigmoid(x) ** y)", "y * log(sigmoid(x))")
    .example("log(sqrt(sigmoid(x)))", "0.5 * log(sigmoid(x))")
    .nearMiss("log(x ** y)")
    .tag("croton");

/// May its sums be taken apart? Narrow integers wrap soon, unless they are numbers; wide ones where no power is between 0 and
/// infinity any more.
bool isExponent(VarHandle v)
{
    if (isFloatType(v) || v.dtype() == DType::Int32 || v.dtype() == DType::Int64) return true;
    const CanonTerms terms = canonTerms(v, kSumFamily);
    const auto isSmall = [](VarHandle term) { return std::abs(constantValue(term).value_or(100)) < 10; };
    return terms.above.size() + terms.below.size() < 8 && std::all_of(terms.above.begin(), terms.above.end(), isSmall) &&
           std::all_of(terms.below.begin(), terms.below.end(), isSmall);
}

/// A sum of exponents as numbers of times that each variable is in it. No products are looked into.
struct ExponentSum {
    std::map<VarId, double> times;
    double constant = 0;
    std::size_t powers = 0; ///< the base itself is one, too

    void add(const NodeHandle &power, double sign)
    {
        if (power.inputCount() == 1) constant += elemwiseOf(power)->is(ScalarCode::Sqr) ? 2 * sign : 0.5 * sign;
        else add(power.input(1), sign);
    }
    void add(VarHandle exponent, double sign)
    {
        const CanonTerms terms = canonTerms(exponent, kSumFamily);
        for (const auto &[list, factor] : {std::pair{&terms.above, sign}, std::pair{&terms.below, -sign}})
            for (const VarHandle &term : *list) {
                if (const auto value = constantValue(term)) constant += factor * *value;
                else times[term.id()] += factor;
            }
    }
    bool isKnown() const
    {
        for (const auto &[variable, count] : times)
            if (count != 0) return false;
        return std::abs(constant) <= 2 && std::floor(constant) == constant;
    }
    /// Is the base there less often without them?
    bool isSimpler() const { return isKnown() && powers >= 2 && (!times.empty() || std::abs(constant) < static_cast<double>(powers)); }
};

/// Is a factor a power, looking through three products and quotients?
bool holdsPower(VarHandle v, int depth = 0)
{
    if (asPower(v)) return true;
    if (depth == 3) return false;
    for (const ScalarCode code : {ScalarCode::Mul, ScalarCode::TrueDiv, ScalarCode::Neg})
        if (const auto node = madeBy(v, code)) {
            for (std::size_t i = 0; i < node->inputCount(); ++i)
                if (holdsPower(node->input(i), depth + 1)) return true;
            return false;
        }
    return false;
}

/// Takes the powers of `base` out of a product, for its first or second power or none, where that is what they come to.
bool cancelPowers(CanonTerms &product, VarHandle base)
{
    ExponentSum sum;
    CanonTerms rest;
    for (const auto &[from, to, sign] : {std::tuple{&product.above, &rest.above, 1.0}, std::tuple{&product.below, &rest.below, -1.0}})
        for (const VarHandle &factor : *from) {
            const auto power = asPower(factor);
            const bool isPower = power && power->input(0) == base && (power->inputCount() == 1 || isExponent(power->input(1)));
            sum.powers += isPower || factor == base;
            if (factor == base) sum.constant += sign;
            else if (isPower) sum.add(*power, sign);
            else to->push_back(factor);
        }
    if (!sum.isSimpler()) return false;
    std::vector<VarHandle> &side = sum.constant < 0 ? rest.below : rest.above;
    side.insert(side.end(), static_cast<std::size_t>(std::abs(sum.constant)), base);
    product = std::move(rest);
    return true;
}

REWRITE(croton_powers_that_cancel, Phase::Canonicalize)
    .why("p ** (y - 1) / p ** y is 1 / p, also where both are 0: so the gradient of a likelihood is written")
    .hurts("takes time on long products; rounds a little differently")
    .dropsNan("0 / 0 where both powers underflow, and exponents that are nan or infinite")
    .example("exp(x) ** (y - 1) / exp(x) ** y", "1 / exp(x)")
    .example("y * sigmoid(x) ** (y - 1) * sigmoid(x) / sigmoid(x) ** y", "y")
    .example("t: lvector; x: dvector; exp(x) ** (t - 1) / exp(x) ** t", "t: lvector; x: dvector; 1 / exp(x)")
    .example("sigmoid(x) ** 2 / sigmoid(x) ** 3", "1 / sigmoid(x)")
    .example("y * exp(x) / sqr(exp(x))", "y / exp(x)")
    .nearMiss("x ** (y - 1) / x ** y")
    .nearMiss("y * sigmoid(x) ** 3 / x ** 2")
    .nearMiss("t: bvector; x: dvector; exp(x) ** (t - 1) / exp(x) ** t")
    .nearMiss("exp(x) ** (y - 1) / exp(x) ** z")
    .also({Phase::Stabilize})
    .at(9) // before the factors go into sums
    .tag("croton")
    .match<ScalarCode::Mul, ScalarCode::TrueDiv>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a product of floats");
        if (isInsideFamily(out, kProductFamily)) return declined("a reader belongs to the same product: it is treated there");
        // A look before the product is opened: most have no power.
        if (!holdsPower(out)) return declined("no factor is a power");
        CanonTerms product = canonTerms(out, kProductFamily);
        if (product.above.size() + product.below.size() > kMostPowers) return declined("too many factors");
        for (const auto *list : {&product.above, &product.below})
            for (const VarHandle &factor : *list) {
                const auto power = asPower(factor);
                if (!power || !isLoggable(power->input(0)) || !cancelPowers(product, power->input(0))) continue;
                return become(edit, node, buildTerms(edit, product, kProductFamily, out), "the exponents come to a number");
            }
        return declined("no powers of one positive base cancel");
    });

} // namespace
} // namespace engine
