// Parts of a softmax under a logarithm, with their gradient.
#include "engine/ops/reductions/reduce.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/rewrite/algebra/canonizer.h"
#include "engine/rewrite/shapes/index_view.h"
#include "engine/rewrite/stabilize/logistic.h"
#include "engine/rewrite/stabilize/softmax_pattern.h"

#include <algorithm>

namespace engine {
namespace {

REWRITE(croton_log_of_part_of_softmax, Phase::Stabilize)
    .why("log(softmax(x)[i, j]) is -inf where the softmax rounds to 0; the logarithm taken first is not")
    .hurts("the logarithm of the whole softmax for a part of it")
    .example("x: dmatrix; log(Softmax(x)[:, 1])", "x: dmatrix; log(Softmax(x))[:, 1]")
    .nearMiss("x: dmatrix; log(x[:, 1])")
    .at(-1)
    .tag("croton")
    .match<ScalarCode::Log>([](const NodeHandle &node, Editor &edit) {
        const auto taken = madeBy<Subtensor>(node.input(0));
        if (!taken || !elemwiseOf(node)) return declined("its input is no part of an array", ownerOf(node.input(0)));
        VarHandle whole = taken->input(0);
        if (const auto shuffle = madeBy<DimShuffle>(whole)) whole = shuffle->input(0);
        if (!isSoftmax(whole)) return declined("it is no part of a softmax", taken->id());
        if (node.output().dtype() != node.input(0).dtype()) return declined("the dtype would change");
        std::vector<VarHandle> inputs = taken->inputs();
        inputs[0] = elementwise(edit, ScalarCode::Log, {inputs[0]});
        return become(edit, node, edit.make(taken->op(), inputs));
    });

/// v times the softmax where v is divided by it: in a part of an array of zeros, or in a branch beside 0.
std::optional<VarHandle> timesSoftmax(Editor &edit, VarHandle v, VarHandle softmax)
{
    if (const auto inc = madeBy<IncSubtensor>(v)) {
        if (inc->opAs<IncSubtensor>()->inplace() || !isConstantOf(inc->input(0), 0)) return std::nullopt;
        CanonTerms terms = canonTerms(inc->input(1), kProductFamily);
        const auto isPart = [&](VarHandle below) {
            const auto part = madeBy<Subtensor>(below);
            if (!part || !(part->input(0) == softmax) ||
                indexText(part->opAs<Subtensor>()->entries()) != indexText(inc->opAs<IncSubtensor>()->entries()))
                return false;
            for (std::size_t i = 1; i < part->inputCount(); ++i)
                if (!(part->input(i) == inc->input(i + 1))) return false;
            return true;
        };
        const auto part = std::find_if(terms.below.begin(), terms.below.end(), isPart);
        if (part == terms.below.end()) return std::nullopt;
        terms.below.erase(part);
        std::vector<VarHandle> inputs = inc->inputs();
        inputs[1] = buildTerms(edit, terms, kProductFamily, inc->input(1));
        return edit.make(inc->op(), inputs);
    }
    const auto choice = madeBy(v, ScalarCode::Switch);
    if (!choice || !(v.type() == softmax.type())) return std::nullopt;
    std::vector<VarHandle> inputs = choice->inputs();
    for (std::size_t side = 1; side < 3; ++side) {
        if (isConstantOf(inputs[side], 0)) continue;
        CanonTerms terms = canonTerms(inputs[side], kProductFamily);
        const auto found = std::find(terms.below.begin(), terms.below.end(), softmax);
        if (found == terms.below.end()) return std::nullopt;
        terms.below.erase(found);
        inputs[side] = buildTerms(edit, terms, kProductFamily, inputs[side]);
    }
    const VarHandle after = elementwise(edit, scalarOp(ScalarCode::Switch), inputs);
    return after.type() == v.type() ? std::optional(after) : std::nullopt;
}

REWRITE(croton_softmax_grad_of_part, Phase::Stabilize)
    .why(
        "the gradient of log(softmax(x)[i, j]), or of one chosen by a switch, divides by a softmax, which may be 0, and multiplies with it again")
    .improves("0 / 0 where the softmax rounds to 0")
    .example("x: dmatrix; g: dvector; s = Softmax(x); SoftmaxGrad(inc_subtensor(zeros_like(x)[:, 1], g / s[:, 1]), s)",
             "x: dmatrix; g: dvector; h = inc_subtensor(zeros_like(x)[:, 1], g); h - sum(h, axis=1, keepdims=True) * Softmax(x)")
    .example("x: dmatrix; g: dmatrix; c: lmatrix; s = Softmax(x); SoftmaxGrad(switch(c, g / s, 0.0), s)",
             "x: dmatrix; g: dmatrix; c: lmatrix; h = switch(c, g, 0.0); h - sum(h, axis=1, keepdims=True) * Softmax(x)")
    .nearMiss("x: dmatrix; g: dvector; s = Softmax(x); SoftmaxGrad(inc_subtensor(zeros_like(x)[:, 1], g / s[:, 0]), s)")
    .nearMiss("x: dmatrix; g: dmatrix; c: lmatrix; s = Softmax(x); SoftmaxGrad(switch(c, g / s, 1.0), s)")
    .tag("croton")
    .match<SoftmaxGrad>([](const NodeHandle &node, Editor &edit) {
        const VarHandle softmax = node.input(1);
        if (!isSoftmax(softmax)) return declined("the second input is no softmax", ownerOf(softmax));
        const auto g = timesSoftmax(edit, node.input(0), softmax);
        if (!g || !(g->type() == softmax.type()))
            return declined("no part and no branch of the gradient is divided by the softmax", ownerOf(node.input(0)));
        const DType dtype = g->dtype(), acc = dtype == DType::Float32 ? DType::Float64 : dtype;
        const VarHandle sum = edit.make(makeOp<CAReduce>(ReduceKind::Sum, std::vector<int>{1}, dtype, acc), {*g});
        const VarHandle all = elementwise(edit, ScalarCode::Mul, {dimshuffle(edit, sum, {0, DimShuffle::kNewAxis}), softmax});
        return become(edit, node, elementwise(edit, ScalarCode::Sub, {*g, all}), "g - sum(g) * softmax(x)");
    });

/// Is an input a softmax, or a product or quotient with one? A look only.
bool holdsSoftmax(const FunctionGraph &graph, ApplyId product, int depth)
{
    for (const Use &use : graph.apply(product).inputs) {
        const ApplyId owner = graph.var(use.var).owner;
        if (owner == kNoApply) continue;
        if (opCast<Softmax>(graph.apply(owner).op)) return true;
        const ScalarCode code = codeOf(graph, use.var);
        if (depth > 0 && (code == ScalarCode::Mul || code == ScalarCode::TrueDiv) && holdsSoftmax(graph, owner, depth - 1)) return true;
    }
    return false;
}

REWRITE(croton_exp_over_softmax, Phase::Stabilize)
    .why(
        "exp(x) / softmax(x) is sum(exp(x)): 0 / 0 where both round to 0, as in gradients of a softmax whose exponentials are written out twice")
    .improves("0 / 0 where the softmax rounds to 0")
    .example("x: dmatrix; y: dmatrix; e = exp(x); y * e / Softmax(x), sum(e, axis=1)",
             "x: dmatrix; y: dmatrix; s = sum(exp(x), axis=1); y * dimshuffle(s, 0, 'x'), s")
    .nearMiss("x: dmatrix; y: dmatrix; e = exp(y); e / Softmax(x), sum(e, axis=1)")
    .nearMiss("x: dmatrix; exp(x) / Softmax(x)")
    .at(-1)
    .tag("croton")
    .match<ScalarCode::TrueDiv, ScalarCode::Mul>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out) || out.rank() != 2) return declined("no matrix of floats");
        if (!holdsSoftmax(out.graph(), node.id(), 1)) return declined("no factor is a softmax");
        CanonTerms terms = canonTerms(out, kProductFamily);
        for (std::size_t below = 0; below < terms.below.size(); ++below) {
            const auto softmax = madeBy<Softmax>(terms.below[below]);
            if (!softmax) continue;
            for (VarHandle &factor : terms.above) {
                const auto power = madeBy(factor, ScalarCode::Exp);
                if (!power || !(power->input(0) == softmax->input(0) || withoutShift(power->input(0), {1}) == softmax->input(0))) continue;
                for (const Client &client : factor.clients()) {
                    if (client.isGraphOutput()) continue;
                    const NodeHandle reader(out.graph(), client.apply);
                    const CAReduce *sum = reader.opAs<CAReduce>();
                    if (!sum || sum->kind() != ReduceKind::Sum || sum->axesFor(2) != std::vector<int>{1} ||
                        reader.output().dtype() != out.dtype())
                        continue;
                    factor = dimshuffle(edit, reader.output(), {0, DimShuffle::kNewAxis});
                    terms.below.erase(terms.below.begin() + static_cast<std::ptrdiff_t>(below));
                    return become(edit, node, buildTerms(edit, terms, kProductFamily, out), "exp(x) / softmax(x) = sum(exp(x))");
                }
            }
        }
        return declined("no exp(x) over softmax(x), with sum(exp(x)) at hand");
    });

} // namespace
} // namespace engine
