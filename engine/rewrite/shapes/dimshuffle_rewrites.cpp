// DimShuffle: merged, lifted towards the inputs, dropped where it does nothing.
#include "engine/ops/products/dot.h"
#include "engine/rewrite/machine/build.h"

namespace engine {
namespace {

RewriteResult liftDimshuffle(const NodeHandle &node, Editor &edit)
{
    const DimShuffle *shuffle = node.opAs<DimShuffle>();
    const VarHandle x = node.input(0);
    if (shuffle->isIdentity()) return become(edit, node, x, "it changes nothing");
    if (const auto inner = madeBy<DimShuffle>(x)) {
        std::vector<int> order;
        const std::vector<int> &before = inner->opAs<DimShuffle>()->order();
        for (int axis : shuffle->order()) order.push_back(axis == DimShuffle::kNewAxis ? DimShuffle::kNewAxis : before[axis]);
        return become(edit, node, dimshuffle(edit, inner->input(0), std::move(order)), "two in a row are one");
    }
    const ApplyId owner = ownerOf(x);
    if (owner == kNoApply) return declined("its input is an input or a constant");
    const NodeHandle producer(node.graph(), owner);
    const Elemwise *op = elemwiseOf(producer);
    if (!op || producer.outputCount() != 1) return declined("its input is not elementwise", owner);
    if (!x.hasOneClient()) return declined("its input has other readers", owner);
    // A dropped axis that an argument repeats along would disappear from that argument too, which is right; a
    // transposition of large arguments moves the work to several places, as Theano does.
    std::vector<VarHandle> inputs;
    for (const VarHandle &input : producer.inputs()) {
        if (input.rank() != x.rank()) return declined("an argument has another rank", owner);
        inputs.push_back(dimshuffle(edit, input, shuffle->order()));
    }
    x.owner();
    return become(edit, node, edit.make(producer.op(), inputs), "it commutes with elementwise work");
}

REWRITE(local_dimshuffle_lift, Phase::Canonicalize)
    .why("reshuffles meet and cancel near the inputs, and stop hiding patterns")
    .hurts("the work behind a transposition then reads its inputs with strides")
    .example("x: dmatrix; dimshuffle(dimshuffle(x, 1, 0), 1, 0) + 1", "x: dmatrix; x + 1")
    .example("x: dmatrix; y: dmatrix; dimshuffle(x * y, 1, 0)", "x: dmatrix; y: dmatrix; dimshuffle(x, 1, 0) * dimshuffle(y, 1, 0)")
    .nearMiss("x: dmatrix; dimshuffle(x, 1, 0)")
    .also({Phase::Specialize})
    .match<DimShuffle>(liftDimshuffle);

REWRITE(local_lift_transpose_through_dot, Phase::Canonicalize)
    .why("(x·y)ᵀ is yᵀ·xᵀ: transpositions of inputs cost nothing")
    .hurts("two transposed inputs instead of one transposed result")
    .turns("x: dmatrix; y: dmatrix; p = dot(x, y); T(p)", "dot(T(y), T(x))", {"p has no other client"})
    .complexToo()
    .nearMiss("x: dmatrix; v: dvector; dot(T(x), v)");

REWRITE(local_0_dot_x, Phase::Canonicalize)
    .why("a product with nothing but zeros is zeros")
    .hurts("0 * nan and 0 * inf are nan in IEEE arithmetic")
    .dropsNan("inf and nan times 0")
    .example("x: dvector; y: dvector; dot(fill(x, 0.0), y)", "x: dvector; y: dvector; 0.0")
    .nearMiss("x: dvector; y: dvector; dot(fill(x, 1.0), y)")
    .also({Phase::Stabilize})
    .match<Dot>([](const NodeHandle &node, Editor &edit) {
        if (!isConstantOf(node.input(0), 0) && !isConstantOf(node.input(1), 0)) return declined("neither side is all zeros");
        const VarHandle out = node.output();
        const VarHandle zero = constantLike(edit, out, 0);
        if (zero.type() == out.type()) return become(edit, node, zero);
        // The shape comes from a row of one side and a column of the other.
        std::vector<VarHandle> parts;
        const auto along = [&](VarHandle side, int axis, bool isRow) {
            std::vector<int> order;
            if (out.rank() == 2) order = isRow ? std::vector<int>{DimShuffle::kNewAxis, 0} : std::vector<int>{0, DimShuffle::kNewAxis};
            else order = {0};
            (void)axis;
            if (side.rank() == 2)
                side = edit.make(makeOp<CAReduce>(ReduceKind::Sum, std::vector<int>{isRow ? 0 : 1}, side.dtype(), side.dtype()), {side});
            return dimshuffle(edit, side, std::move(order));
        };
        VarHandle after = zero;
        if (node.input(0).rank() == 2) after = elementwise(edit, ScalarCode::Second, {along(node.input(0), 0, false), after});
        if (node.input(1).rank() == 2) after = elementwise(edit, ScalarCode::Second, {along(node.input(1), 1, true), after});
        return become(edit, node, after);
    });

} // namespace
} // namespace engine
