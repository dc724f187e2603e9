// Sizes come from the inputs; fills become allocations of a known size, or nothing where broadcasting does it.
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/shape.h"
#include "engine/rewrite/shapes/shape_graph.h"

namespace engine {
namespace {

REWRITE(local_shape_to_shape_i, Phase::Canonicalize)
    .why("each size on its own can be found without computing the array")
    .hurts("small nodes instead of one")
    .example("x: dmatrix; shape(x)", "x: dmatrix; MakeVector(x.shape[0], x.shape[1])")
    .nearMiss("x: dmatrix; x.shape[0]")
    .also({Phase::Specialize})
    .match<Shape>([](const NodeHandle &node, Editor &edit) {
        const VarHandle x = node.input(0);
        if (x.rank() == 0) return become(edit, node, edit.constant(Tensor::fromInts(std::span<const std::int64_t>())));
        return become(edit, node, edit.make(makeOp<MakeVector>(DType::Int64), sizesOf(edit, x)));
    });

REWRITE(local_track_shape_i, Phase::Canonicalize)
    .why("the size of a result follows from the sizes of the inputs, so the result need not be computed for it")
    .hurts("long chains of size arithmetic where the array is needed anyway")
    .example("x: dmatrix; exp(x).shape[0]", "x: dmatrix; x.shape[0]")
    .nearMiss("x: dmatrix; x.shape[0]")
    .also({Phase::Specialize})
    .match<Shape_i>([](const NodeHandle &node, Editor &edit) {
        const auto size = sizeOf(edit, node.input(0), node.opAs<Shape_i>()->axis());
        if (!size) return declined("the size is known only from the array itself", ownerOf(node.input(0)));
        return become(edit, node, *size);
    });

REWRITE(local_fill_sink, Phase::Canonicalize)
    .why("f(fill(a, b), c) computes f(b, c) on the small value and fills afterwards")
    .example("x: dmatrix; s: dscalar; fill(x, s) * 2", "x: dmatrix; s: dscalar; fill(x, dimshuffle(s, 'x', 'x') * 2)")
    .nearMiss("x: dmatrix; y: dmatrix; fill(x, y) * 2")
    .hurts("sizes are compared later")
    .match<Elemwise>([](const NodeHandle &node, Editor &edit) {
        const Elemwise *op = elemwiseOf(node);
        if (!op || op->is(ScalarCode::Second)) return declined("it is a fill itself");
        if (node.outputCount() != 1) return declined("it has several outputs");
        std::vector<VarHandle> models;
        ShortList<VarHandle, 4> inputs;
        for (const VarHandle &input : node.inputs()) {
            const auto fill = madeBy(input, ScalarCode::Second);
            // Only where the filled value is smaller is anything gained.
            if (fill && !(fill->input(1).type() == input.type())) {
                models.push_back(fill->input(0));
                inputs.push_back(fill->input(1));
            } else {
                inputs.push_back(input);
            }
        }
        if (models.empty()) return declined("no argument is a fill");
        VarHandle after = edit.make(node.op(), inputs);
        const Type wanted = node.output().type();
        for (const VarHandle &model : models) {
            if (after.type() == wanted) break;
            after = elementwise(edit, ScalarCode::Second, {model, after});
        }
        return become(edit, node, after);
    });

REWRITE(local_fill_to_alloc, Phase::Stabilize)
    .why("an allocation needs only the sizes of the model, not its values")
    .hurts("the shape is computed on its own")
    .pass("local_fill_to_alloc")
    .example("x: dmatrix; s: dscalar; fill(exp(x), s)", "x: dmatrix; s: dscalar; alloc(s, x.shape[0], x.shape[1])")
    .nearMiss("x: dmatrix; s: dscalar; x + s")
    .also({Phase::Specialize})
    .match<ScalarCode::Second>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        const VarHandle model = node.input(0), out = node.output();
        VarHandle value = node.input(1);
        if (value.type() == out.type()) return become(edit, node, value);
        // Alloc repeats leading axes by itself.
        if (const auto number = value.uniformConstant()) value = constantLike(edit, value.dtype(), 0, *number);
        else if (const auto pad = madeBy<DimShuffle>(value); pad && pad->opAs<DimShuffle>()->isLeftPad()) value = pad->input(0);
        std::vector<VarHandle> inputs{value};
        for (int axis = 0; axis < out.rank(); ++axis) {
            const VarHandle from = model.type().isBroadcastable(axis) ? node.input(1) : model;
            inputs.push_back(sizeOrShape(edit, from, axis));
        }
        static const OpRef alloc = makeOp<Alloc>();
        return become(edit, node, withPattern(edit, edit.make(alloc, inputs), out.type()));
    });

/// Can `v` be left out of an Elemwise because `others` have the full shape?
bool coveredBy(const NodeHandle &node, std::size_t except)
{
    const Type wanted = node.output().type();
    for (int axis = 0; axis < wanted.rank(); ++axis) {
        if (wanted.isBroadcastable(axis)) continue;
        bool covered = false;
        for (std::size_t i = 0; i < node.inputCount() && !covered; ++i)
            covered = i != except && !node.input(i).type().isBroadcastable(axis) && !madeBy<Alloc>(node.input(i));
        if (!covered) return false;
    }
    return true;
}

REWRITE(local_elemwise_alloc, Phase::Stabilize)
    .why("broadcasting repeats the value; writing it out first is wasted memory traffic")
    .pass("local_elemwise_alloc")
    .example("x: dmatrix; s: dscalar; x * alloc(s, x.shape[0], x.shape[1])", "x: dmatrix; s: dscalar; x * s")
    .nearMiss("s: dscalar; n: lscalar; exp(alloc(s, n))")
    .also({Phase::Specialize})
    .match<Elemwise>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node) || node.inputCount() < 2) return declined("it has one argument");
        if (node.outputCount() != 1) return declined("it has several outputs");
        auto inputs = node.inputs();
        bool changed = false;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const auto alloc = madeBy<Alloc>(inputs[i]);
            if (!alloc || !coveredBy(node, i) || !repeatsAsDeclared(edit, *alloc)) continue;
            // Only the inputs that are left vouch for the shape, so one at a time.
            inputs[i] = padLeft(edit, alloc->input(0), inputs[i].rank());
            changed = true;
            break;
        }
        if (!changed) return declined("no argument is an allocation that the others' shape covers");
        const VarHandle after = edit.make(node.op(), inputs);
        return become(edit, node, after);
    });

REWRITE(local_alloc_unary, Phase::Specialize)
    .why("f of a repeated value is computed once and repeated")
    .example("s: dscalar; n: lscalar; exp(alloc(s, n))", "s: dscalar; n: lscalar; alloc(exp(s), n)")
    .nearMiss("s: dscalar; n: lscalar; x: dvector; alloc(s, n) + x")
    .match<Elemwise>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node) || node.inputCount() != 1 || node.outputCount() != 1) return declined("it has several arguments");
        const auto alloc = madeBy<Alloc>(node.input(0));
        if (!alloc || !node.input(0).hasOneClient()) return declined("its argument is no allocation of its own", ownerOf(node.input(0)));
        const VarHandle small = alloc->input(0);
        std::vector<VarHandle> inputs = alloc->inputs();
        inputs[0] = edit.make(node.op(), std::span<const VarHandle>(&small, 1));
        return become(edit, node, edit.make(alloc->op(), inputs));
    });

REWRITE(local_merge_alloc, Phase::Useless)
    .why("an allocation of an allocation repeats once")
    .example("s: dscalar; n: lscalar; m: lscalar; alloc(alloc(s, n), m, n)", "s: dscalar; n: lscalar; m: lscalar; alloc(s, m, n)")
    .nearMiss("v: dvector; n: lscalar; m: lscalar; alloc(v, m, n)")
    .also({Phase::Canonicalize, Phase::Stabilize, Phase::Specialize})
    .match<Alloc>([](const NodeHandle &node, Editor &edit) {
        const auto inner = madeBy<Alloc>(node.input(0));
        if (!inner) return declined("its value is no allocation", ownerOf(node.input(0)));
        const std::size_t innerRank = inner->inputCount() - 1, outerRank = node.inputCount() - 1;
        for (std::size_t i = 0; i < innerRank; ++i) {
            const VarHandle a = inner->input(1 + i), b = node.input(1 + outerRank - innerRank + i);
            if (a == b || inner->output().type().isBroadcastable(static_cast<int>(i))) continue;
            return declined("the sizes are not known to be equal", inner->id());
        }
        std::vector<VarHandle> inputs = node.inputs();
        inputs[0] = inner->input(0);
        return become(edit, node, edit.make(node.op(), inputs));
    });

REWRITE(local_dimshuffle_alloc, Phase::Uncanonicalize)
    .why("leading axes of size 1 are made by the allocation itself")
    .example("s: dscalar; n: lscalar; dimshuffle(alloc(s, n), 'x', 0)", "s: dscalar; n: lscalar; alloc(s, 1, n)")
    .nearMiss("s: dscalar; n: lscalar; dimshuffle(alloc(s, n), 0, 'x')")
    .match<DimShuffle>([](const NodeHandle &node, Editor &edit) {
        const DimShuffle *shuffle = node.opAs<DimShuffle>();
        const auto alloc = madeBy<Alloc>(node.input(0));
        if (!alloc) return declined("its input is no allocation", ownerOf(node.input(0)));
        if (!shuffle->isLeftPad() || shuffle->isIdentity()) return declined("it does more than add axes on the left");
        if (!node.input(0).hasOneClient()) return declined("the allocation has other readers", alloc->id());
        std::vector<VarHandle> inputs{alloc->input(0)};
        for (std::size_t i = shuffle->inputBroadcastable().size(); i < shuffle->order().size(); ++i)
            inputs.push_back(edit.constant(Tensor::scalarInt(DType::Int64, 1)));
        for (std::size_t i = 1; i < alloc->inputCount(); ++i) inputs.push_back(alloc->input(i));
        return become(edit, node, edit.make(alloc->op(), inputs));
    });

REWRITE(local_alloc_dimshuffle, Phase::Uncanonicalize)
    .why("an allocation repeats along new leading axes by itself")
    .example("v: dvector; n: lscalar; alloc(dimshuffle(v, 'x', 0), n, v.shape[0])", "v: dvector; n: lscalar; alloc(v, n, v.shape[0])")
    .nearMiss("v: dvector; n: lscalar; alloc(dimshuffle(v, 0, 'x'), v.shape[0], n)")
    .match<Alloc>([](const NodeHandle &node, Editor &edit) {
        const auto shuffle = madeBy<DimShuffle>(node.input(0));
        if (!shuffle) return declined("its value is not reshuffled", ownerOf(node.input(0)));
        if (!shuffle->opAs<DimShuffle>()->isLeftPad()) return declined("the reshuffle does more than add axes on the left", shuffle->id());
        std::vector<VarHandle> inputs = node.inputs();
        inputs[0] = shuffle->input(0);
        return become(edit, node, edit.make(node.op(), inputs));
    });

} // namespace
} // namespace engine
