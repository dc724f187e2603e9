// Logarithms and exponentials near 0 and 1, where the textbook form loses every digit.
#include "engine/rewrite/build.h"

namespace engine {
namespace {

REWRITE(local_log1p, Phase::Stabilize)
    .why("log(1 + x) loses all digits of a tiny x; log1p keeps them")
    .hurts("log1p costs a little more than log")
    .example("log(1 + x)", "log1p(x)")
    .example("log(1 - x)", "log1p(-x)")
    .nearMiss("log(2 + x)")
    .also({Phase::Specialize})
    .match<ScalarCode::Log>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!isFloatType(out)) return declined("log of a complex value");
        if (const auto sum = madeBy(node.input(0), ScalarCode::Add)) {
            std::vector<VarHandle> rest;
            bool found = false;
            for (const VarHandle &term : sum->inputs()) {
                if (!found && isConstantOf(term, 1)) found = true;
                else rest.push_back(term);
            }
            if (!found) return declined("no term of the sum is the constant 1", sum->id());
            const VarHandle x = total(edit, rest, node.input(0));
            return become(edit, node, elementwise(edit, ScalarCode::Log1p, {x}), "log(1 + x) = log1p(x)");
        }
        if (const auto difference = madeBy(node.input(0), ScalarCode::Sub)) {
            if (!isConstantOf(difference->input(0), 1))
                return declined("the minuend is not the constant 1", difference->id());
            const VarHandle x = elementwise(edit, ScalarCode::Neg, {difference->input(1)});
            return become(edit, node, elementwise(edit, ScalarCode::Log1p, {x}), "log(1 - x) = log1p(-x)");
        }
        return declined("its input is neither a sum nor a difference", ownerOf(node.input(0)));
    });

} // namespace
} // namespace engine
