// Terms that differ by a sigmoid, as gradients of hand-written logistic functions have them.
#include "engine/rewrite/factors.h"

#include <algorithm>

namespace engine {
namespace {

std::optional<VarHandle> sigmoidOf(VarHandle v)
{
    if (const auto node = madeBy(v, ScalarCode::Sigmoid)) return node->input(0);
    return std::nullopt;
}

bool isNegative(VarHandle a, VarHandle b)
{
    const auto isMinus = [](VarHandle minus, VarHandle of) {
        const auto node = madeBy(minus, ScalarCode::Neg);
        return node && node->input(0) == of;
    };
    return isMinus(a, b) || isMinus(b, a);
}

// Every term is held against every other one; long sums are left alone, or big gradients would take quadratic time.
constexpr std::size_t kLongest = 32;

/// The terms with two of them, a and -a·sigmoid(x), made one; nothing if there are no such two.
std::optional<VarHandle> joined(Editor &edit, std::span<const VarHandle> terms, bool isSub, VarHandle out, bool &hasSigmoid)
{
    std::vector<char> above, below; // has this term a sigmoid above, below the line?
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
            if (i == k || !(above[k] || below[i]) || !(terms[i].type() == out.type()) || !(terms[k].type() == out.type())) continue;
            Factors ratio;
            ratio.take(terms[k], false);
            ratio.take(terms[i], true);
            if (!ratio.below.empty() || ratio.above.size() != 1 || ratio.negative == isSub) continue;
            const auto x = sigmoidOf(ratio.above[0]);
            if (!x) continue;
            Factors left;
            left.take(terms[i], false);
            // 1 - sigmoid(x) = sigmoid(-x), which may stand below the line already.
            const auto twin = std::find_if(left.below.begin(), left.below.end(), [&](const VarHandle &factor) {
                const auto other = sigmoidOf(factor);
                return other && isNegative(*other, *x);
            });
            if (twin != left.below.end()) {
                left.below.erase(twin);
            } else {
                const auto minus = madeBy(*x, ScalarCode::Neg);
                left.above.push_back(elementwise(edit, ScalarCode::Sigmoid, {minus ? minus->input(0) : elementwise(edit, ScalarCode::Neg, {*x})}));
            }
            VarHandle result = product(edit, left.above, out);
            if (!left.below.empty()) result = elementwise(edit, ScalarCode::TrueDiv, {result, product(edit, left.below, out)});
            if (left.negative != (isSub && i == 1)) result = elementwise(edit, ScalarCode::Neg, {result});
            std::vector<VarHandle> rest;
            for (std::size_t other = 0; other < terms.size(); ++other)
                if (other != i && other != k) rest.push_back(terms[other]);
            rest.push_back(result);
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
    .nearMiss("y - z * sigmoid(x)")
    .tag("croton")
    .match<ScalarCode::Add, ScalarCode::Sub>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a sum of floats");
        const bool isSub = elemwiseOf(node)->is(ScalarCode::Sub);
        if (node.inputCount() > kLongest) return declined("the sum is too long");
        std::vector<VarHandle> terms;
        terms.reserve(16);
        if (isSub) terms = node.inputs();
        else openSum(out, terms);
        if (terms.size() > kLongest) return declined("the sum is too long");
        bool hasSigmoid = false;
        std::optional<VarHandle> after = joined(edit, terms, isSub, out, hasSigmoid);
        // A term may be a sum itself, which stands in the other one as a whole.
        if (!after && hasSigmoid && terms.size() != node.inputCount()) after = joined(edit, node.inputs(), isSub, out, hasSigmoid);
        if (after) return become(edit, node, *after, "a - a * sigmoid(x) = a * sigmoid(-x)");
        return declined("no term is another one times a sigmoid");
    });

} // namespace
} // namespace engine
