// Reshapes: one instead of two, none where nothing changes, near the inputs.
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/rewrite/shapes/shape_graph.h"

namespace engine {
namespace {

REWRITE(local_reshape_chain, Phase::Canonicalize)
    .why("only the last of two reshapes counts")
    .example("x: dmatrix; reshape(reshape(x, -1), 3, -1)", "x: dmatrix; reshape(x, 3, -1)")
    .nearMiss("x: dmatrix; reshape(exp(x), -1)")
    .match<Reshape>([](const NodeHandle &node, Editor &edit) {
        const auto inner = madeBy<Reshape>(node.input(0));
        if (!inner) return declined("its input is not reshaped", ownerOf(node.input(0)));
        return become(edit, node, edit.make(node.op(), {inner->input(0), node.input(1)}));
    });

REWRITE(local_useless_reshape, Phase::Useless)
    .why("a reshape to the same shape is the array")
    .hurts("an open size beside a size of 0 is that of the array, where the reshape gives 0")
    .example("x: dmatrix; reshape(x, x.shape[0], x.shape[1]) + 1", "x: dmatrix; x + 1")
    .example("v: dvector; reshape(v, -1) + 1", "v: dvector; v + 1")
    .nearMiss("x: dmatrix; reshape(x, x.shape[1], x.shape[0]) + 1")
    .also({Phase::Canonicalize, Phase::Stabilize})
    .match<Reshape>([](const NodeHandle &node, Editor &edit) {
        const VarHandle x = node.input(0), out = node.output();
        if (x.rank() != out.rank() || !(x.type() == out.type())) return declined("the type changes");
        if (x.rank() == 1) return become(edit, node, x);
        const auto sizes = madeBy<MakeVector>(node.input(1));
        const Value *constant = node.input(1).constant();
        int open = 0;
        for (int axis = 0; axis < x.rank(); ++axis) {
            if (x.type().isBroadcastable(axis)) continue;
            std::optional<VarHandle> wanted;
            if (sizes) {
                wanted = sizes->input(static_cast<std::size_t>(axis));
            } else if (constant) {
                wanted = edit.constant(Tensor::scalarInt(DType::Int64, constant->tensor().intAt(axis)));
            }
            if (!wanted) return declined("the sizes are not known one by one", ownerOf(node.input(1)));
            if (const auto cast = madeBy(*wanted, ScalarCode::Cast)) wanted = cast->input(0);
            if (isConstantOf(*wanted, -1)) {
                // What is left for one axis is its old size if all others keep theirs.
                if (++open > 1) return declined("two sizes are left open");
                continue;
            }
            const auto number = constantValue(*wanted);
            if (number ? knownSize(edit, x, axis) != *number : !isSizeOf(edit, *wanted, x, axis))
                return declined("a size is not known to stay");
        }
        return become(edit, node, x);
    });

REWRITE(local_reshape_lift, Phase::Canonicalize)
    .why("a reshape commutes with a function of one argument; near the inputs it is only a view")
    .example("x: dmatrix; reshape(exp(x), -1)", "x: dmatrix; exp(reshape(x, -1))")
    .nearMiss("x: dmatrix; y: dmatrix; reshape(x + y, -1)")
    .also({Phase::Stabilize})
    .match<Reshape>(liftOverFunction);

REWRITE(local_useless_dimshuffle_in_reshape, Phase::Canonicalize)
    .why("axes of size 1 that were added or dropped make no difference to a reshape")
    .example("v: dvector; reshape(dimshuffle(v, 'x', 0), 3, -1)", "v: dvector; reshape(v, 3, -1)")
    .nearMiss("x: dmatrix; reshape(dimshuffle(x, 1, 0), -1)")
    .match<Reshape>([](const NodeHandle &node, Editor &edit) {
        const auto shuffle = madeBy<DimShuffle>(node.input(0));
        if (!shuffle) return declined("its input is not reshuffled", ownerOf(node.input(0)));
        int last = -1;
        for (int axis : shuffle->opAs<DimShuffle>()->order()) {
            if (axis == DimShuffle::kNewAxis || shuffle->input(0).type().isBroadcastable(axis)) continue;
            if (axis < last) return declined("axes change places", shuffle->id());
            last = axis;
        }
        return become(edit, node, edit.make(node.op(), {shuffle->input(0), node.input(1)}));
    });

REWRITE(local_reshape_to_dimshuffle, Phase::Canonicalize)
    .why("axes of size 1 are added by a reshuffle, whose effect is known before it runs")
    .hurts("two views instead of one")
    .example("v: dvector; reshape(v, 1, v.shape[0])", "v: dvector; dimshuffle(reshape(v, v.shape[0]), 'x', 0)")
    .nearMiss("v: dvector; reshape(v, 3, -1)")
    .match<Reshape>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        const auto sizes = madeBy<MakeVector>(node.input(1));
        const Value *constant = node.input(1).constant();
        std::vector<int> order;
        std::vector<VarHandle> left;
        for (int axis = 0; axis < out.rank(); ++axis) {
            if (out.type().isBroadcastable(axis)) {
                order.push_back(DimShuffle::kNewAxis);
                continue;
            }
            order.push_back(static_cast<int>(left.size()));
            if (sizes) left.push_back(castTo(edit, sizes->input(static_cast<std::size_t>(axis)), DType::Int64));
            else if (constant) left.push_back(edit.constant(Tensor::scalarInt(DType::Int64, constant->tensor().intAt(axis))));
            else return declined("the sizes are not known one by one", ownerOf(node.input(1)));
        }
        if (static_cast<int>(left.size()) == out.rank()) return declined("no axis of the result is known to have size 1");
        if (left.empty()) return declined("all axes have size 1");
        const VarHandle shape = edit.make(makeOp<MakeVector>(DType::Int64), left);
        const VarHandle inner = edit.make(makeOp<Reshape>(static_cast<int>(left.size())), {node.input(0), shape});
        return become(edit, node, dimshuffle(edit, inner, order));
    });

} // namespace
} // namespace engine
