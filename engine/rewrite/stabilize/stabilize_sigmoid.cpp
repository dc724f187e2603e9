// The logistic function and softplus, found in the forms in which people write them.
#include "engine/rewrite/algebra/factors.h"
#include "engine/rewrite/machine/predicates.h"
#include "engine/rewrite/stabilize/logistic.h"

namespace engine {
namespace {

/// Factors of a product tree that only it reads; a neg counts as the factor -1.
void collectFactors(VarHandle v, DType dtype, std::vector<VarHandle> &factors, bool &negative)
{
    const auto opens = [&](const Part &part, ScalarCode code, std::size_t) {
        return part.depth < 32 && part.var.dtype() == dtype && (code == ScalarCode::Mul || code == ScalarCode::Neg) &&
               (part.depth == 0 || part.var.hasOneClient());
    };
    negative ^= openTerms(v, kProductFamily, false, opens, [&](const Part &part) { factors.push_back(part.var); });
}

REWRITE(local_exp_over_1_plus_exp, Phase::Stabilize)
    .why("exp(x) / (1 + exp(x)) is inf / inf for large x; the logistic function is 1 there")
    .improves("inf / inf above 709")
    .example("exp(x) / (1 + exp(x))", "sigmoid(x)")
    .example("y / (1 + exp(x))", "y * sigmoid(-x)")
    .nearMiss("exp(x) / (2 + exp(x))")
    .match<ScalarCode::TrueDiv>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a quotient of floats");
        std::vector<VarHandle> below, above;
        bool negative = false;
        const auto collectOwn = [&](VarHandle v, std::vector<VarHandle> &factors) {
            if (v.hasOneClient()) collectFactors(v, out.dtype(), factors, negative);
            else factors.push_back(v);
        };
        collectOwn(node.input(1), below);
        std::vector<VarHandle> exponents; // of 1 + exp(x) factors
        std::erase_if(below, [&](const VarHandle &factor) {
            const auto x = onePlusExp(factor);
            if (x) exponents.push_back(*x);
            return x.has_value();
        });
        if (exponents.empty()) return declined("no factor of the denominator is 1 + exp(x)", ownerOf(node.input(1)));
        collectOwn(node.input(0), above);
        std::erase_if(above, [](VarHandle factor) { return isSingle(factor) && isConstantOf(factor, 1); });
        for (const VarHandle &x : exponents) {
            bool matched = false;
            for (VarHandle &factor : above) {
                const auto e = exponentOf(factor);
                if (!e || !(*e == x)) continue;
                factor = sigmoid(edit, x);
                matched = true;
                break;
            }
            if (!matched) above.push_back(sigmoid(edit, negated(edit, x)));
        }
        return become(edit, node, quotientAs(edit, above, below, negative, out), "exp(x) / (1 + exp(x)) = sigmoid(x)");
    });

REWRITE(local_inv_1_plus_exp, Phase::Stabilize)
    .why("1 / (1 + exp(x)) is the logistic function of -x")
    .turns("inv(1 + exp(x))", "sigmoid(-x)")
    .nearMiss("inv(2 + exp(x))")
    .also({Phase::Specialize});

REWRITE(local_1msigmoid, Phase::Stabilize)
    .why("1 - sigmoid(x) cancels to 0 for x above 37; sigmoid(-x) keeps its digits")
    .hurts("a second sigmoid where the first is needed, too")
    .turns("1 - sigmoid(x)", "sigmoid(-x)")
    .nearMiss("2 - sigmoid(x)");

REWRITE(local_sigm_times_exp, Phase::Stabilize)
    .why("exp(x) * sigmoid(-x) is inf * 0 for large x; it is sigmoid(x)")
    .improves("inf times 0 above 709")
    .example("exp(x) * sigmoid(-x)", "sigmoid(x)")
    .nearMiss("exp(x) * sigmoid(x)")
    .match<ScalarCode::Mul>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a product of floats");
        std::vector<VarHandle> factors;
        bool negative = false;
        collectFactors(out, out.dtype(), factors, negative);
        const auto areOpposite = [](VarHandle a, VarHandle b) {
            if (const auto minus = madeBy(a, ScalarCode::Neg); minus && minus->input(0) == b) return true;
            if (const auto minus = madeBy(b, ScalarCode::Neg); minus && minus->input(0) == a) return true;
            for (auto [x, y] : {std::pair(a, b), std::pair(b, a)})
                if (const auto times = madeBy(x, ScalarCode::Mul); times && times->inputCount() == 2)
                    for (std::size_t k = 0; k < 2; ++k)
                        if (isConstantOf(times->input(k), -1) && times->input(1 - k) == y) return true;
            return false;
        };
        bool changed = false;
        for (std::size_t e = 0; e < factors.size(); ++e) {
            const auto x = exponentOf(factors[e]);
            if (!x) continue;
            for (std::size_t s = 0; s < factors.size(); ++s) {
                const auto sigma = madeBy(factors[s], ScalarCode::Sigmoid);
                if (!sigma || !areOpposite(sigma->input(0), *x)) continue;
                factors[s] = sigmoid(edit, *x);
                factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(e));
                changed = true;
                break;
            }
            if (changed) break;
        }
        if (!changed) return declined("no pair of exp(x) and sigmoid(-x) among the factors");
        VarHandle result = product(edit, factors, out);
        if (negative) result = elementwise(edit, ScalarCode::Neg, {result});
        return become(edit, node, result, "exp(x) * sigmoid(-x) = sigmoid(x)");
    });

REWRITE(logsigm_to_softplus, Phase::Stabilize)
    .why("log(sigmoid(x)) is -inf for x below -745; -softplus(-x) is x there")
    .turns("log(sigmoid(x))", "-softplus(-x)")
    .nearMiss("log(tanh(x))");

REWRITE(log1msigm_to_softplus, Phase::Stabilize)
    .why("log(1 - sigmoid(x)) is -inf for x above 37; -softplus(x) is -x there")
    .turns("log(1 - sigmoid(x))", "-softplus(x)")
    .nearMiss("log(3 - sigmoid(x))")
    .at(-1); // before log(1 - x) becomes log1p

REWRITE(log1pexp_to_softplus, Phase::Stabilize)
    .why("log1p(exp(x)) overflows for large x; softplus(x) is x there")
    .turns("log1p(exp(x))", "softplus(x)")
    .example("log(1 + exp(x))", "softplus(x)")
    .with({"local_log1p"})
    .nearMiss("log1p(sin(x))");

REWRITE(log1p_neg_sigmoid, Phase::Stabilize)
    .why("log1p(-sigmoid(x)) is -inf for x above 37; -softplus(x) is -x there")
    .turns("log1p(-sigmoid(x))", "-softplus(x)")
    .nearMiss("log1p(sigmoid(x))");

REWRITE(croton_softplus_difference, Phase::Stabilize)
    .why("softplus(x) - softplus(-x) is x")
    .turns("softplus(x) - softplus(-x)", "x")
    .example("softplus(x) - softplus(-x) + y", "x + y")
    .nearMiss("softplus(x) - softplus(-y)")
    .also({Phase::Specialize})
    .tag("croton")
    .at(2);

REWRITE(local_ultra_fast_sigmoid, Phase::Uncanonicalize)
    .why("a piecewise approximation of the logistic function: no exp at all")
    .hurts("differs from the logistic function by up to 0.03")
    .dropsNan("it is clipped")
    .turns("sigmoid(x)", "ultra_fast_sigmoid(x)")
    .nearMiss("tanh(x)")
    .off()
    .tag("approximate");

REWRITE(local_hard_sigmoid, Phase::Uncanonicalize)
    .why("three straight lines instead of the logistic function")
    .hurts("differs from the logistic function by up to 0.06")
    .turns("sigmoid(x)", "clip(0.2 * x + 0.5, 0.0, 1.0)")
    .nearMiss("tanh(x)")
    .off()
    .tag("approximate");

} // namespace
} // namespace engine
