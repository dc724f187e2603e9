// Terms that differ by a sigmoid, as gradients of hand-written logistic functions have them.
#include "engine/rewrite/algebra/factors.h"
#include "engine/rewrite/stabilize/logistic.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

/// Is a sigmoid among the factors of the terms? A look before they are opened: most sums have none.
bool holdsSigmoid(const FunctionGraph &graph, VarId v, int sums, int products, int &looks)
{
    if (--looks < 0) return false;
    const ScalarCode code = codeOf(graph, v);
    if (code == ScalarCode::Sigmoid) return true;
    const bool isSum = code == ScalarCode::Add || code == ScalarCode::Sub;
    if (isSum ? sums == 0 : products == 0 || !(code == ScalarCode::Mul || code == ScalarCode::TrueDiv || code == ScalarCode::Neg))
        return false;
    for (const Use &use : graph.apply(graph.var(v).owner).inputs)
        if (holdsSigmoid(graph, use.var, isSum ? sums - 1 : sums, isSum ? products : products - 1, looks)) return true;
    return false;
}

// Every term is held against every other one; long sums are left alone, or big gradients would take quadratic time.
constexpr std::size_t kMostTerms = 32;

/// The terms with two of them, a and -a·sigmoid(x), made one; nothing if there are no such two.
std::optional<VarHandle> joined(Editor &edit, std::span<const VarHandle> terms, bool isSub, VarHandle out, bool &hasSigmoid)
{
    ShortList<char, 16> above, below; // has this term a sigmoid above, below the line?
    hasSigmoid = false;
    for (const VarHandle &term : terms) {
        Factors factors;
        factors.take(term, false);
        const auto isSigmoid = [](const VarHandle &factor) { return sigmoidOf(factor).has_value(); };
        above.push_back(std::any_of(factors.above.begin(), factors.above.end(), isSigmoid));
        below.push_back(std::any_of(factors.below.begin(), factors.below.end(), isSigmoid));
        hasSigmoid |= above.back() || below.back();
    }
    if (!hasSigmoid) return std::nullopt;
    for (std::size_t i = 0; i < terms.size(); ++i)
        for (std::size_t k = isSub ? 1 - i : 0; k < (isSub ? 2 - i : terms.size()); ++k) {
            if (i == k || !(above[k] || below[i]) || !(terms[k].type() == out.type())) continue;
            Factors ratio;
            ratio.take(terms[k], false);
            ratio.take(terms[i], true);
            double constant = ratio.negative ? -1 : 1;
            const auto gather = [&](std::vector<VarHandle> &list, bool isBelow) {
                std::erase_if(list, [&](const VarHandle &factor) {
                    const auto value = factor.isConstant() ? constantValue(factor) : std::nullopt;
                    if (value) constant = isBelow ? constant / *value : constant * *value;
                    return value.has_value();
                });
            };
            gather(ratio.above, false);
            gather(ratio.below, true);
            if (!ratio.below.empty() || ratio.above.size() != 1 || std::fabs(constant - (isSub ? 1 : -1)) > 1e-15) continue;
            const auto x = sigmoidOf(ratio.above[0]);
            if (!x || !(terms[i].type() == out.type() || x->type() == out.type())) continue;
            Factors left;
            left.take(terms[i], false);
            // 1 - sigmoid(x) = sigmoid(-x), which may stand below the line already.
            const auto twin = std::find_if(left.below.begin(), left.below.end(), [&](const VarHandle &factor) {
                const auto other = sigmoidOf(factor);
                return other && areOpposite(*other, *x);
            });
            if (twin != left.below.end()) {
                left.below.erase(twin);
            } else {
                left.above.push_back(sigmoid(edit, negated(edit, *x)));
            }
            const bool isNegative = left.negative != (isSub && i == 1);
            std::vector<VarHandle> rest;
            for (std::size_t other = 0; other < terms.size(); ++other)
                if (other != i && other != k) rest.push_back(terms[other]);
            rest.push_back(quotientAs(edit, left.above, left.below, isNegative, out));
            return total(edit, rest, out);
        }
    return std::nullopt;
}

REWRITE(croton_sigmoid_of_terms, Phase::Stabilize)
    .why("a - a * sigmoid(x) cancels, and is inf - inf where a has 1 - sigmoid(x) below the line; a * sigmoid(-x) does neither")
    .hurts("a second sigmoid where the first is needed, too")
    .improves("inf - inf and cancelled digits")
    .example("y - y * sigmoid(x)", "y * sigmoid(-x)")
    .example("y / sigmoid(-x) + -(y * sigmoid(x) / sigmoid(-x))", "y")
    .example("(y + z) + -((y + z) * sigmoid(x))", "(y + z) * sigmoid(-x)")
    .example("sigmoid(x) - 1", "-sigmoid(-x)")
    .example("2.5 - 2.5 * sigmoid(x)", "2.5 * sigmoid(-x)")
    .nearMiss("2.5 - 2 * sigmoid(x)")
    .nearMiss("y - z * sigmoid(x)")
    .also({Phase::Useless, Phase::Canonicalize})
    .tag("croton")
    .match<ScalarCode::Add, ScalarCode::Sub>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a sum of floats");
        const bool isSub = elemwiseOf(node)->is(ScalarCode::Sub);
        if (node.inputCount() > kMostTerms) return declined("the sum is too long");
        int looks = 32;
        if (!holdsSigmoid(out.graph(), out.id(), 2, 4, looks)) return declined("no term has a factor sigmoid(x)");
        ShortList<VarHandle, 16> terms;
        const auto inputs = node.inputs();
        if (isSub) terms.assign(inputs.begin(), inputs.end());
        else terms = addendsOf(out);
        if (terms.size() > kMostTerms) return declined("the sum is too long");
        bool hasSigmoid = false;
        std::optional<VarHandle> after = joined(edit, terms, isSub, out, hasSigmoid);
        // A term may be a sum itself, which stands in the other one as a whole.
        if (!after && hasSigmoid && terms.size() != node.inputCount()) after = joined(edit, inputs, isSub, out, hasSigmoid);
        if (after) return become(edit, node, *after, "a - a * sigmoid(x) = a * sigmoid(-x)");
        return declined("no term is another one times a sigmoid");
    });

} // namespace
} // namespace engine
