// What was promised and is checked as a function runs: declared shapes, axes of size 1, asserted conditions.
#include "engine/ops/elements/checks.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/rewrite/shapes/shape_graph.h"

namespace engine {
namespace {

REWRITE(local_merge_consecutive_specify_shape, Phase::Canonicalize)
    .why("the same promise about sizes twice is checked once")
    .turns("x: dmatrix; n: lvector; q = specify_shape(x, n); specify_shape(q, n)", "q")
    .complexToo()
    .nearMiss("x: dmatrix; n: lvector; m: lvector; specify_shape(specify_shape(x, n), m)")
    .also({Phase::Specialize});

REWRITE(local_specify_shape_lift, Phase::Canonicalize)
    .why("a promise about sizes moves towards the inputs, where shapes are computed from it")
    .hurts("a wrong shape is noticed before the function ran")
    .example("x: dmatrix; n: lvector; specify_shape(exp(x), n)", "x: dmatrix; n: lvector; exp(specify_shape(x, n))")
    .nearMiss("x: dmatrix; y: dmatrix; n: lvector; specify_shape(x + y, n)")
    .match<SpecifyShape>(liftOverFunction);

REWRITE(local_remove_useless_specify_shape, Phase::Useless)
    .why("the shape that an array was found to have is no promise to check")
    .example("x: dmatrix; specify_shape(x, shape(x)) + 1", "x: dmatrix; x + 1")
    .nearMiss("x: dmatrix; n: lvector; specify_shape(x, n) + 1")
    .also({Phase::Canonicalize})
    .match<SpecifyShape>([](const NodeHandle &node, Editor &edit) {
        const VarHandle x = node.input(0);
        if (!(x.type() == node.output().type())) return declined("the type changes");
        if (const auto whole = madeBy<Shape>(node.input(1)); whole && whole->input(0) == x) return become(edit, node, x);
        const auto sizes = madeBy<MakeVector>(node.input(1));
        if (!sizes || static_cast<int>(sizes->inputCount()) != x.rank())
            return declined("the sizes are not known one by one", ownerOf(node.input(1)));
        for (int axis = 0; axis < x.rank(); ++axis)
            if (!isSizeOf(edit, sizes->input(static_cast<std::size_t>(axis)), x, axis))
                return declined("a size is another one", sizes->id());
        return become(edit, node, x);
    });

REWRITE(local_useless_rebroadcast, Phase::Useless)
    .why("a promise about sizes that the type makes already is no promise")
    .turns("r: drow; Rebroadcast(r, 0)", "r", {"r has the type of the result"})
    .complexToo()
    .nearMiss("x: dmatrix; Rebroadcast(x, 0) + 1")
    .also({Phase::Canonicalize, Phase::Specialize});

REWRITE(local_rebroadcast_lift, Phase::Canonicalize)
    .why("a promise about sizes moves towards the inputs, where other rules can use it")
    .hurts("a broken promise is noticed before the function ran")
    .example("x: dmatrix; addbroadcast(exp(x), 0)", "x: dmatrix; exp(addbroadcast(x, 0))")
    .nearMiss("x: dmatrix; y: dmatrix; addbroadcast(x + y, 0)")
    .also({Phase::Specialize})
    .match<Rebroadcast>(liftOverFunction);

REWRITE(local_remove_useless_assert, Phase::Specialize)
    .why("a condition that is known to hold need not be checked")
    .example("x: dvector; assert_(x, 1) + 1", "x: dvector; x + 1")
    .nearMiss("x: dvector; n: lscalar; assert_(x, n) + 1")
    .match<Assert>([](const NodeHandle &node, Editor &edit) {
        std::vector<VarHandle> inputs{node.input(0)};
        for (std::size_t i = 1; i < node.inputCount(); ++i) {
            const auto value = constantValue(node.input(i));
            if (!value || *value == 0) inputs.push_back(node.input(i));
        }
        if (inputs.size() == node.inputCount()) return declined("no condition is known to hold");
        if (inputs.size() == 1) return become(edit, node, inputs[0]);
        return become(edit, node, edit.make(node.op(), inputs));
    });

REWRITE(local_remove_all_assert, Phase::Useless)
    .why("who is sure of the conditions saves checking them")
    .hurts("a broken condition is no longer noticed")
    .example("x: dvector; n: lscalar; assert_(x, eq(n, n + 1)) + 1", "x: dvector; n: lscalar; x + 1")
    .nearMiss("x: dvector; n: lscalar; x + 1")
    .off()
    .tag("unsafe")
    .also({Phase::Canonicalize, Phase::Stabilize, Phase::Specialize})
    .match<Assert>([](const NodeHandle &node, Editor &edit) { return become(edit, node, node.input(0)); });

} // namespace
} // namespace engine
