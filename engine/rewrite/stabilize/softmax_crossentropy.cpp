// The cross-entropy of a softmax, its gradient, and what else the same op yields.
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/reductions/argmax.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/shape.h"
#include "engine/rewrite/algebra/canonizer.h"
#include "engine/rewrite/machine/predicates.h"
#include "engine/rewrite/shapes/shape_graph.h"
#include "engine/rewrite/stabilize/softmax_pattern.h"

#include <algorithm>

namespace engine {
namespace {

OpRef crossentropyOp()
{
    static const OpRef op = makeOp<CrossentropySoftmaxArgmax1HotWithBias>();
    return op;
}

/// x and b of softmax(x + b); b is zeros where there is none.
std::optional<std::pair<VarHandle, VarHandle>> softmaxInputs(Editor &edit, VarHandle softmax)
{
    if (const auto node = madeBy<SoftmaxWithBias>(softmax)) return std::pair(node->input(0), node->input(1));
    if (const auto node = madeBy<Softmax>(softmax)) {
        const VarHandle x = node->input(0);
        static const OpRef alloc = makeOp<Alloc>();
        return std::pair(x, edit.make(alloc, {constantLike(edit, x.dtype(), 0, 0), sizeOrShape(edit, x, 1)}));
    }
    return std::nullopt;
}

REWRITE(crossentropy_to_crossentropy_with_softmax_with_bias, Phase::Specialize)
    .why("softmax and cross-entropy in one op do not pass through probabilities that round to 0")
    .hurts("computes the softmax and the argmax even where nobody reads them")
    .turns("x: dmatrix; b: dvector; y: lvector; CrossentropyCategorical1Hot(SoftmaxWithBias(x, b), y)",
           "CrossentropySoftmaxArgmax1HotWithBias(x, b, y)[0]")
    .nearMiss("x: dmatrix; y: lvector; CrossentropyCategorical1Hot(x, y)")
    .at(5);

REWRITE(crossentropy_to_crossentropy_with_softmax, Phase::Specialize)
    .why("softmax and cross-entropy in one op do not pass through probabilities that round to 0")
    .hurts("computes the softmax and the argmax even where nobody reads them")
    .pass("crossentropy_to_crossentropy_with_softmax")
    .example("x: dmatrix; y: lvector; CrossentropyCategorical1Hot(Softmax(x), y)",
             "x: dmatrix; y: lvector; CrossentropySoftmaxArgmax1HotWithBias(x, alloc(constant(0.0, float64), x.shape[1]), y)[0]")
    .nearMiss("x: dmatrix; y: lvector; CrossentropyCategorical1Hot(x, y)")
    .match<CrossentropyCategorical1Hot>([](const NodeHandle &node, Editor &edit) {
        const auto inputs = softmaxInputs(edit, node.input(0));
        if (!inputs) return declined("the probabilities are no softmax", ownerOf(node.input(0)));
        return become(edit, node,
                      edit.apply(crossentropyOp(), std::vector<VarHandle>{inputs->first, inputs->second, node.input(1)}).output(0));
    });

/// The op that computes the cross-entropy of softmax(x + b), if there is one; `bias` is nothing where b is zeros.
std::optional<NodeHandle> crossentropyReading(VarHandle x, std::optional<VarHandle> bias)
{
    std::size_t looked = 0;
    for (const Client &client : x.clients()) {
        if (client.isGraphOutput() || ++looked > 32) continue;
        const NodeHandle node(x.graph(), client.apply);
        if (!node.opAs<CrossentropySoftmaxArgmax1HotWithBias>() || !(node.input(0) == x)) continue;
        if (bias ? node.input(1) == *bias : isConstantOf(node.input(1), 0)) return node;
    }
    return std::nullopt;
}

/// The same for one array of logits, which may be x + b written out.
std::optional<NodeHandle> crossentropyOf(VarHandle logits)
{
    if (const auto found = crossentropyReading(logits, std::nullopt)) return found;
    const auto sum = madeBy(logits, ScalarCode::Add);
    if (!sum || sum->inputCount() != 2) return std::nullopt;
    for (std::size_t k = 0; k < 2; ++k) {
        const auto row = madeBy<DimShuffle>(sum->input(k));
        if (!row || row->input(0).rank() != 1 || !row->opAs<DimShuffle>()->isLeftPad()) continue;
        if (const auto found = crossentropyReading(sum->input(1 - k), row->input(0)); found && found->input(0).type() == logits.type())
            return found;
    }
    return std::nullopt;
}

/// Of the logits, the bias or the classes: an output of `other` in the place of `node` would depend on itself.
bool isMadeFrom(const NodeHandle &other, const NodeHandle &node)
{
    const auto inputs = other.inputs();
    return std::any_of(inputs.begin(), inputs.end(), [&](VarHandle input) { return needs(input, node.id()); });
}

REWRITE(graph_merge_softmax_with_crossentropy_softmax, Phase::Specialize)
    .why("the cross-entropy op yields the softmax as well")
    .pass("crossentropy_to_crossentropy_with_softmax")
    .at(1)
    .example(
        "x: dmatrix; b: dvector; y: lvector; CrossentropySoftmaxArgmax1HotWithBias(x, b, y)[0], SoftmaxWithBias(x, b)",
        "x: dmatrix; b: dvector; y: lvector; k = CrossentropySoftmaxArgmax1HotWithBias(x, b, y)[0]; k, CrossentropySoftmaxArgmax1HotWithBias(x, b, y)[1]")
    .example(
        "x: dmatrix; b: dvector; y: lvector; CrossentropySoftmaxArgmax1HotWithBias(x, b, y)[0], Softmax(x + b)",
        "x: dmatrix; b: dvector; y: lvector; k = CrossentropySoftmaxArgmax1HotWithBias(x, b, y)[0]; k, CrossentropySoftmaxArgmax1HotWithBias(x, b, y)[1]")
    .nearMiss("x: dmatrix; b: dvector; c: dvector; y: lvector; CrossentropySoftmaxArgmax1HotWithBias(x, b, y)[0], SoftmaxWithBias(x, c)")
    .nearMiss(
        "x: dmatrix; b: dvector; p = SoftmaxWithBias(x, b); CrossentropySoftmaxArgmax1HotWithBias(x, b, argmax(round(p), axis=1))[0], p")
    .nearMiss("x: dmatrix; y: lvector; p = Softmax(x); CrossentropySoftmaxArgmax1HotWithBias(x, fill(p[0], 0.0), y)[0], p")
    .match<Softmax, SoftmaxWithBias>([](const NodeHandle &node, Editor &edit) {
        const auto other = node.inputCount() == 2 ? crossentropyReading(node.input(0), node.input(1)) : crossentropyOf(node.input(0));
        if (!other || !(other->output(1).type() == node.output().type())) return declined("no cross-entropy reads the same values");
        if (isMadeFrom(*other, node)) return declined("the classes or the bias are made from this softmax", other->id());
        return become(edit, node, other->output(1));
    });

REWRITE(croton_merge_argmax_with_crossentropy_softmax, Phase::Specialize)
    .why("the cross-entropy op yields the most likely class as well")
    .pass("crossentropy_to_crossentropy_with_softmax")
    .at(2)
    .tag("croton")
    .example(
        "x: dmatrix; b: dvector; y: lvector; CrossentropySoftmaxArgmax1HotWithBias(x, b, y)[0], argmax(x + b, axis=1)",
        "x: dmatrix; b: dvector; y: lvector; k = CrossentropySoftmaxArgmax1HotWithBias(x, b, y)[0]; k, CrossentropySoftmaxArgmax1HotWithBias(x, b, y)[2]")
    .nearMiss("x: dmatrix; b: dvector; y: lvector; CrossentropySoftmaxArgmax1HotWithBias(x, b, y)[0], argmax(x + b, axis=0)")
    .nearMiss("x: dmatrix; b: dvector; CrossentropySoftmaxArgmax1HotWithBias(x, b, argmax(x + b, axis=1))[0]")
    .match<Argmax>([](const NodeHandle &node, Editor &edit) {
        if (node.input(0).rank() != 2 || node.opAs<Argmax>()->axes() != std::vector<int>{1})
            return declined("it is not taken along the rows");
        const auto other = crossentropyOf(node.input(0));
        if (!other) return declined("no cross-entropy reads the same values");
        // Places have the dtype of the classes there; a narrow one may not hold them.
        if (sizeOf(other->output(2).dtype()) < 4) return declined("the classes have a narrow dtype", other->id());
        if (isMadeFrom(*other, node)) return declined("the classes or the bias are made from this argmax", other->id());
        return become(edit, node, castTo(edit, other->output(2), node.output().dtype()));
    });

REWRITE(local_softmax_grad_to_crossentropy_with_softmax_grad, Phase::Specialize)
    .why("the gradient of the cross-entropy of a softmax is softmax minus one-hot, without a division")
    .improves("0 / 0 where the softmax rounds to 0")
    .turns("s: dmatrix; g: dvector; y: lvector; SoftmaxGrad(CrossentropyCategorical1HotGrad(g, s, y), s)",
           "CrossentropySoftmax1HotWithBiasDx(g, s, y)")
    .nearMiss("x: dmatrix; g: dvector; y: lvector; z: dmatrix; s = Softmax(x); SoftmaxGrad(CrossentropyCategorical1HotGrad(g, z, y), s)")
    .also({Phase::Stabilize});

/// What [index, labels] takes of `rows`, where `index` is arange(n) with n the length of `labels` or the number of rows.
std::optional<Classes> classesOf(Editor &edit, VarHandle index, VarHandle labels, VarHandle rows)
{
    const auto range = madeBy<ARange>(index);
    if (!range || !isConstantOf(range->input(0), 0) || !isConstantOf(range->input(2), 1)) return std::nullopt;
    VarHandle stop = range->input(1);
    if (const auto cast = madeBy(stop, ScalarCode::Cast)) stop = cast->input(0);
    if (isSizeOf(edit, stop, labels, 0)) return Classes::FirstRows;
    if (isSizeOf(edit, stop, rows, 0)) return Classes::OneOrEach;
    return std::nullopt;
}

REWRITE(local_advanced_indexing_crossentropy_onehot, Phase::Specialize)
    .why("log(softmax(x))[arange(n), y] is the negative cross-entropy of the classes y: one op, one pass")
    .hurts("computes the softmax and the argmax even where nobody reads them")
    .example("x: dmatrix; y: lvector; LogSoftmax(x)[arange(y.shape[0]), y]",
             "x: dmatrix; y: lvector; -CrossentropySoftmaxArgmax1HotWithBias(x, alloc(constant(0.0, float64), x.shape[1]), y)[0]")
    .nearMiss("x: dmatrix; y: lvector; x[arange(y.shape[0]), y]")
    .match<AdvancedSubtensor>([](const NodeHandle &node, Editor &edit) {
        const AdvancedSubtensor &op = *node.opAs<AdvancedSubtensor>();
        if (op.entries().size() != 2 || !op.entries()[0].isArray || !op.entries()[1].isArray)
            return declined("it is not indexed by two arrays");
        const VarHandle labels = node.input(2);
        if (labels.rank() != 1 || node.input(1).rank() != 1 || isUnsignedInteger(labels.dtype()))
            return declined("the index is no pair of vectors");
        std::optional<std::pair<VarHandle, VarHandle>> inputs;
        VarHandle rows = node.input(0);
        if (const auto log = madeBy<LogSoftmax>(rows)) {
            const VarHandle x = log->input(0);
            static const OpRef alloc = makeOp<Alloc>();
            inputs = std::pair(x, edit.make(alloc, {constantLike(edit, x.dtype(), 0, 0), sizeOrShape(edit, x, 1)}));
            if (const auto sum = madeBy(x, ScalarCode::Add); sum && sum->inputCount() == 2) {
                for (std::size_t k = 0; k < 2; ++k)
                    if (const auto row = madeBy<DimShuffle>(sum->input(k));
                        row && row->input(0).rank() == 1 && row->opAs<DimShuffle>()->isLeftPad() && sum->input(1 - k).type() == x.type() &&
                        row->input(0).dtype() == x.dtype())
                        inputs = std::pair(sum->input(1 - k), row->input(0));
            }
        } else if (const auto plain = madeBy(rows, ScalarCode::Log)) {
            inputs = softmaxInputs(edit, plain->input(0));
        }
        if (!inputs) return declined("it does not index the logarithm of a softmax", ownerOf(rows));
        const auto classes = classesOf(edit, node.input(1), labels, rows);
        if (!classes) return declined("the first index does not count the rows", ownerOf(node.input(1)));
        const OpRef crossentropy = makeOp<CrossentropySoftmaxArgmax1HotWithBias>(*classes);
        const VarHandle loss = edit.apply(crossentropy, std::vector<VarHandle>{inputs->first, inputs->second, labels}).output(0);
        return become(edit, node, elementwise(edit, ScalarCode::Neg, {loss}));
    });

REWRITE(local_log_of_indexed_softmax, Phase::Stabilize)
    .why("log(softmax(x)[i, t]) is -inf where softmax rounds to 0; with the logarithm taken first other rules keep it finite")
    .hurts("the logarithm of the whole softmax, until it becomes part of the cross-entropy")
    .turns("x: dmatrix; i: lvector; t: lvector; q = Softmax(x); log(q[i, t])", "log(q)[i, t]")
    .turns("x: dmatrix; b: dvector; i: lvector; t: lvector; q = SoftmaxWithBias(x, b); log(q[i, t])", "log(q)[i, t]")
    .nearMiss("x: dmatrix; i: lvector; t: lvector; log(x[i, t])")
    .also({Phase::Canonicalize})
    .tag("croton");

REWRITE(local_advanced_indexing_crossentropy_onehot_grad, Phase::Stabilize)
    .why("the gradient of log(softmax(x))[arange(n), y] is one-hot minus softmax, without a division by what may be 0")
    .improves("0 / 0 where the softmax rounds to 0")
    .at(-2) // before the general rule for log(softmax)
    .example(
        "x: dmatrix; g: dvector; y: lvector; s = Softmax(x); SoftmaxGrad(inc_subtensor(zeros_like(x)[arange(y.shape[0]), y], g) / s, s)",
        "x: dmatrix; g: dvector; y: lvector; CrossentropySoftmax1HotWithBiasDx(-g, Softmax(x), y)")
    .nearMiss("x: dmatrix; g: dmatrix; s = Softmax(x); SoftmaxGrad(g / s, s)")
    .also({Phase::Specialize})
    .match<SoftmaxGrad>([](const NodeHandle &node, Editor &edit) {
        const VarHandle softmax = node.input(1);
        if (!isSoftmax(softmax)) return declined("the second input is no softmax", ownerOf(softmax));
        CanonTerms terms = canonTerms(node.input(0), kProductFamily);
        // log(softmax)[i, t] divides what is scattered, log(softmax[i, t]) divides before it is scattered.
        const auto found = std::find(terms.below.begin(), terms.below.end(), softmax);
        const bool dividedAfter = found != terms.below.end();
        if (dividedAfter) terms.below.erase(found);
        if (!terms.below.empty()) return declined("the gradient is divided by more", ownerOf(node.input(0)));
        std::optional<NodeHandle> inc;
        std::vector<VarHandle> scales;
        for (const VarHandle &factor : terms.above) {
            if (const auto made = madeBy<AdvancedIncSubtensor>(factor); made && !inc) inc = made;
            else scales.push_back(factor);
        }
        if (!inc) return declined("the gradient is not scattered to the classes", ownerOf(node.input(0)));
        for (const VarHandle &scale : scales)
            if (!scale.type().isBroadcastable(0) && scale.rank() == 2) return declined("a factor varies", ownerOf(scale));
            else if (scale.rank() == 2 && !scale.type().isBroadcastable(1)) return declined("a factor varies", ownerOf(scale));
        const AdvancedIncSubtensor &op = *inc->opAs<AdvancedIncSubtensor>();
        if (op.entries().size() != 2 || !op.entries()[0].isArray || !op.entries()[1].isArray || op.isSet() || op.inplace())
            return declined("it is not scattered by two arrays", inc->id());
        if (!isConstantOf(inc->input(0), 0)) return declined("it is not scattered into zeros", inc->id());
        const VarHandle labels = inc->input(3);
        if (labels.rank() != 1) return declined("the classes are no vector", inc->id());
        const auto classes = classesOf(edit, inc->input(2), labels, softmax);
        if (!classes) return declined("the first index does not count the rows", inc->id());
        VarHandle g = inc->input(1);
        if (!dividedAfter) {
            CanonTerms parts = canonTerms(g, kProductFamily);
            const auto picked = std::find_if(parts.below.begin(), parts.below.end(), [&](VarHandle v) {
                const auto taken = madeBy<AdvancedSubtensor>(v);
                return taken && taken->input(0) == softmax && taken->inputCount() == 3 && taken->input(1) == inc->input(2) &&
                       taken->input(2) == inc->input(3);
            });
            if (picked == parts.below.end()) return declined("the gradient is not divided by the softmax", inc->id());
            parts.below.erase(picked);
            g = buildTerms(edit, parts, kProductFamily, g);
        }
        if (g.rank() == 1 && g.type().isBroadcastable(0)) g = dimshuffle(edit, g, {});
        if (g.rank() > 1 || g.dtype() != softmax.dtype()) return declined("the scattered values are no vector", inc->id());
        for (const VarHandle &scale : scales) g = elementwise(edit, ScalarCode::Mul, {dimshuffle(edit, scale, {}), g});
        g = elementwise(edit, ScalarCode::Neg, {g});
        return become(edit, node, edit.make(makeOp<CrossentropySoftmax1HotWithBiasDx>(*classes), {g, softmax, labels}));
    });

REWRITE(local_useless_crossentropy_softmax_1hot_with_bias_dx_alloc, Phase::Specialize)
    .why("a gradient that is the same for every row need not be written out")
    .example("p: dmatrix; s: dscalar; y: lvector; CrossentropySoftmax1HotWithBiasDx(alloc(s, y.shape[0]), p, y)",
             "p: dmatrix; s: dscalar; y: lvector; CrossentropySoftmax1HotWithBiasDx(s, p, y)")
    .nearMiss("p: dmatrix; g: dvector; y: lvector; CrossentropySoftmax1HotWithBiasDx(g, p, y)")
    .also({Phase::Canonicalize, Phase::Stabilize})
    .match<CrossentropySoftmax1HotWithBiasDx>([](const NodeHandle &node, Editor &edit) {
        const auto alloc = madeBy<Alloc>(node.input(0));
        if (!alloc) return declined("the gradient is no allocation", ownerOf(node.input(0)));
        VarHandle value = alloc->input(0);
        if (!isSingle(value)) return declined("the allocated value is no scalar", alloc->id());
        value = dimshuffle(edit, value, {});
        return become(edit, node, edit.make(node.op(), {value, node.input(1), node.input(2)}));
    });

} // namespace
} // namespace engine
