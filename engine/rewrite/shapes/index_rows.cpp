// Rows taken by a vector of their numbers.
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/shapes/creation.h"
#include "engine/rewrite/shapes/index_view.h"
#include "engine/rewrite/shapes/shape_graph.h"

namespace engine {
namespace {

REWRITE(local_replace_AdvancedSubtensor, Phase::Canonicalize)
    .why("one vector of indices gathers whole rows, once its axis stands first")
    .hurts("the gathered rows are copied from a transposed view")
    .example("x: dmatrix; i: lvector; x[:, i]", "x: dmatrix; i: lvector; T(T(x)[i])")
    .nearMiss("x: dmatrix; i: lvector; j: lvector; x[i, j]")
    .also({Phase::Specialize})
    .match<AdvancedSubtensor>([](const NodeHandle &node, Editor &edit) {
        const AdvancedSubtensor &op = *node.opAs<AdvancedSubtensor>();
        const VarHandle x = node.input(0);
        int axis = -1;
        for (std::size_t i = 0; i < op.entries().size(); ++i) {
            const AdvancedEntry &entry = op.entries()[i];
            if (!entry.isArray && !entry.slice.isFullSlice()) return declined("another axis is indexed, too");
            if (!entry.isArray) continue;
            if (axis >= 0) return declined("it is indexed by several arrays");
            axis = static_cast<int>(i);
        }
        if (axis < 0 || node.input(1).rank() != 1) return declined("the index is no vector");
        std::vector<int> forth{axis}, back;
        for (int a = 0; a < x.rank(); ++a)
            if (a != axis) forth.push_back(a);
        for (int a = 1; a <= axis; ++a) back.push_back(a);
        back.push_back(0);
        for (int a = axis + 1; a < x.rank(); ++a) back.push_back(a);
        static const OpRef rows = makeOp<AdvancedSubtensor1>();
        return become(edit, node, dimshuffle(edit, edit.make(rows, {dimshuffle(edit, x, forth), node.input(1)}), back));
    });

REWRITE(local_useless_AdvancedSubtensor1, Phase::Canonicalize)
    .why("all rows in their order are the array")
    .example("x: dmatrix; x[arange(x.shape[0])] + 1", "x: dmatrix; x + 1")
    .nearMiss("x: dmatrix; n: lscalar; x[arange(n)] + 1")
    .also({Phase::Specialize})
    .match<AdvancedSubtensor1>([](const NodeHandle &node, Editor &edit) {
        const auto range = madeBy<ARange>(node.input(1));
        if (!range) return declined("the index is no range", ownerOf(node.input(1)));
        if (!isConstantOf(range->input(0), 0) || !isConstantOf(range->input(2), 1))
            return declined("the range does not count from 0", range->id());
        VarHandle stop = range->input(1);
        if (const auto cast = madeBy(stop, ScalarCode::Cast)) stop = cast->input(0);
        if (!isSizeOf(edit, stop, node.input(0), 0)) return declined("the range is not known to count the rows", range->id());
        return become(edit, node, node.input(0));
    });

REWRITE(local_adv_sub1_adv_inc_sub1, Phase::Canonicalize)
    .why("what was just written at these places is read back without going through the array")
    .example("x: dmatrix; y: dmatrix; set_subtensor(x[[0, 2, 1]], y)[[0, 2, 1]] + 1", "x: dmatrix; y: dmatrix; alloc(y, 3, x.shape[1]) + 1")
    .nearMiss("x: dmatrix; y: dmatrix; set_subtensor(x[[0, -1]], y)[[0, -1]] + 1")
    .nearMiss("x: dmatrix; y: dmatrix; i: lvector; set_subtensor(x[i], y)[i] + 1")
    .also({Phase::Stabilize})
    .match<AdvancedSubtensor1>([](const NodeHandle &node, Editor &edit) {
        const auto written = madeBy<AdvancedIncSubtensor1>(node.input(0));
        if (!written) return declined("its input was not written to", ownerOf(node.input(0)));
        if (!written->opAs<AdvancedIncSubtensor1>()->isSet()) return declined("its input was increased, not set", written->id());
        if (!(written->input(2) == node.input(1))) return declined("other places were written", written->id());
        // A place that is named twice keeps the last value: only indices known to differ are safe.
        const Value *places = node.input(1).constant();
        if (!places) return declined("places may be named twice", written->id());
        for (std::int64_t i = 0; i < places->tensor().size(); ++i)
            for (std::int64_t k = 0; k < i; ++k) {
                const std::int64_t a = places->tensor().intAt(i), b = places->tensor().intAt(k);
                if (a == b || (a < 0) != (b < 0)) return declined("a place may be named twice", written->id());
            }
        if (!(written->input(1).type() == node.output().type())) return declined("the written value was repeated", written->id());
        return become(edit, node, repeatedTo(edit, written->input(1), sizesOf(edit, node.output())));
    });

} // namespace
} // namespace engine
