// Sums of several exponentials: their logarithm, and quotients over them. Sums along axes alone are local_log_sum_exp's.
#include "engine/rewrite/algebra/factors.h"
#include "engine/rewrite/stabilize/logistic.h"

#include <algorithm>
#include <cmath>

namespace engine {
namespace {

/// exp(x) behind sum(exp(x)) over axes, seen through the axes that keepdims adds.
std::optional<VarHandle> summedExponential(VarHandle v)
{
    if (const auto shuffle = madeBy<DimShuffle>(v)) v = shuffle->input(0);
    const auto sum = madeByReduce(v, ReduceKind::Sum);
    if (!sum || !exponentOf(sum->input(0))) return std::nullopt;
    return sum->input(0);
}

/// The terms of a sum of which each is exp(x), sum(exp(x)) or a positive constant; nothing if it is any other sum, or one of
/// those that are softplus(x) or know their own way.
std::vector<VarHandle> exponentialTerms(VarHandle v)
{
    if (codeOf(v.graph(), v.id()) != ScalarCode::Add) return {};
    // Most sums are told apart by a look at their first terms.
    bool mayBe = false;
    for (const Use &use : v.graph().apply(ownerOf(v)).inputs) {
        const ApplyId owner = v.graph().var(use.var).owner;
        const ScalarCode code = codeOf(v.graph(), use.var);
        mayBe |= code == ScalarCode::Exp || code == ScalarCode::Add ||
                 (owner != kNoApply && (opCast<CAReduce>(v.graph().apply(owner).op) || opCast<DimShuffle>(v.graph().apply(owner).op)));
    }
    if (!mayBe) return {};
    const ShortList<VarHandle, 16> terms = addendsOf(v);
    std::size_t powers = 0, sums = 0, constants = 0;
    for (const VarHandle &term : terms) {
        const auto value = constantValue(term);
        if (value && *value > 0 && std::isfinite(*value)) ++constants;
        else if (const auto x = exponentOf(term); x && x->dtype() == v.dtype()) ++powers;
        else if (term.dtype() == v.dtype() && summedExponential(term)) ++sums;
        else return {};
    }
    if (powers + sums == 0 || constants > 1 || terms.size() < 2) return {};
    if (terms.size() == 2 && sums == 0 && (constants == 0 || onePlusExp(v))) return {};
    return terms;
}

/// m + log(sum of exp(logs - m)), m the largest.
VarHandle logSumOf(Editor &edit, const std::vector<VarHandle> &logs)
{
    VarHandle largest = logs[0];
    for (std::size_t i = 1; i < logs.size(); ++i) largest = elementwise(edit, ScalarCode::Maximum, {largest, logs[i]});
    std::vector<VarHandle> terms;
    for (const VarHandle &log : logs) {
        const VarHandle distance = elementwise(edit, ScalarCode::Sub, {log, largest});
        // Where it is the largest the term is 1, also when both are infinite.
        terms.push_back(elementwise(edit, ScalarCode::Switch,
                                    {elementwise(edit, ScalarCode::Eq, {log, largest}), constantLike(edit, distance, 1),
                                     elementwise(edit, ScalarCode::Exp, {distance})}));
    }
    return elementwise(edit, ScalarCode::Add,
                       {largest, elementwise(edit, ScalarCode::Log, {elementwise(edit, scalarOp(ScalarCode::Add), terms)})});
}

REWRITE(croton_log_of_sum_of_exps, Phase::Stabilize)
    .why("log(exp(x) + exp(y) + exp(z)), log(1 + sum(exp(x))) and the like overflow; with the largest exponent taken out they do not")
    .hurts("a maximum, a comparison and an exponential more for each term")
    .improves("inf above 709, -inf below -745")
    .example("x: dvector; y: dvector; z: dvector; log(exp(x) + exp(y) + exp(z))",
             "x: dvector; y: dvector; z: dvector; m = maximum(maximum(x, y), z); "
             "m + log(add(switch(eq(x, m), 1.0, exp(x - m)), switch(eq(y, m), 1.0, exp(y - m)), switch(eq(z, m), 1.0, exp(z - m))))")
    .example("x: dvector; y: dvector; log(exp(y) + sum(exp(x)))",
             "x: dvector; y: dvector; s = dimshuffle(log(sum(exp(x))), 'x'); m = maximum(y, s); "
             "m + log(switch(eq(y, m), 1.0, exp(y - m)) + switch(eq(s, m), 1.0, exp(s - m)))")
    .nearMiss("log(exp(x) + exp(y))")
    .nearMiss("log(1 + exp(x))")
    .nearMiss("log(exp(x) + exp(y) + x)")
    .at(-1) // before log(1 + x) becomes log1p
    .tag("croton")
    .match<ScalarCode::Log, ScalarCode::Log1p>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output(), inside = node.input(0);
        if (!elemwiseOf(node) || !isFloatType(out) || inside.dtype() != out.dtype()) return declined("not a float");
        std::vector<VarHandle> terms = exponentialTerms(inside);
        const bool isLog1p = elemwiseOf(node)->is(ScalarCode::Log1p);
        if (terms.empty() && isLog1p && summedExponential(inside)) terms = {inside};
        if (terms.empty()) return declined("its input is no sum of several exponentials", ownerOf(inside));
        std::vector<VarHandle> logs;
        for (const VarHandle &term : terms) {
            const auto x = exponentOf(term);
            if (const auto value = constantValue(term); value && !x)
                logs.push_back(constantLike(edit, out.dtype(), 0, std::log(*value + (isLog1p ? 1 : 0))));
            else if (x) logs.push_back(*x);
            else if (const auto shuffle = madeBy<DimShuffle>(term))
                logs.push_back(edit.make(shuffle->op(), {elementwise(edit, ScalarCode::Log, {shuffle->input(0)})}));
            else logs.push_back(elementwise(edit, ScalarCode::Log, {term}));
        }
        const bool hasConstant = std::any_of(terms.begin(), terms.end(), [](VarHandle v) { return constantValue(v).has_value(); });
        if (isLog1p && !hasConstant) logs.push_back(constantLike(edit, out.dtype(), 0, 0));
        // The largest is found among arrays first: a constant is a part of none of them.
        return become(edit, node, logSumOf(edit, logs), "took the largest exponent out");
    });

REWRITE(croton_exp_over_sum_of_exps, Phase::Useless)
    .why("exp(x) / (exp(x) + exp(y) + exp(z)) is inf / inf for large x: a softmax term by term, and the gradient of its logarithm; "
         "it is exp(x - log(...)), and that logarithm does not overflow")
    .hurts("a logarithm more; x - log(...) rounds where both are large: infinite x give nan")
    .improves("inf / inf above 709, 0 / 0 below -745")
    .example(
        "x: dvector; y: dvector; z: dvector; exp(x) / (exp(x) + exp(y) + exp(z))",
        "x: dvector; y: dvector; z: dvector; m = maximum(maximum(x, y), z); "
        "exp(x - (m + log(add(switch(eq(x, m), 1.0, exp(x - m)), switch(eq(y, m), 1.0, exp(y - m)), switch(eq(z, m), 1.0, exp(z - m))))))")
    .with({"croton_log_of_sum_of_exps"})
    .nearMiss("exp(x) / (exp(x) + exp(y))")
    .nearMiss("x: dvector; y: dvector; z: dvector; exp(z) / (exp(x) + exp(y) + 2)")
    .also({Phase::Stabilize})
    .at(-3)
    .tag("croton")
    .match<ScalarCode::TrueDiv, ScalarCode::Mul>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        Factors factors;
        if (const char *reason = factors.takeExponential(node)) return declined(reason);
        bool changed = false;
        std::erase_if(factors.below, [&](const VarHandle &factor) {
            const auto shuffle = madeBy<DimShuffle>(factor);
            const VarHandle sum = shuffle ? shuffle->input(0) : factor;
            const std::vector<VarHandle> terms = exponentialTerms(sum);
            for (VarHandle &above : factors.above) {
                const auto x = exponentOf(above);
                if (!x || x->dtype() != factor.dtype()) continue;
                const auto isIts = [&](VarHandle term) {
                    const auto summed = summedExponential(term);
                    return term == above || (summed && *summed == above);
                };
                if (std::none_of(terms.begin(), terms.end(), isIts)) continue;
                VarHandle log = elementwise(edit, ScalarCode::Log, {sum});
                if (shuffle) log = edit.make(shuffle->op(), {log});
                above = elementwise(edit, ScalarCode::Exp, {elementwise(edit, ScalarCode::Sub, {*x, log})});
                changed = true;
                return true;
            }
            return false;
        });
        if (!changed) return declined("no exp(x) above and sum of exponentials with it below the line");
        return become(edit, node, quotientAs(edit, factors.above, factors.below, factors.negative, out),
                      "exp(x) / sum = exp(x - log(sum))");
    });

} // namespace
} // namespace engine
