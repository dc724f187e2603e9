// Choices: known conditions, and choices in branches of choices.
#include "engine/ops/loops/control.h"
#include "engine/rewrite/machine/aliasing.h"
#include "engine/rewrite/machine/build.h"
#include "engine/rewrite/machine/driver.h"
#include "engine/runtime/plan/branches.h"

#include <algorithm>

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

REWRITE(cond_make_inplace, Phase::Inplace)
    .why("the result of a choice takes the memory of one branch: no copy where that one is chosen")
    .hurts("the overwritten value is no longer available")
    .pass("cond_make_inplace")
    .example("x: dvector; c: lscalar; ifelse(c, exp(x), sin(x))", "x: dvector; c: lscalar; ifelse(c, exp(x), sin(x), over=1)")
    .nearMiss("x: dvector; y: dvector; c: lscalar; ifelse(c, x, y)")
    .tag("inplace")
    .tag("ifelse")
    .whole([](WholeRun &run) {
        const auto isChoice = [&](ApplyId id) { return bool(NodeHandle(run.graph(), id).opAs<IfElse>()); };
        if (std::none_of(run.order().begin(), run.order().end(), isChoice)) return;
        Aliasing aliasing(run.graph());
        for (ApplyId id : aliasing.order()) {
            if (!run.graph().apply(id).live || !isChoice(id)) continue;
            const NodeHandle node(run.graph(), id);
            const IfElse &op = *node.opAs<IfElse>();
            std::vector<int> over = op.over();
            std::vector<VarHandle> inputs;
            for (std::size_t i = 0; i < node.inputCount(); ++i) inputs.push_back(node.input(i));
            const char *reason = "its memory is given away already";
            ApplyId because = kNoApply;
            for (int o = 0; o < op.count(); ++o) {
                int &taken = over[static_cast<std::size_t>(o)];
                for (int port : {1 + o, 1 + op.count() + o}) {
                    if (taken) break;
                    const VarHandle value = inputs[static_cast<std::size_t>(port)];
                    const auto isSame = [&](const VarHandle &one) { return one == value; };
                    if (!value.type().isTensor() || !(value.type() == node.output(static_cast<std::size_t>(o)).type())) {
                        reason = "no branch has the type of the output";
                    } else if (std::count_if(inputs.begin(), inputs.end(), isSame) > 1) {
                        reason = "a branch is chosen for something else, too";
                    } else if (const char *no = aliasing.whyNot(id, static_cast<std::size_t>(port))) {
                        reason = no;
                        because = aliasing.because();
                    } else {
                        taken = port;
                    }
                }
            }
            if (over == op.over()) {
                run.decline(id, reason, because);
                continue;
            }
            const OpRef after = makeOp<IfElse>(op.count(), op.title(), over);
            run.step(id, [&](Editor &edit) {
                const NodeHandle made = edit.apply(after, inputs);
                for (std::size_t o = 0; o < made.outputCount(); ++o) {
                    if (!(made.output(o).type() == edit.node(id).output(o).type())) return declined("the type would change");
                    edit.replace(edit.node(id).output(o), made.output(o));
                }
                aliasing.moved(id, made.id());
                return replaced("nobody reads the overwritten branch later");
            });
        }
        run.validated(aliasing.nanoseconds());
    });

} // namespace
} // namespace engine
