// Joins, reshapes, splits, asserts: structure that says nothing goes.
#include "engine/ops/checks.h"
#include "engine/ops/join.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/rewrite/canonizer.h"
#include "engine/rewrite/shape_graph.h"

#include <algorithm>

namespace engine {
namespace {

REWRITE(local_join_1, Phase::Useless)
    .why("joining one array gives it back")
    .example("x: dmatrix; concatenate([x], axis=0) + 1", "x: dmatrix; x + 1")
    .nearMiss("x: dmatrix; y: dmatrix; concatenate([x, y], axis=0) + 1")
    .also({Phase::Canonicalize, Phase::Specialize})
    .match<Join>([](const NodeHandle &node, Editor &edit) {
        if (node.inputCount() != 2) return declined("it joins several arrays");
        return become(edit, node, node.input(1));
    });

REWRITE(local_join_empty, Phase::Useless)
    .why("an array without elements along the axis adds nothing")
    .example("x: dvector; y: dvector; concatenate([x, zeros(0), y])", "x: dvector; y: dvector; concatenate([x, y])")
    .nearMiss("x: dvector; y: dvector; concatenate([x, zeros(1), y])")
    .also({Phase::Canonicalize, Phase::Specialize})
    .match<Join>([](const NodeHandle &node, Editor &edit) {
        const auto axis = constantValue(node.input(0));
        if (!axis) return declined("the axis is not a constant");
        std::vector<VarHandle> inputs{node.input(0)};
        for (std::size_t i = 1; i < node.inputCount(); ++i) {
            const VarHandle part = node.input(i);
            const int at = static_cast<int>(*axis) < 0 ? static_cast<int>(*axis) + part.rank() : static_cast<int>(*axis);
            if (knownSize(edit, part, at) != 0) inputs.push_back(part);
        }
        if (inputs.size() == node.inputCount()) return declined("no array is known to be empty");
        if (inputs.size() == 1) return declined("all arrays are empty");
        if (inputs.size() == 2) return become(edit, node, inputs[1]);
        return become(edit, node, edit.make(node.op(), inputs));
    });

REWRITE(local_join_make_vector, Phase::Useless)
    .why("vectors of scalars join to one vector of scalars")
    .example("a: lscalar; b: lscalar; c: lscalar; concatenate([MakeVector(a, b), MakeVector(c)])",
             "a: lscalar; b: lscalar; c: lscalar; MakeVector(a, b, c)")
    .nearMiss("a: lscalar; v: lvector; concatenate([MakeVector(a, a), v])")
    .also({Phase::Canonicalize, Phase::Specialize})
    .match<Join>([](const NodeHandle &node, Editor &edit) {
        if (node.output().rank() != 1) return declined("no vectors are joined");
        std::vector<VarHandle> inputs{node.input(0)};
        std::optional<NodeHandle> last;
        bool changed = false;
        for (std::size_t i = 1; i < node.inputCount(); ++i) {
            const auto vector = madeBy<MakeVector>(node.input(i));
            if (vector && last && vector->op() == last->op()) {
                std::vector<VarHandle> both = last->inputs();
                const std::vector<VarHandle> more = vector->inputs();
                both.insert(both.end(), more.begin(), more.end());
                const NodeHandle made = edit.apply(vector->op(), both);
                inputs.back() = made.output();
                last = made;
                changed = true;
                continue;
            }
            inputs.push_back(node.input(i));
            last = vector;
        }
        if (!changed) return declined("no two vectors of scalars stand side by side");
        if (inputs.size() == 2) return become(edit, node, inputs[1]);
        return become(edit, node, edit.make(node.op(), inputs));
    });

REWRITE(local_useless_split, Phase::Useless)
    .why("one part of a split in one is the array")
    .example("x: dvector; n: lvector; Split(x, n, 1)[0] + 1", "x: dvector; n: lvector; x + 1")
    .nearMiss("x: dvector; n: lvector; Split(x, n, 2)[0] + 1")
    .also({Phase::Canonicalize, Phase::Specialize})
    .match<Split>([](const NodeHandle &node, Editor &edit) {
        if (node.opAs<Split>()->count() != 1) return declined("it makes several parts");
        return become(edit, node, node.input(0));
    });

// --- reshape ------------------------------------------------------------------------------------------------

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
    .match<Reshape>([](const NodeHandle &node, Editor &edit) {
        const VarHandle x = node.input(0);
        const ApplyId owner = ownerOf(x);
        if (owner == kNoApply) return declined("its input is an input or a constant");
        const NodeHandle producer(node.graph(), owner);
        if (!elemwiseOf(producer) || producer.inputCount() != 1 || producer.outputCount() != 1)
            return declined("its input is no function of one argument", owner);
        if (!x.hasOneClient()) return declined("its input has other readers", owner);
        x.owner();
        const VarHandle inner = edit.make(node.op(), {producer.input(0), node.input(1)});
        return become(edit, node, edit.make(producer.op(), {inner}));
    });

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

REWRITE(local_useless_rebroadcast, Phase::Useless)
    .why("a promise about sizes that the type makes already is no promise")
    .example("r: drow; Rebroadcast(r, 0) + 1", "r: drow; r + 1")
    .nearMiss("x: dmatrix; Rebroadcast(x, 0) + 1")
    .also({Phase::Canonicalize, Phase::Specialize})
    .match<Rebroadcast>([](const NodeHandle &node, Editor &edit) {
        if (!(node.input(0).type() == node.output().type())) return declined("the pattern changes");
        return become(edit, node, node.input(0));
    });

REWRITE(local_rebroadcast_lift, Phase::Canonicalize)
    .why("a promise about sizes moves towards the inputs, where other rules can use it")
    .hurts("a broken promise is noticed before the function ran")
    .example("x: dmatrix; addbroadcast(exp(x), 0)", "x: dmatrix; exp(addbroadcast(x, 0))")
    .nearMiss("x: dmatrix; y: dmatrix; addbroadcast(x + y, 0)")
    .also({Phase::Specialize})
    .match<Rebroadcast>([](const NodeHandle &node, Editor &edit) {
        const VarHandle x = node.input(0);
        const ApplyId owner = ownerOf(x);
        if (owner == kNoApply) return declined("its input is an input or a constant");
        const NodeHandle producer(node.graph(), owner);
        if (!elemwiseOf(producer) || producer.inputCount() != 1 || producer.outputCount() != 1)
            return declined("its input is no function of one argument", owner);
        if (!x.hasOneClient()) return declined("its input has other readers", owner);
        x.owner();
        return become(edit, node, edit.make(producer.op(), {edit.make(node.op(), {producer.input(0)})}));
    });

// --- checks ---------------------------------------------------------------------------------------------------

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

// --- reductions of joins, sums of squares ---------------------------------------------------------------------

REWRITE(local_reduce_join, Phase::Canonicalize)
    .why("the sum over a joined axis of single rows is the sum of the rows")
    .hurts("adds up row by row, whatever order the sum over the joined array had: the last digits may differ")
    .example("a: dvector; b: dvector; sum(concatenate([dimshuffle(a, 'x', 0), dimshuffle(b, 'x', 0)], axis=0), axis=0)",
             "a: dvector; b: dvector; a + b")
    .nearMiss("x: dmatrix; y: dmatrix; sum(concatenate([x, y], axis=0), axis=0)")
    .also({Phase::Uncanonicalize})
    .match<CAReduce>([](const NodeHandle &node, Editor &edit) {
        const CAReduce &op = *node.opAs<CAReduce>();
        const auto join = madeBy<Join>(node.input(0));
        if (!join) return declined("it does not reduce a join", ownerOf(node.input(0)));
        const auto axis = constantValue(join->input(0));
        const std::vector<int> axes = op.axesFor(node.input(0).rank());
        if (!axis || axes != std::vector<int>{static_cast<int>(*axis)}) return declined("it reduces another axis", join->id());
        ScalarCode code;
        switch (op.kind()) {
        case ReduceKind::Sum: code = ScalarCode::Add; break;
        case ReduceKind::Prod: code = ScalarCode::Mul; break;
        case ReduceKind::Max: code = ScalarCode::Maximum; break;
        case ReduceKind::Min: code = ScalarCode::Minimum; break;
        default: return declined("no function of two does what it does");
        }
        if (join->inputCount() > 3 && (code == ScalarCode::Maximum || code == ScalarCode::Minimum)) return declined("more than two arrays");
        std::vector<int> order;
        for (int a = 0; a < node.input(0).rank(); ++a)
            if (a != axes[0]) order.push_back(a);
        std::vector<VarHandle> terms;
        for (std::size_t i = 1; i < join->inputCount(); ++i) {
            const VarHandle part = join->input(i);
            if (!part.type().isBroadcastable(axes[0])) return declined("an array has more than one row along the axis", join->id());
            if (part.dtype() != node.output().dtype()) return declined("the dtype would change", join->id());
            terms.push_back(dimshuffle(edit, part, order));
        }
        return become(edit, node, elementwise(edit, scalarOp(code), terms));
    });

REWRITE(X_over_absX, Phase::Canonicalize)
    .why("x / |x| is the sign of x")
    .hurts("0 / 0 was nan, the sign of 0 is 0")
    .dropsNan("0 / 0 and inf / inf")
    .example("x / abs(x)", "sgn(x)")
    .example("0.5 * x / abs(x)", "0.5 * sgn(x)")
    .nearMiss("x / abs(y)")
    .also({Phase::Specialize})
    .at(-1)
    .match<ScalarCode::TrueDiv, ScalarCode::Mul>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        if (!elemwiseOf(node) || !isFloatType(out)) return declined("not a quotient of floats");
        // A look before the product is opened: most have no absolute value.
        const auto isAbs = [&](VarId v) {
            const ApplyId owner = out.graph().var(v).owner;
            const Elemwise *op = owner == kNoApply ? nullptr : opCast<Elemwise>(out.graph().apply(owner).op);
            return op && op->is(ScalarCode::Abs);
        };
        const auto holdsAbs = [&](const Use &use) {
            if (isAbs(use.var)) return true;
            const ApplyId owner = out.graph().var(use.var).owner;
            const Elemwise *op = owner == kNoApply ? nullptr : opCast<Elemwise>(out.graph().apply(owner).op);
            if (!op || !(op->is(ScalarCode::Mul) || op->is(ScalarCode::TrueDiv) || op->is(ScalarCode::Inv))) return false;
            const auto &inputs = out.graph().apply(owner).inputs;
            return std::any_of(inputs.begin(), inputs.end(), [&](const Use &inner) { return isAbs(inner.var); });
        };
        const auto &uses = out.graph().apply(node.id()).inputs;
        if (std::none_of(uses.begin(), uses.end(), holdsAbs)) return declined("no factor is an absolute value");
        CanonTerms terms = canonTerms(out, kProductFamily);
        // Every factor is held against every divisor.
        if (terms.above.size() + terms.below.size() > 64) return declined("the product is too long");
        for (VarHandle &factor : terms.above) {
            const auto isItsSize = [&](VarHandle v) {
                const auto absolute = madeBy(v, ScalarCode::Abs);
                return absolute && absolute->input(0) == factor && factor.dtype() == out.dtype();
            };
            const auto found = std::find_if(terms.below.begin(), terms.below.end(), isItsSize);
            if (found == terms.below.end()) continue;
            factor = elementwise(edit, ScalarCode::Sgn, {factor});
            terms.below.erase(found);
            return become(edit, node, buildTerms(edit, terms, kProductFamily, out));
        }
        return declined("it is not x / |x|");
    });

} // namespace
} // namespace engine
