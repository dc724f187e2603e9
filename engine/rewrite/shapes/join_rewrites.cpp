// Joins and splits: empty and single parts go, scalars gather, parts that belong together meet.
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/shape.h"
#include "engine/rewrite/shapes/index_view.h"
#include "engine/rewrite/shapes/shape_graph.h"

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
        const auto axis = joinAxis(node);
        if (!axis) return declined("the axis is not a constant");
        std::vector<VarHandle> inputs{node.input(0)};
        for (std::size_t i = 1; i < node.inputCount(); ++i) {
            const VarHandle part = node.input(i);
            if (knownSize(edit, part, *axis) != 0) inputs.push_back(part);
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

REWRITE(local_join_subtensors, Phase::Canonicalize)
    .why("the two parts of an array, joined again, are the array")
    .example("x: dmatrix; concatenate([x[:2], x[2:]]) + 1", "x: dmatrix; x + 1")
    .nearMiss("x: dmatrix; concatenate([x[:2], x[1:]]) + 1")
    .also({Phase::Specialize})
    .match<Join>([](const NodeHandle &node, Editor &edit) {
        const auto axis = joinAxis(node);
        if (!axis || node.inputCount() != 3) return declined("it does not join two arrays");
        const auto first = madeBy<Subtensor>(node.input(1)), second = madeBy<Subtensor>(node.input(2));
        if (!first || !second || !(first->input(0) == second->input(0))) return declined("they are no parts of one array");
        const IndexParts a = partsOf(*first), b = partsOf(*second);
        if (a.size() != b.size() || a.size() <= static_cast<std::size_t>(*axis))
            return declined("they are indexed differently", first->id());
        for (std::size_t i = 0; i < a.size(); ++i)
            if (i != static_cast<std::size_t>(*axis) && (!a[i].isFull() || !b[i].isFull()))
                return declined("another axis is indexed, too", first->id());
        const IndexPart &head = a[*axis], &tail = b[*axis];
        const auto unit = [](const IndexPart &part) { return part.isSlice && (!part.step || knownInteger(part.step) == 1); };
        // x[:k] and x[k:] meet for every k, also a negative one or one behind the end.
        if (!unit(head) || !unit(tail) || head.start || !head.stop || !tail.start || tail.stop || !(*head.stop == *tail.start))
            return declined("the parts do not meet", first->id());
        return become(edit, node, first->input(0));
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
        const auto axis = joinAxis(*join);
        const std::vector<int> axes = op.axesFor(node.input(0).rank());
        if (!axis || axes != std::vector<int>{*axis}) return declined("it reduces another axis", join->id());
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

} // namespace
} // namespace engine
