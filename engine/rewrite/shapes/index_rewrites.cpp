// Reading parts of arrays: nothing where the whole is read, one view where there were two.
#include "engine/ops/shapes/reshape.h"
#include "engine/rewrite/shapes/index_view.h"
#include "engine/rewrite/shapes/shape_graph.h"

namespace engine {
namespace {

REWRITE(local_useless_subtensor, Phase::Canonicalize)
    .why("x[0:len(x)] is x")
    .example("x: dmatrix; x[0:x.shape[0]] + 1", "x: dmatrix; x + 1")
    .example("x: dmatrix; x[:, 0:] + 1", "x: dmatrix; x + 1")
    .nearMiss("x: dmatrix; x[1:] + 1")
    .also({Phase::Specialize})
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        const VarHandle x = node.input(0);
        const IndexParts parts = partsOf(node);
        for (std::size_t axis = 0; axis < parts.size(); ++axis)
            if (!takesWholeAxis(edit, parts[axis], x, static_cast<int>(axis))) return declined("an axis is not taken whole");
        return become(edit, node, x);
    });

REWRITE(local_useless_slice, Phase::Useless)
    .why("X[0, :] is X[0], and a slice over a whole axis is ':'")
    .example("x: dmatrix; x[0, 0:x.shape[1]]", "x: dmatrix; x[0]")
    .example("x: dmatrix; x[0:x.shape[0]:1, 1]", "x: dmatrix; x[:, 1]")
    .nearMiss("x: dmatrix; x[0, 1:]")
    .also({Phase::Canonicalize, Phase::Specialize})
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        IndexParts parts = partsOf(node);
        const std::size_t before = parts.size();
        bool changed = false;
        for (std::size_t axis = 0; axis < parts.size(); ++axis) {
            if (parts[axis].isFull() || !takesWholeAxis(edit, parts[axis], node.input(0), static_cast<int>(axis))) continue;
            parts[axis] = fullSlice();
            changed = true;
        }
        while (!parts.empty() && parts.back().isFull()) parts.pop_back();
        if (!changed && parts.size() == before) return declined("no slice takes a whole axis");
        if (parts.empty()) return declined("all axes are taken whole");
        return become(edit, node, indexed(edit, node.input(0), parts));
    });

REWRITE(local_subtensor_merge, Phase::Canonicalize)
    .why("two views in a row are one")
    .example("x: dmatrix; x[0][1]", "x: dmatrix; x[0, 1]")
    .example("x: dmatrix; x[:, 1][2]", "x: dmatrix; x[2, 1]")
    .nearMiss("x: dmatrix; i: lscalar; x[i:][1]")
    .also({Phase::Specialize})
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        const auto inner = madeBy<Subtensor>(node.input(0));
        if (!inner) return declined("its input is no part of an array", ownerOf(node.input(0)));
        IndexParts first = partsOf(*inner);
        const IndexParts second = partsOf(node);
        while (first.size() < static_cast<std::size_t>(inner->input(0).rank())) first.push_back(fullSlice());
        std::size_t next = 0;
        for (IndexPart &part : first) {
            if (next == second.size()) break;
            if (part.isInteger()) continue;
            const IndexPart &outer = second[next++];
            if (outer.isFull()) continue;
            if (!part.isFull()) return declined("both take parts of one axis", inner->id());
            part = outer;
        }
        return become(edit, node, indexed(edit, inner->input(0), first));
    });

REWRITE(local_subtensor_inc_subtensor, Phase::Canonicalize)
    .why("what was just written there is read back without going through the array")
    .example("x: dmatrix; set_subtensor(x[1], exp(x[0]))[1] + 1", "x: dmatrix; exp(x[0]) + 1")
    .example("x: dmatrix; v: dvector; set_subtensor(x[1], v)[1] + 1", "x: dmatrix; v: dvector; alloc(v, x.shape[1]) + 1")
    .nearMiss("x: dmatrix; v: dvector; set_subtensor(x[1], v)[2] + 1")
    .also({Phase::Specialize})
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        const auto written = madeBy<IncSubtensor>(node.input(0));
        if (!written) return declined("its input was not written to", ownerOf(node.input(0)));
        const IncSubtensor &op = *written->opAs<IncSubtensor>();
        if (!op.isSet()) return declined("its input was increased, not set", written->id());
        if (!(partsOf(*written) == partsOf(node))) return declined("another part was written", written->id());
        VarHandle value = written->input(1);
        if (!(value.type() == node.output().type())) return declined("the written value was repeated", written->id());
        return become(edit, node, repeatedTo(edit, value, sizesOf(edit, node.output())));
    });

REWRITE(local_subtensor_remove_broadcastable_index, Phase::Canonicalize)
    .why("index 0 of an axis of size 1 only drops the axis")
    .example("v: dvector; dimshuffle(v, 'x', 0)[0] + 1", "v: dvector; v + 1")
    .nearMiss("x: dmatrix; x[0] + 1")
    .also({Phase::Specialize})
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        const VarHandle x = node.input(0);
        const IndexParts parts = partsOf(node);
        std::vector<int> order;
        for (int axis = 0; axis < x.rank(); ++axis) {
            if (axis < static_cast<int>(parts.size()) && !parts[axis].isFull()) {
                const IndexPart &part = parts[axis];
                const auto at = part.isInteger() ? knownInteger(part.start) : std::nullopt;
                if (!x.type().isBroadcastable(axis) || !at || (*at != 0 && *at != -1))
                    return declined("it takes more than index 0 of an axis of size 1");
            } else {
                order.push_back(axis);
            }
        }
        if (static_cast<int>(order.size()) == x.rank()) return declined("no axis is dropped");
        return become(edit, node, dimshuffle(edit, x, order));
    });

REWRITE(local_dimshuffle_subtensor, Phase::Uncanonicalize)
    .why("dropping an axis of size 1 that a slice left is the index itself")
    .example("v: dvector; i: lscalar; dimshuffle(dimshuffle(v, 0, 'x')[i], )", "v: dvector; i: lscalar; v[i]")
    .nearMiss("x: dmatrix; i: lscalar; dimshuffle(x[i], 'x', 0)")
    .match<DimShuffle>([](const NodeHandle &node, Editor &edit) {
        const auto part = madeBy<Subtensor>(node.input(0));
        if (!part) return declined("its input is no part of an array", ownerOf(node.input(0)));
        const auto inner = madeBy<DimShuffle>(part->input(0));
        if (!inner) return declined("the array is not reshuffled", part->id());
        const IndexParts parts = partsOf(*part);
        const std::vector<int> &order = inner->opAs<DimShuffle>()->order();
        // Parts are carried through the inner reshuffle; new axes must be whole and be dropped again.
        IndexParts moved(static_cast<std::size_t>(inner->input(0).rank()), fullSlice());
        std::vector<int> source; // axis of the inner input for each axis of the part
        for (std::size_t axis = 0; axis < order.size(); ++axis) {
            const IndexPart *p = axis < parts.size() ? &parts[axis] : nullptr;
            if (order[axis] == DimShuffle::kNewAxis) {
                if (p && !p->isFull()) return declined("a new axis is indexed", part->id());
                source.push_back(-1);
                continue;
            }
            if (p) moved[order[axis]] = *p;
            if (!p || p->isSlice) source.push_back(order[axis]);
        }
        const VarHandle taken = indexed(edit, inner->input(0), moved);
        std::vector<int> place(static_cast<std::size_t>(inner->input(0).rank()), -1);
        int next = 0;
        for (int axis = 0; axis < inner->input(0).rank(); ++axis)
            if (moved[axis].isSlice) place[axis] = next++;
        std::vector<int> after;
        for (int axis : node.opAs<DimShuffle>()->order()) {
            const int from = axis == DimShuffle::kNewAxis ? -1 : source[axis];
            after.push_back(from < 0 ? DimShuffle::kNewAxis : place[from]);
        }
        return become(edit, node, dimshuffle(edit, taken, after));
    });

} // namespace
} // namespace engine
