// Choices: known conditions, and choices in branches of choices.
#include "engine/ops/control.h"
#include "engine/rewrite/build.h"
#include "engine/runtime/branches.h"

namespace engine {
namespace {

REWRITE(croton_known_choice, Phase::Canonicalize)
    .why("a condition that never changes leaves one branch")
    .example("x: dvector; ifelse(constant(1, int8), exp(x), sin(x))", "x: dvector; exp(x)")
    .nearMiss("x: dvector; c: lscalar; ifelse(c, exp(x), sin(x))")
    .tag("croton")
    .match<IfElse>([](const NodeHandle &node, Editor &edit) {
        const Value *condition = node.input(0).constant();
        if (!condition) return declined("the condition is not constant");
        const std::size_t count = node.outputCount(), first = isTrue(condition->tensor().view()) ? 1 : 1 + count;
        for (std::size_t o = 0; o < count; ++o)
            if (!(node.input(first + o).type() == node.output(o).type())) return declined("the type would change");
        for (std::size_t o = 0; o < count; ++o) edit.replace(node.output(o), node.input(first + o));
        return replaced("the condition is constant");
    });

// In the branch of a condition the same condition is known.
RewriteResult mergeChoices(const NodeHandle &node, Editor &edit, bool side)
{
    const std::size_t count = node.outputCount(), first = side ? 1 : 1 + count;
    std::vector<VarHandle> inputs;
    for (std::size_t i = 0; i < node.inputCount(); ++i) inputs.push_back(node.input(i));
    bool isChanged = false;
    for (std::size_t o = 0; o < count; ++o) {
        VarHandle &value = inputs[first + o];
        const auto inner = madeBy<IfElse>(value);
        if (!inner || !(inner->input(0) == node.input(0))) continue;
        const VarHandle known = inner->input((side ? 1 : 1 + inner->outputCount()) + node.graph().var(value.id()).index);
        if (!(known.type() == value.type())) continue;
        value = known;
        isChanged = true;
    }
    if (!isChanged) return declined("no choice of the same condition stands in that branch");
    const NodeHandle made = edit.apply(node.op(), inputs);
    for (std::size_t o = 0; o < count; ++o)
        if (!(made.output(o).type() == node.output(o).type())) return declined("the type would change");
    for (std::size_t o = 0; o < count; ++o) edit.replace(node.output(o), made.output(o));
    return replaced("its condition is known there");
}

REWRITE(cond_merge_ifs_true, Phase::Specialize)
    .why("where a condition holds, a second question of it is answered")
    .example("x: dvector; c: lscalar; ifelse(c, ifelse(c, exp(x), sin(x)), cos(x))", "x: dvector; c: lscalar; ifelse(c, exp(x), cos(x))")
    .nearMiss("x: dvector; c: lscalar; d: lscalar; ifelse(c, ifelse(d, exp(x), sin(x)), cos(x))")
    .tag("ifelse")
    .match<IfElse>([](const NodeHandle &node, Editor &edit) { return mergeChoices(node, edit, true); });

REWRITE(cond_merge_ifs_false, Phase::Specialize)
    .why("where a condition does not hold, a second question of it is answered")
    .example("x: dvector; c: lscalar; ifelse(c, cos(x), ifelse(c, exp(x), sin(x)))", "x: dvector; c: lscalar; ifelse(c, cos(x), sin(x))")
    .nearMiss("x: dvector; c: lscalar; d: lscalar; ifelse(c, cos(x), ifelse(d, exp(x), sin(x)))")
    .tag("ifelse")
    .match<IfElse>([](const NodeHandle &node, Editor &edit) { return mergeChoices(node, edit, false); });

} // namespace
} // namespace engine
