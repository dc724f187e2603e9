// Reading parts of arrays: less to compute, fewer views in a row.
#include "engine/ops/alloc.h"
#include "engine/ops/dot.h"
#include "engine/ops/index_advanced.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/rewrite/index_view.h"
#include "engine/rewrite/predicates.h"
#include "engine/rewrite/shape_graph.h"

namespace engine {
namespace {

IndexParts partsOf(const NodeHandle &node) { return indexParts(node, node.opAs<Subtensor>()->entries(), 1); }

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
            parts[axis] = IndexPart{true, {}, {}, {}};
            changed = true;
        }
        while (!parts.empty() && parts.back().isFull()) parts.pop_back();
        if (!changed && parts.size() == before) return declined("no slice takes a whole axis");
        if (parts.empty()) return declined("all axes are taken whole");
        return become(edit, node, indexed(edit, node.input(0), parts));
    });

REWRITE(local_subtensor_lift, Phase::Canonicalize)
    .why("f(x)[i] computes f of all and takes a part; f(x[i]) computes that part only")
    .hurts("a function of few elements is computed for each part that is taken")
    .example("x: dmatrix; exp(x)[0]", "x: dmatrix; exp(x[0])")
    .example("x: dmatrix; y: dmatrix; (x + y)[1]", "x: dmatrix; y: dmatrix; x[1] + y[1]")
    .nearMiss("x: dmatrix; v: dvector; (x + v)[0]")
    .fastCompile()
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        const VarHandle x = node.input(0);
        const ApplyId owner = ownerOf(x);
        if (owner == kNoApply) return declined("its input is an input or a constant");
        const NodeHandle producer(node.graph(), owner);
        if (!elemwiseOf(producer) || producer.outputCount() != 1) return declined("its input is not elementwise", owner);
        if (!x.hasOneClient()) return declined("its input has other readers", owner);
        const IndexParts parts = partsOf(node);
        std::vector<VarHandle> inputs;
        for (const VarHandle &input : producer.inputs()) {
            if (isSingle(input) && !(input.type().pattern() == x.type().pattern())) {
                // A constant of one element keeps its value whatever is taken.
                const VarHandle value = dimshuffle(edit, input, {});
                inputs.push_back(value);
                continue;
            }
            if (input.type().pattern() != x.type().pattern()) return declined("an argument is repeated along an axis", owner);
            inputs.push_back(indexed(edit, input, parts));
        }
        x.owner();
        return become(edit, node, elementwise(edit, elemwiseOf(producer)->scalar(), inputs));
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
        while (first.size() < static_cast<std::size_t>(inner->input(0).rank())) first.push_back({true, {}, {}, {}});
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

REWRITE(local_subtensor_make_vector, Phase::Useless)
    .why("an element of a vector that was just made is the scalar it was made of")
    .example("x: dmatrix; MakeVector(x.shape[0], x.shape[1])[1]", "x: dmatrix; x.shape[1]")
    .example("n: lscalar; Rebroadcast(MakeVector(n), 0)[0]", "n: lscalar; n")
    .nearMiss("x: dmatrix; i: lscalar; MakeVector(x.shape[0], x.shape[1])[i]")
    .also({Phase::Canonicalize, Phase::Specialize})
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        VarHandle source = node.input(0);
        // The shape of a vector is a vector of one scalar, whose type promises more than that of a shape.
        if (const auto same = madeBy<Rebroadcast>(source)) source = same->input(0);
        const auto vector = madeBy<MakeVector>(source);
        if (!vector) return declined("its input is no vector of scalars", ownerOf(source));
        const IndexParts parts = partsOf(node);
        if (parts.size() != 1) return declined("it is not indexed once");
        const auto count = static_cast<std::int64_t>(vector->inputCount());
        if (parts[0].isInteger()) {
            auto at = knownInteger(parts[0].start);
            if (!at) return declined("the index is not a constant", ownerOf(*parts[0].start));
            if (*at < 0) *at += count;
            if (*at < 0 || *at >= count) return declined("the index is out of range");
            return become(edit, node, castTo(edit, vector->input(static_cast<std::size_t>(*at)), node.output().dtype()));
        }
        const auto bound = [&](const std::optional<VarHandle> &v, std::int64_t fallback) -> std::optional<std::int64_t> {
            if (!v) return fallback;
            auto value = knownInteger(v);
            if (value && *value < 0) *value = std::max<std::int64_t>(0, *value + count);
            if (value) *value = std::min(*value, count);
            return value;
        };
        if (parts[0].step && knownInteger(parts[0].step) != 1) return declined("the step is not 1");
        const auto start = bound(parts[0].start, 0), stop = bound(parts[0].stop, count);
        if (!start || !stop) return declined("the bounds are not constants");
        if (*start >= *stop) return declined("nothing is left");
        std::vector<VarHandle> left;
        for (std::int64_t i = *start; i < *stop; ++i) left.push_back(vector->input(static_cast<std::size_t>(i)));
        const VarHandle after = edit.make(vector->op(), left);
        return become(edit, node, after);
    });

REWRITE(local_subtensor_of_dot, Phase::Canonicalize)
    .why("a part of a product needs only the rows and columns it is made of")
    .hurts("a part that is taken of nearly everything gains nothing and loses a large product")
    .example("a: dmatrix; b: dmatrix; dot(a, b)[0, 1]", "a: dmatrix; b: dmatrix; dot(a[0], b[:, 1])")
    .nearMiss("a: dvector; b: dmatrix; dot(a, b)[0]")
    .also({Phase::Stabilize, Phase::Specialize})
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        const auto product = madeBy<Dot>(node.input(0));
        if (!product) return declined("its input is no product", ownerOf(node.input(0)));
        if (!node.input(0).hasOneClient()) return declined("the product has other readers", product->id());
        const VarHandle a = product->input(0), b = product->input(1);
        if (a.rank() != 2 || b.rank() != 2) return declined("not a product of matrices", product->id());
        const IndexParts parts = partsOf(node);
        const VarHandle left = indexed(edit, a, {parts[0]});
        const VarHandle right = parts.size() > 1 ? indexed(edit, b, {IndexPart{true, {}, {}, {}}, parts[1]}) : b;
        if (left.rank() == 0 || right.rank() == 0) return declined("nothing is left to sum over");
        return become(edit, node, edit.make(product->op(), {left, right}));
    });

REWRITE(local_subtensor_of_alloc, Phase::Useless)
    .why("a part of a repeated value is the value repeated less often")
    .example("s: dscalar; n: lscalar; m: lscalar; alloc(s, n, m)[0]", "s: dscalar; m: lscalar; n: lscalar; alloc(s, m)")
    .nearMiss("v: dvector; n: lscalar; m: lscalar; alloc(v, n, m)[:, 0]")
    .also({Phase::Canonicalize, Phase::Specialize})
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        const auto alloc = madeBy<Alloc>(node.input(0));
        if (!alloc) return declined("its input is no allocation", ownerOf(node.input(0)));
        const VarHandle value = alloc->input(0);
        if (!isSingle(value)) return declined("the value varies", alloc->id());
        std::vector<VarHandle> inputs{dimshuffle(edit, value, {})};
        for (int axis = 0; axis < node.output().rank(); ++axis) {
            const auto size = sizeOf(edit, node.output(), axis);
            if (!size) return declined("the size of the part is not known before it is taken");
            inputs.push_back(*size);
        }
        if (inputs.size() == 1) return become(edit, node, inputs[0]);
        return become(edit, node, edit.make(alloc->op(), inputs));
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
        if (!(indexParts(*written, op.entries(), 2) == partsOf(node))) return declined("another part was written", written->id());
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
            if (axis < static_cast<int>(parts.size()) && !parts[static_cast<std::size_t>(axis)].isFull()) {
                const IndexPart &part = parts[static_cast<std::size_t>(axis)];
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
        IndexParts moved(static_cast<std::size_t>(inner->input(0).rank()), IndexPart{true, {}, {}, {}});
        std::vector<int> source; // axis of the inner input for each axis of the part
        for (std::size_t axis = 0; axis < order.size(); ++axis) {
            const IndexPart *p = axis < parts.size() ? &parts[axis] : nullptr;
            if (order[axis] == DimShuffle::kNewAxis) {
                if (p && !p->isFull()) return declined("a new axis is indexed", part->id());
                source.push_back(-1);
                continue;
            }
            if (p) moved[static_cast<std::size_t>(order[axis])] = *p;
            if (!p || p->isSlice) source.push_back(order[axis]);
        }
        const VarHandle taken = indexed(edit, inner->input(0), moved);
        std::vector<int> place(static_cast<std::size_t>(inner->input(0).rank()), -1);
        int next = 0;
        for (int axis = 0; axis < inner->input(0).rank(); ++axis)
            if (moved[static_cast<std::size_t>(axis)].isSlice) place[static_cast<std::size_t>(axis)] = next++;
        std::vector<int> after;
        for (int axis : node.opAs<DimShuffle>()->order()) {
            const int from = axis == DimShuffle::kNewAxis ? -1 : source[static_cast<std::size_t>(axis)];
            after.push_back(from < 0 ? DimShuffle::kNewAxis : place[static_cast<std::size_t>(from)]);
        }
        return become(edit, node, dimshuffle(edit, taken, after));
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
