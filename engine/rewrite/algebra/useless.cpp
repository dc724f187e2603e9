// What can simply go: fills, casts, copies, comparisons and switches that decide nothing.
#include "engine/ops/reductions/topk.h"
#include "engine/ops/shapes/shape.h"
#include "engine/rewrite/shapes/shape_graph.h"

namespace engine {
namespace {

REWRITE(local_useless_fill, Phase::Useless)
    .why("fill(s, v) is v where v has the shape already")
    .generally("fill(y, x)", "x", {"x has the type of the result"})
    .complexToo()
    .example("x: dmatrix; y: dmatrix; fill(x, exp(y)) * 2", "x: dmatrix; y: dmatrix; exp(y) * 2")
    .nearMiss("x: dmatrix; y: dscalar; fill(x, y)")
    .also({Phase::Canonicalize})
    .fastCompile();

REWRITE(local_useless_topk, Phase::Useless)
    .why("who asks only for the largest elements, or only for their places, gets only those")
    .example("x: dmatrix; TopKOp(x, 2)[0]", "x: dmatrix; topk(x, 2)")
    .example("x: dmatrix; TopKOp(x, 2)[1]", "x: dmatrix; argtopk(x, 2)")
    .nearMiss("x: dmatrix; TopKOp(x, 2)[0], TopKOp(x, 2)[1]")
    .fastCompile()
    .match<TopKOp>([](const NodeHandle &node, Editor &edit) {
        const TopKOp &op = *node.opAs<TopKOp>();
        if (!op.hasValues() || !op.hasPlaces()) return declined("it has one result");
        for (int used = 0; used < 2; ++used)
            if (node.output(1 - used).clients().empty())
                return becomeOutput(edit, node, used,
                                    edit.make(makeOp<TopKOp>(op.axis(), op.sorted(), op.placesDType(), used == 0, used == 1),
                                              {node.input(0), node.input(1)}));
        return declined("both results are read");
    });

REWRITE(local_useless_elemwise, Phase::Useless)
    .why("add, mul and identity of one argument give it back; x == x and its like are known")
    .turns("i: lvector; eq(i, i)", "fill(i, cast(1, bool))", {"i is an integer"})
    .turns("i: lvector; neq(i, i)", "fill(i, cast(0, bool))", {"i is an integer"})
    .turns("i: lvector; xor(i, i)", "fill(i, cast(0, int64))")
    .turns("b: bool[?]; b & True", "b", {"the result is bool"})
    .turns("b: bool[?]; b & False", "fill(b, cast(0, bool))", {"the result is bool"})
    .turns("b: bool[?]; b | False", "b", {"the result is bool"})
    .turns("b: bool[?]; b | True", "fill(b, cast(1, bool))", {"the result is bool"})
    .turns("tensor_copy(x)", "x")
    .turns("add(x)", "x")
    .turns("mul(x)", "x")
    .complexToo()
    .nearMiss("x: lvector; z: lvector; eq(x, z)")
    .also({Phase::Canonicalize, Phase::Specialize});

REWRITE(local_useless_elemwise_comparison, Phase::Useless)
    .why("a size is never negative, and nothing is smaller than itself")
    .turns("i: lvector; i < i", "fill(i, cast(0, bool))", {"i is an integer"})
    .turns("i: lvector; i > i", "fill(i, cast(0, bool))", {"i is an integer"})
    .turns("i: lvector; i <= i", "fill(i, cast(1, bool))", {"i is an integer"})
    .turns("i: lvector; i >= i", "fill(i, cast(1, bool))", {"i is an integer"})
    .turns("i: lvector; eq(i, i)", "fill(i, cast(1, bool))", {"i is an integer"})
    .turns("maximum(x, x)", "x")
    .turns("minimum(x, x)", "x")
    .generally("n < 0", "fill(n, 0)", {"n is a size"})
    .generally("n >= 0", "fill(n, 1)", {"n is a size"})
    .generally("0 > n", "fill(n, 0)", {"n is a size"})
    .generally("0 <= n", "fill(n, 1)", {"n is a size"})
    .generally("eq(n, c)", "fill(n, 0)", {"n is a size", "c is below 0"})
    .generally("maximum(n, 0)", "n", {"n is a size"})
    .generally("minimum(n, 0)", "fill(n, 0)", {"n is a size"})
    .example("i: lvector; maximum(i.shape[0], 0)", "i: lvector; i.shape[0]")
    .nearMiss("i: lvector; j: lvector; i < j")
    .also({Phase::Canonicalize, Phase::Stabilize, Phase::Specialize});

REWRITE(local_elemwise_sub_zeros, Phase::Specialize)
    .why("x - x is 0")
    .hurts("inf - inf and nan - nan are nan in IEEE arithmetic")
    .dropsNan("inf - inf and nan - nan")
    .turns("x - x", "fill(x, 0.0)")
    .asWritten()
    .complexToo()
    .nearMiss("x - y");

REWRITE(local_useless_switch, Phase::Useless)
    .why("a switch whose condition is known, or whose branches are equal, is its branch")
    .turns("c: lvector; x: dvector; switch(c, x, x)", "x")
    .turns("x: dvector; y: dvector; switch(0, x, y)", "y")
    .generally("switch(c, x, y)", "x", {"c is not 0"})
    .generally("switch(n <= 0, 0, n)", "n", {"n is a size"})
    .example("x: dvector; y: dvector; switch(1, x, y)", "x: dvector; y: dvector; x")
    .complexToo()
    .nearMiss("c: lvector; x: dvector; y: dvector; switch(c, x, y)")
    .also({Phase::Canonicalize, Phase::Specialize})
    .fastCompile();

REWRITE(local_switch_of_not, Phase::Canonicalize)
    .why("a switch on eq(c, 0) is the switch on c with its branches exchanged")
    .turns("c: lvector; x: dvector; y: dvector; switch(eq(c, 0), x, y)", "switch(c, y, x)", {"c is an integer"})
    .complexToo()
    .nearMiss("c: lvector; x: dvector; y: dvector; switch(eq(c, 1), x, y)")
    .tag("croton");

} // namespace
} // namespace engine
