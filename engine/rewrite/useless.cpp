// What can simply go: fills, casts, copies, comparisons and switches that decide nothing.
#include "engine/ops/alloc.h"
#include "engine/ops/shape.h"
#include "engine/rewrite/shape_graph.h"

namespace engine {
namespace {

/// A value that is a size, or a sum of sizes: never negative.
bool isSize(VarHandle v, int depth = 4)
{
    if (depth == 0) return false;
    if (madeBy<Shape_i>(v)) return true;
    if (const auto value = constantValue(v)) return *value >= 0 && isDiscrete(v.dtype());
    if (const auto sum = madeBy(v, ScalarCode::Add)) {
        for (const VarHandle &term : sum->inputs())
            if (!isSize(term, depth - 1)) return false;
        return true;
    }
    if (const auto shuffle = madeBy<DimShuffle>(v)) return isSize(shuffle->input(0), depth - 1);
    return false;
}

VarHandle boolean(Editor &edit, const NodeHandle &node, bool value)
{
    return constantLike(edit, node.output(), value ? 1 : 0);
}

REWRITE(local_useless_fill, Phase::Useless)
    .why("fill(s, v) is v where v has the shape already")
    .example("x: dmatrix; y: dmatrix; fill(x, exp(y)) * 2", "x: dmatrix; y: dmatrix; exp(y) * 2")
    .nearMiss("x: dmatrix; y: dscalar; fill(x, y)")
    .also({Phase::Canonicalize})
    .fastCompile()
    .match<ScalarCode::Second>([](const NodeHandle &node, Editor &edit) {
        if (!(node.input(1).type() == node.output().type()))
            return declined("the value has to be repeated", ownerOf(node.input(1)));
        // All axes of the value that broadcast also do so in the result, so the shape is the value's.
        return become(edit, node, node.input(1));
    });

REWRITE(local_useless_elemwise, Phase::Useless)
    .why("add, mul and identity of one argument give it back; x == x and its like are known")
    .example("x: lvector; eq(x, x)", "x: lvector; fill(x, cast(1, bool))")
    .example("x: lvector; xor(x, x)", "x: lvector; fill(x, cast(0, int64))")
    .nearMiss("x: lvector; z: lvector; eq(x, z)")
    .also({Phase::Canonicalize, Phase::Specialize})
    .match<ScalarCode::Eq, ScalarCode::Neq, ScalarCode::Add, ScalarCode::Mul, ScalarCode::Identity, ScalarCode::And,
           ScalarCode::Or, ScalarCode::Xor>([](const NodeHandle &node, Editor &edit) {
        const Elemwise *op = elemwiseOf(node);
        if (!op) return declined("it works in place already");
        const ScalarCode code = op->scalar()->code();
        switch (code) {
        case ScalarCode::Identity: return become(edit, node, node.input(0));
        case ScalarCode::Add:
        case ScalarCode::Mul:
            if (node.inputCount() != 1) return declined("it has several arguments");
            return become(edit, node, node.input(0));
        case ScalarCode::Eq:
        case ScalarCode::Neq:
            if (!(node.input(0) == node.input(1))) return declined("the arguments differ");
            if (!isDiscrete(node.input(0).dtype())) return declined("nan is not equal to itself");
            return become(edit, node, boolean(edit, node, code == ScalarCode::Eq));
        default: break;
        }
        if (node.inputCount() != 2) return declined("it has several arguments");
        if (code == ScalarCode::Xor)
            return node.input(0) == node.input(1) ? become(edit, node, boolean(edit, node, false)) : declined("the arguments differ");
        if (node.output().dtype() != DType::Bool) return declined("the bits of integers are kept");
        for (int side = 0; side < 2; ++side) {
            const auto value = constantValue(node.input(static_cast<std::size_t>(side)));
            if (!value) continue;
            const bool decides = (*value == 0) == (code == ScalarCode::And);
            return become(edit, node, decides ? boolean(edit, node, *value != 0) : node.input(static_cast<std::size_t>(1 - side)));
        }
        return declined("no argument is a constant");
    });

REWRITE(local_useless_elemwise_comparison, Phase::Useless)
    .why("a size is never negative, and nothing is smaller than itself")
    .example("i: lvector; maximum(i.shape[0], 0)", "i: lvector; i.shape[0]")
    .example("i: lvector; i < i", "i: lvector; fill(i, cast(0, bool))")
    .nearMiss("i: lvector; j: lvector; i < j")
    .also({Phase::Canonicalize, Phase::Stabilize, Phase::Specialize})
    .match<ScalarCode::Lt, ScalarCode::Gt, ScalarCode::Le, ScalarCode::Ge, ScalarCode::Maximum, ScalarCode::Minimum, ScalarCode::Eq>(
        [](const NodeHandle &node, Editor &edit) {
            const Elemwise *op = elemwiseOf(node);
            if (!op || node.inputCount() != 2) return declined("it works in place already");
            const ScalarCode code = op->scalar()->code();
            const VarHandle a = node.input(0), b = node.input(1);
            if (a == b) {
                if (code == ScalarCode::Maximum || code == ScalarCode::Minimum) return become(edit, node, a);
                if (!isDiscrete(a.dtype())) return declined("nan is not equal to itself");
                const bool holds = code == ScalarCode::Le || code == ScalarCode::Ge || code == ScalarCode::Eq;
                return become(edit, node, boolean(edit, node, holds));
            }
            const auto valueOfB = constantValue(b), valueOfA = constantValue(a);
            if (valueOfB && isSize(a)) {
                if (*valueOfB == 0) {
                    if (code == ScalarCode::Lt) return become(edit, node, boolean(edit, node, false));
                    if (code == ScalarCode::Ge) return become(edit, node, boolean(edit, node, true));
                    if (code == ScalarCode::Maximum) return become(edit, node, a);
                    if (code == ScalarCode::Minimum) return become(edit, node, constantLike(edit, node.output(), 0));
                }
                if (code == ScalarCode::Eq && *valueOfB < 0) return become(edit, node, boolean(edit, node, false));
            }
            if (valueOfA && *valueOfA == 0 && isSize(b)) {
                if (code == ScalarCode::Gt) return become(edit, node, boolean(edit, node, false));
                if (code == ScalarCode::Le) return become(edit, node, boolean(edit, node, true));
                if (code == ScalarCode::Maximum) return become(edit, node, b);
                if (code == ScalarCode::Minimum) return become(edit, node, constantLike(edit, node.output(), 0));
            }
            return declined("neither side is known to be a size");
        });

REWRITE(local_elemwise_sub_zeros, Phase::Specialize)
    .why("x - x is 0")
    .hurts("inf - inf and nan - nan are nan in IEEE arithmetic")
    .dropsNan("inf - inf and nan - nan")
    .example("x - x", "fill(x, 0.0)")
    .nearMiss("x - y")
    .match<ScalarCode::Sub>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node) || !(node.input(0) == node.input(1))) return declined("the arguments differ");
        return become(edit, node, constantLike(edit, node.output(), 0));
    });

REWRITE(local_useless_switch, Phase::Useless)
    .why("a switch whose condition is known, or whose branches are equal, is its branch")
    .example("c: lvector; x: dvector; switch(c, x, x)", "c: lvector; x: dvector; x")
    .example("x: dvector; y: dvector; switch(1, x, y)", "x: dvector; y: dvector; x")
    .nearMiss("c: lvector; x: dvector; y: dvector; switch(c, x, y)")
    .also({Phase::Canonicalize, Phase::Specialize})
    .match<ScalarCode::Switch>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        if (const auto condition = constantValue(node.input(0))) return become(edit, node, node.input(*condition != 0 ? 1 : 2));
        if (node.input(1) == node.input(2)) return become(edit, node, node.input(1));
        // switch(shape <= 0, 0, shape) is shape
        if (const auto test = madeBy(node.input(0), ScalarCode::Le);
            test && isConstantOf(test->input(1), 0) && isConstantOf(node.input(1), 0) && test->input(0) == node.input(2) &&
            isSize(node.input(2)))
            return become(edit, node, node.input(2));
        return declined("the condition is not known and the branches differ");
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

} // namespace
} // namespace engine
