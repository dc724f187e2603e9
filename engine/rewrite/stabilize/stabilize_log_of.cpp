// Logarithms of what is known to be positive: of products, of choices, to other bases.
#include "engine/rewrite/algebra/factors.h"
#include "engine/rewrite/stabilize/loggable.h"
#include "engine/rewrite/stabilize/logistic.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

bool isPositive(VarHandle v)
{
    if (isLoggable(v)) return true;
    const auto value = constantValue(v);
    return v.isConstant() && value && *value > 0 && std::isfinite(*value);
}

VarHandle logOf(Editor &edit, VarHandle v) { return elementwise(edit, ScalarCode::Log, {v}); }

REWRITE(croton_log_of_positive_factors, Phase::Stabilize)
    .why("a product of exponentials and logistic functions underflows to 0, the sum of their logarithms does not")
    .hurts("a logarithm for each factor")
    .improves("-inf where the product underflows")
    .example("log(sigmoid(x) * sigmoid(y))", "log(sigmoid(x)) + log(sigmoid(y))")
    .example("log(2 * sigmoid(x) / exp(y))", "log(constant([[2.0]], float64)) + log(sigmoid(x)) - log(exp(y))")
    .example("c: lvector; x: dvector; log(inv(switch(c, exp(x), 2.0)))", "c: lvector; x: dvector; -log(switch(c, exp(x), 2.0))")
    .example("log((exp(x) + exp(y)) / 2)", "log(exp(x) + exp(y)) - log(constant([[2.0]], float64))")
    .nearMiss("log(y * sigmoid(x))")
    .tag("croton")
    .match<ScalarCode::Log>([](const NodeHandle &node, Editor &edit) {
        const VarHandle inside = node.input(0);
        if (!elemwiseOf(node) || !isFloatType(inside)) return declined("not a float");
        const ScalarCode code = codeOf(inside.graph(), inside.id());
        if (code != ScalarCode::Mul && code != ScalarCode::TrueDiv && code != ScalarCode::Inv && code != ScalarCode::Sqr)
            return declined("its input is no product", ownerOf(inside));
        Factors factors;
        if (const auto square = madeBy(inside, ScalarCode::Sqr)) factors.above = {square->input(0), square->input(0)};
        else if (const auto inverse = madeBy(inside, ScalarCode::Inv)) factors.take(inverse->input(0), true);
        else factors.take(inside, false);
        if (factors.negative) return declined("it has a sign", ownerOf(inside));
        bool worth = false;
        for (const auto *list : {&factors.above, &factors.below})
            for (const VarHandle &factor : *list) {
                if (!isPositive(factor) || factor.dtype() != inside.dtype()) return declined("a factor may be negative", ownerOf(factor));
                worth |= !factor.isConstant();
            }
        if (!worth) return declined("nothing but constants", ownerOf(inside));
        std::vector<VarHandle> terms;
        for (const VarHandle &factor : factors.above) terms.push_back(logOf(edit, factor));
        std::vector<VarHandle> less;
        for (const VarHandle &factor : factors.below) less.push_back(logOf(edit, factor));
        VarHandle sum = total(edit, terms.empty() ? less : terms, inside);
        if (terms.empty()) sum = elementwise(edit, ScalarCode::Neg, {sum});
        else if (!less.empty()) sum = elementwise(edit, ScalarCode::Sub, {sum, total(edit, less, inside)});
        return become(edit, node, sum, "the logarithm of a product is a sum");
    });

REWRITE(croton_log_of_choice, Phase::Stabilize)
    .why(
        "the logarithm of what a switch chooses is a choice of logarithms, and those of logistic functions and exponentials do not underflow")
    .hurts("both logarithms are computed for every element")
    .improves("-inf where the chosen value rounds to 0, 0 where it rounds to 1")
    .generally("s = switch(c, x, y); log(s)", "switch(c, log(x), log(y))", {"s is of a safe logarithm"})
    .example("c: lvector; x: dvector; log(switch(c, sigmoid(x), 1 - sigmoid(x)))",
             "c: lvector; x: dvector; switch(c, log(sigmoid(x)), log(1 - sigmoid(x)))")
    .example("c: lvector; x: dvector; log(switch(c, exp(x), 2.0))",
             "c: lvector; x: dvector; switch(c, log(exp(x)), log(constant([2.0], float64)))")
    .nearMiss("c: lvector; x: dvector; y: dvector; log(switch(c, x, y))")
    .nearMiss("c: lvector; x: dvector; y: dvector; log(switch(c, sigmoid(x), y))")
    .at(-1) // before what works on each of the logarithms
    .tag("croton");

REWRITE(croton_log_to_other_base, Phase::Stabilize)
    .why("log2 and log10 of a logistic function or an exponential underflow as log does: by way of log they do not")
    .hurts("a logarithm that is divided by another rounds once more than log2 and log10 do")
    .improves("-inf where the value rounds to 0, 0 where it rounds to 1")
    .generally("log2(x)", "1.4426950408889634 * log(x)", {"x is of a safe logarithm"})
    .generally("log10(x)", "0.4342944819032518 * log(x)", {"x is of a safe logarithm"})
    .example("log2(sigmoid(x))", "1.4426950408889634 * log(sigmoid(x))")
    .example("log10(1 - sigmoid(x))", "0.4342944819032518 * log(1 - sigmoid(x))")
    .nearMiss("log2(x)")
    .tag("croton")
    .at(-1);

} // namespace
} // namespace engine
