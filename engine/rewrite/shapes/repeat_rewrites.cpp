// Values that are repeated, zeros and diagonals: how they are allocated and when they need not be.
#include "engine/ops/products/dot.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"
#include "engine/rewrite/shapes/shape_graph.h"

namespace engine {
namespace {

REWRITE(local_canonicalize_alloc, Phase::Canonicalize)
    .why("axes of size 1 are added by a view, which other rules see through")
    .example("v: dscalar; n: lscalar; alloc(v, 1, n)", "v: dscalar; n: lscalar; dimshuffle(alloc(v, n), 'x', 0)")
    .nearMiss("v: dscalar; n: lscalar; alloc(v, n, 1)")
    .nearMiss("x: dmatrix; n: lscalar; alloc(x, 1, n)")
    .also({Phase::Stabilize, Phase::Specialize})
    .match<Alloc>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        VarHandle value = node.input(0);
        int drop = 0;
        while (drop < out.rank() && out.type().isBroadcastable(drop)) ++drop;
        if (drop == 0) return declined("its first axis is not known to have size 1");
        if (drop == out.rank()) return declined("all axes have size 1: there is nothing to repeat");
        const int left = out.rank() - drop;
        if (value.rank() > left) {
            for (int axis = 0; axis < value.rank() - left; ++axis)
                if (!value.type().isBroadcastable(axis)) return declined("its value is not known to have size 1 there", ownerOf(value));
            std::vector<int> order;
            for (int axis = value.rank() - left; axis < value.rank(); ++axis) order.push_back(axis);
            value = dimshuffle(edit, value, order);
        }
        std::vector<VarHandle> inputs{value};
        for (int axis = drop; axis < out.rank(); ++axis) inputs.push_back(node.input(1 + static_cast<std::size_t>(axis)));
        return become(edit, node, padLeft(edit, edit.make(node.op(), inputs), out.rank()));
    });

REWRITE(local_useless_alloc, Phase::Useless)
    .why("Alloc(x) is x where x has the shape already")
    .example("x: dmatrix; alloc(x, x.shape[0], x.shape[1]) + 1", "x: dmatrix; x + 1")
    .nearMiss("v: dvector; n: lscalar; alloc(v, n) + 1")
    .nearMiss("s: dscalar; n: lscalar; alloc(s, n)")
    .also({Phase::Canonicalize, Phase::Stabilize, Phase::Specialize})
    .match<Alloc>([](const NodeHandle &node, Editor &edit) {
        const VarHandle x = node.input(0);
        if (!(x.type() == node.output().type())) return declined("the value has to be repeated", ownerOf(x));
        if (!repeatsAsDeclared(edit, node)) return declined("a size of 1 may have to be repeated", ownerOf(x));
        // A graph output keeps its own memory.
        if (node.output().isGraphOutput() && ownerOf(x) == kNoApply) return declined("the function returns it as its own array");
        return become(edit, node, x);
    });

REWRITE(local_alloc_empty_to_zeros, Phase::Fusion)
    .why("memory that was never written to may hold nan; zeros tell real ones apart")
    .hurts("writes memory that is written again")
    .pass("alloc_empty_to_zeros")
    .example("x: dmatrix; v: dvector; gemv(AllocEmpty(float64, x.shape[0]), 1.0, x, v, 0.0)",
             "x: dmatrix; v: dvector; gemv(alloc(constant(0.0, float64), x.shape[0]), 1.0, x, v, 0.0)")
    .nearMiss("x: dmatrix; v: dvector; z: dvector; gemv(z, 1.0, x, v, 0.0)")
    .off()
    .match<AllocEmpty>([](const NodeHandle &node, Editor &edit) {
        std::vector<VarHandle> inputs{constantLike(edit, node.output().dtype(), 0, 0)};
        for (const VarHandle &size : node.inputs()) inputs.push_back(size);
        static const OpRef alloc = makeOp<Alloc>();
        return become(edit, node, edit.make(alloc, inputs));
    });

REWRITE(croton_useless_repeat, Phase::Canonicalize)
    .why("every element once is the array")
    .generally("x: dmatrix; n: lscalar; repeat(x, n, axis=0)", "x", {"n is 1", "n is a scalar"})
    .complexToo()
    .example("x: dmatrix; repeat(x, 1, axis=0) + 1", "x: dmatrix; x + 1")
    .nearMiss("x: dmatrix; repeat(x, 2, axis=0) + 1")
    .tag("croton");

REWRITE(local_extract_diag_of_alloc_diag, Phase::Canonicalize)
    .why("the diagonal of a matrix that was made from its diagonal is that diagonal")
    .example("v: dvector; diag(diag(v)) + 1", "v: dvector; v + 1")
    .with({"local_add_canonizer"})
    .nearMiss("x: dmatrix; diag(x) + 1")
    .tag("croton")
    .match<ExtractDiag>([](const NodeHandle &node, Editor &edit) {
        const ExtractDiag &op = *node.opAs<ExtractDiag>();
        const auto filled = madeBy<AddToDiag>(node.input(0));
        if (!filled) return declined("its input was not made from a diagonal", ownerOf(node.input(0)));
        const AddToDiag &inner = *filled->opAs<AddToDiag>();
        if (inner.offset() != op.offset() || inner.axis1() != op.axis1() || inner.axis2() != op.axis2())
            return declined("it is another diagonal", filled->id());
        if (!isConstantOf(filled->input(0), 0)) return declined("the diagonal was added to other values", filled->id());
        if (node.output().rank() != 1 || !(filled->input(1).type() == node.output().type()))
            return declined("the type would change", filled->id());
        // zeros that are larger than the diagonal's square would give a longer one.
        if (!sameShape(edit, node.output(), filled->input(1))) {
            const VarHandle length = sizeOrShape(edit, filled->input(1), 0);
            if (op.offset() != 0 || !isSizeOf(edit, length, filled->input(0), 0) || !isSizeOf(edit, length, filled->input(0), 1))
                return declined("the matrix is not known to have the diagonal's size", filled->id());
        }
        return become(edit, node, filled->input(1));
    });

} // namespace
} // namespace engine
