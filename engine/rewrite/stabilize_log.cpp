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
            VarHandle x = difference->input(1);
            if (x.dtype() == DType::Bool) x = asFloat(edit, x); // it has no negative
            x = elementwise(edit, ScalarCode::Neg, {x});
            return become(edit, node, elementwise(edit, ScalarCode::Log1p, {x}), "log(1 - x) = log1p(-x)");
        }
        return declined("its input is neither a sum nor a difference", ownerOf(node.input(0)));
    });

REWRITE(croton_log1p_of_less_one, Phase::Stabilize)
    .why("log1p(x - 1) takes 1 away and adds it again: a tiny x is gone in between; log(x) keeps it")
    .improves("-inf for x below 1e-16")
    .example("log1p(x - 1)", "log(x)")
    .example("log1p(-1 + x * y)", "log(x * y)")
    .nearMiss("log1p(x - 2)")
    .tag("croton")
    .match<ScalarCode::Log1p>([](const NodeHandle &node, Editor &edit) {
        const VarHandle inside = node.input(0);
        if (!elemwiseOf(node) || !isFloatType(inside)) return declined("not a float");
        std::optional<VarHandle> x;
        if (const auto difference = madeBy(inside, ScalarCode::Sub); difference && isConstantOf(difference->input(1), 1)) x = difference->input(0);
        if (const auto sum = madeBy(inside, ScalarCode::Add); sum && sum->inputCount() == 2)
            for (std::size_t k = 0; k < 2 && !x; ++k)
                if (isConstantOf(sum->input(k), -1)) x = sum->input(1 - k);
        if (!x) return declined("its input is no difference to 1", ownerOf(inside));
        if (!(x->type() == inside.type())) return declined("the constant has the larger shape", ownerOf(inside));
        return become(edit, node, elementwise(edit, ScalarCode::Log, {*x}), "log1p(x - 1) = log(x)");
    });

} // namespace
} // namespace engine
