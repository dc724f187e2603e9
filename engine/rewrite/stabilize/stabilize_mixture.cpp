// Mixtures of both answers of a logistic function, y * sigmoid(x) + (1 - y) * sigmoid(-x): likelihoods that are written without a choice.
#include "engine/rewrite/algebra/factors.h"
#include "engine/rewrite/stabilize/logistic.h"

#include <algorithm>

namespace engine {
namespace {

/// A product with one factor sigmoid(x) above the line.
struct Term {
    VarHandle x;
    Factors rest;
};

std::optional<Term> termOf(VarHandle v)
{
    Factors factors;
    factors.take(v, false);
    const auto place =
        std::find_if(factors.above.begin(), factors.above.end(), [](const VarHandle &one) { return sigmoidOf(one).has_value(); });
    if (place == factors.above.end()) return std::nullopt;
    const VarHandle x = *sigmoidOf(*place);
    factors.above.erase(place);
    return Term{x, std::move(factors)};
}

/// yes · sigmoid(x) + no · sigmoid(−x)
struct Mixture {
    Term yes, no;
};

std::optional<Mixture> mixtureOf(VarHandle v)
{
    const auto sum = madeBy(v, ScalarCode::Add);
    if (!sum || sum->inputCount() != 2 || !isFloatType(v)) return std::nullopt;
    auto yes = termOf(sum->input(0)), no = termOf(sum->input(1));
    if (!yes || !no || !areOpposite(yes->x, no->x)) return std::nullopt;
    return Mixture{std::move(*yes), std::move(*no)};
}

/// It is sigmoid(size) · (near + far · exp(−size)), size = |x|.
struct Sides {
    VarHandle less; ///< −|x|
    VarHandle near, far;
    VarHandle isFarAlone;
    VarHandle inside; ///< near + far · exp(−size)
};

Sides sidesOf(Editor &edit, const Mixture &mixture, VarHandle like)
{
    const VarHandle x = asFloat(edit, mixture.yes.x);
    const auto factor = [&](const Factors &rest) { return quotientAs(edit, rest.above, rest.below, rest.negative, like); };
    const VarHandle yes = factor(mixture.yes.rest), no = factor(mixture.no.rest);
    const VarHandle isUp = elementwise(edit, ScalarCode::Ge, {x, constantLike(edit, x, 0)});
    const VarHandle less = elementwise(edit, ScalarCode::Neg, {elementwise(edit, ScalarCode::Abs, {x})});
    const VarHandle near = elementwise(edit, ScalarCode::Switch, {isUp, yes, no}),
                    far = elementwise(edit, ScalarCode::Switch, {isUp, no, yes});
    const VarHandle inside =
        elementwise(edit, ScalarCode::Add, {near, elementwise(edit, ScalarCode::Mul, {far, elementwise(edit, ScalarCode::Exp, {less})})});
    return {less, near, far, elementwise(edit, ScalarCode::Eq, {near, constantLike(edit, near, 0)}), inside};
}

REWRITE(croton_log_of_sigmoid_mixture, Phase::Stabilize)
    .why("where only the smaller of two opposite sigmoids counts, it underflows to 0 before the logarithm; |x| does not")
    .hurts("a choice and a logarithm more than what is written")
    .improves("-inf where the sigmoid that counts underflows")
    .example("log(y * sigmoid(x) + z * sigmoid(-x))", "s = -abs(x); a = switch(x >= 0.0, y, z); b = switch(x >= 0.0, z, y); "
                                                      "switch(eq(a, 0.0), log(b) + s, log(a + b * exp(s))) - softplus(s)")
    .nearMiss("log(y * sigmoid(x) + z * sigmoid(x))")
    .nearMiss("log(y * sigmoid(x) + z)")
    .tag("croton")
    .match<ScalarCode::Log>([](const NodeHandle &node, Editor &edit) {
        const VarHandle inside = node.input(0);
        if (!elemwiseOf(node) || !isFloatType(inside)) return declined("not a float");
        const auto mixture = mixtureOf(inside);
        if (!mixture) return declined("its input is no sum of two opposite sigmoids with factors", ownerOf(inside));
        const Sides sides = sidesOf(edit, *mixture, inside);
        const VarHandle alone = elementwise(edit, ScalarCode::Add, {elementwise(edit, ScalarCode::Log, {sides.far}), sides.less});
        const VarHandle choice =
            elementwise(edit, ScalarCode::Switch, {sides.isFarAlone, alone, elementwise(edit, ScalarCode::Log, {sides.inside})});
        return become(edit, node, elementwise(edit, ScalarCode::Sub, {choice, softplus(edit, sides.less)}),
                      "the larger sigmoid is taken out");
    });

/// `v`, or what it is a cast of: labels that are integers make the rest wider than the sigmoids.
VarHandle withoutCast(VarHandle v)
{
    const auto cast = madeBy(v, ScalarCode::Cast);
    return cast && isFloatType(cast->input(0)) ? cast->input(0) : v;
}

/// The factors of v, those of casts among them.
Factors factorsThroughCasts(VarHandle v)
{
    Factors factors;
    factors.take(v, false);
    for (int more = 4; more > 0; --more) {
        const auto cast =
            std::find_if(factors.above.begin(), factors.above.end(), [](const VarHandle &one) { return !(withoutCast(one) == one); });
        if (cast == factors.above.end()) break;
        const VarHandle inside = withoutCast(*cast);
        factors.above.erase(cast);
        factors.take(inside, false);
    }
    return factors;
}

/// The terms of a sum, each without the mixture below its line; nothing if it is not below each.
std::optional<std::vector<Factors>> termsOver(VarHandle sum, VarHandle mixture)
{
    std::vector<Factors> terms;
    for (const VarHandle &addend : addendsOf(sum)) {
        Factors &term = terms.emplace_back(factorsThroughCasts(addend));
        const auto place = std::find(term.below.begin(), term.below.end(), mixture);
        if (place == term.below.end()) return std::nullopt;
        term.below.erase(place);
    }
    return terms;
}

/// The mixture of these opposite sigmoids that all of the product is divided by, and the product without it.
struct Divided {
    Mixture mixture;
    Factors rest;
    std::optional<std::vector<Factors>> terms; ///< of a sum that is one more factor of the rest
};

std::optional<Divided> dividedBy(const Factors &rest, VarHandle x)
{
    const auto fits = [&](VarHandle v) {
        auto mixture = mixtureOf(v);
        return mixture && lineOf(mixture->yes.x).isParallel(lineOf(x)) ? mixture : std::nullopt;
    };
    for (std::size_t i = 0; i < rest.below.size(); ++i)
        if (auto mixture = fits(rest.below[i])) {
            Divided found{std::move(*mixture), rest, std::nullopt};
            found.rest.below.erase(found.rest.below.begin() + static_cast<std::ptrdiff_t>(i));
            return found;
        }
    for (std::size_t i = 0; i < rest.above.size(); ++i) {
        const VarHandle sum = withoutCast(rest.above[i]);
        const auto addends = addendsOf(sum);
        if (addends.size() < 2 && sum == rest.above[i]) continue;
        const Factors first = factorsThroughCasts(addends[0]);
        for (const VarHandle &below : first.below)
            if (auto mixture = fits(below))
                if (auto terms = termsOver(sum, below)) {
                    Divided found{std::move(*mixture), rest, std::move(terms)};
                    found.rest.above.erase(found.rest.above.begin() + static_cast<std::ptrdiff_t>(i));
                    return found;
                }
    }
    return std::nullopt;
}

REWRITE(croton_slope_over_sigmoid_mixture, Phase::Stabilize)
    .why("the slope of a sigmoid over a mixture of both answers is 0 / 0 where the sigmoid that counts underflows")
    .hurts("a choice more than what is written")
    .improves("nan where both underflow")
    .example("u * sigmoid(x) * sigmoid(-x) / (y * sigmoid(x) + z * sigmoid(-x))",
             "s = -abs(x); a = switch(x >= 0.0, y, z); b = switch(x >= 0.0, z, y); "
             "u * switch(eq(a, 0.0), sigmoid(abs(x)) / b, sigmoid(s) / (a + b * exp(s)))")
    .nearMiss("u * sigmoid(x) * sigmoid(x) / (y * sigmoid(x) + z * sigmoid(-x))")
    .nearMiss("u * sigmoid(x) * sigmoid(-x) / (y * sigmoid(u) + z * sigmoid(-u))")
    .tag("croton")
    .match<ScalarCode::Mul, ScalarCode::TrueDiv>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        Factors factors;
        if (const char *reason = factors.takeExponential(node)) return declined(reason);
        for (std::size_t i = 0; i < factors.above.size(); ++i) {
            const auto x = sigmoidOf(factors.above[i]);
            if (!x) continue;
            for (std::size_t k = i + 1; k < factors.above.size(); ++k) {
                const auto other = sigmoidOf(factors.above[k]);
                if (!other || !areOpposite(*x, *other)) continue;
                Factors rest = factors;
                rest.above.erase(rest.above.begin() + static_cast<std::ptrdiff_t>(k));
                rest.above.erase(rest.above.begin() + static_cast<std::ptrdiff_t>(i));
                auto divided = dividedBy(rest, *x);
                if (!divided) continue;
                const Sides sides = sidesOf(edit, divided->mixture, out);
                std::vector<VarHandle> above = divided->rest.above;
                if (divided->terms) {
                    std::vector<VarHandle> terms;
                    for (const Factors &term : *divided->terms)
                        terms.push_back(quotientAs(edit, term.above, term.below, term.negative, out));
                    above.push_back(total(edit, terms, out));
                }
                const VarHandle alone = elementwise(edit, ScalarCode::TrueDiv, {sigmoid(edit, negated(edit, sides.less)), sides.far});
                const VarHandle both = elementwise(edit, ScalarCode::TrueDiv, {sigmoid(edit, sides.less), sides.inside});
                above.push_back(elementwise(edit, ScalarCode::Switch, {sides.isFarAlone, alone, both}));
                return become(edit, node, quotientAs(edit, above, divided->rest.below, divided->rest.negative, out),
                              "the larger sigmoid is taken out above and below");
            }
        }
        return declined("no two opposite sigmoids over a mixture of them");
    });

} // namespace
} // namespace engine
