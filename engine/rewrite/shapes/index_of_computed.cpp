// Parts of arrays that were just computed: compute the part only.
#include "engine/ops/products/dot.h"
#include "engine/ops/reductions/softmax.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/reshape.h"
#include "engine/ops/shapes/shape.h"
#include "engine/rewrite/machine/predicates.h"
#include "engine/rewrite/shapes/index_view.h"
#include "engine/rewrite/shapes/shape_graph.h"

#include <algorithm>

namespace engine {
namespace {

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
        const VarHandle right = parts.size() > 1 ? indexed(edit, b, {fullSlice(), parts[1]}) : b;
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

REWRITE(local_subtensor_of_join, Phase::Canonicalize)
    .why("an element of a stack is one of the arrays it was made of")
    .hurts("the other arrays are no longer checked for their sizes")
    .example("x: dvector; y: dvector; stack([x, y])[1] + 1", "x: dvector; y: dvector; y + 1")
    .nearMiss("x: dmatrix; y: dmatrix; concatenate([x, y])[1] + 1")
    .also({Phase::Specialize})
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        const auto join = madeBy<Join>(node.input(0));
        if (!join) return declined("its input is no join", ownerOf(node.input(0)));
        const auto axis = joinAxis(*join);
        if (!axis) return declined("the axis is not a constant", join->id());
        IndexParts parts = partsOf(node);
        if (static_cast<std::size_t>(*axis) >= parts.size() || !parts[*axis].isInteger())
            return declined("the joined axis is not indexed by a number", join->id());
        auto at = knownInteger(parts[*axis].start);
        if (!at) return declined("the index is not a constant");
        const auto count = static_cast<std::int64_t>(join->inputCount()) - 1;
        for (std::size_t i = 1; i < join->inputCount(); ++i)
            if (!join->input(i).type().isBroadcastable(*axis)) return declined("an array has more than one row along the axis", join->id());
        if (*at < 0) *at += count;
        if (*at < 0 || *at >= count) return declined("the index is out of range");
        const VarHandle piece = join->input(1 + static_cast<std::size_t>(*at));
        if (piece.dtype() != join->output().dtype()) return declined("the dtype would change", join->id());
        std::vector<int> order;
        for (int a = 0; a < piece.rank(); ++a)
            if (a != *axis) order.push_back(a);
        parts.erase(parts.begin() + *axis);
        return become(edit, node, indexed(edit, dimshuffle(edit, piece, order), parts));
    });

REWRITE(local_subtensor_of_reduce, Phase::Canonicalize)
    .why("sum(x, axis=1)[i] sums every row and takes one; sum(x[i]) sums that row only")
    .hurts("an index out of range is noticed by the view")
    .example("x: dmatrix; sum(x, axis=1)[0]", "x: dmatrix; sum(x[0], axis=0)")
    .nearMiss("x: dmatrix; y = sum(x, axis=1); y[0] + sum(y)")
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        const auto reduce = madeBy<CAReduce>(node.input(0));
        if (!reduce) return declined("its input is no reduction", ownerOf(node.input(0)));
        if (!node.input(0).hasOneClient()) return declined("the reduction has other readers", reduce->id());
        const CAReduce &op = *reduce->opAs<CAReduce>();
        const VarHandle x = reduce->input(0);
        const std::vector<int> axes = op.axesFor(x.rank());
        const IndexParts parts = partsOf(node);
        IndexParts moved;
        std::vector<int> left; // reduced axes after the index dropped some
        std::size_t next = 0;
        int place = 0;
        for (int axis = 0; axis < x.rank(); ++axis) {
            if (std::find(axes.begin(), axes.end(), axis) != axes.end()) {
                moved.push_back(fullSlice());
                left.push_back(place++);
                continue;
            }
            const IndexPart part = next < parts.size() ? parts[next] : fullSlice();
            ++next;
            moved.push_back(part);
            if (part.isSlice) ++place;
        }
        const VarHandle smaller = indexed(edit, x, moved);
        return become(edit, node, edit.make(overAxes(op, left), {smaller}));
    });

REWRITE(local_subtensor_of_transpose, Phase::Canonicalize)
    .why("a row of a transposed matrix is a column: the index can be taken before the reshuffle, where other rules see it")
    .example("x: dmatrix; T(x)[1]", "x: dmatrix; x[:, 1]")
    .nearMiss("v: dvector; dimshuffle(v, 0, 'x')[1]")
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        const auto shuffle = madeBy<DimShuffle>(node.input(0));
        if (!shuffle) return declined("its input is not reshuffled", ownerOf(node.input(0)));
        const std::vector<int> &order = shuffle->opAs<DimShuffle>()->order();
        const VarHandle x = shuffle->input(0);
        if (static_cast<int>(order.size()) != x.rank() || std::count(order.begin(), order.end(), DimShuffle::kNewAxis))
            return declined("axes are added or dropped, not only moved", shuffle->id());
        const IndexParts parts = partsOf(node);
        IndexParts moved(order.size(), fullSlice());
        for (std::size_t i = 0; i < parts.size(); ++i) moved[order[i]] = parts[i];
        std::vector<int> place(order.size(), -1);
        int next = 0;
        for (std::size_t axis = 0; axis < moved.size(); ++axis)
            if (moved[axis].isSlice) place[axis] = next++;
        std::vector<int> after;
        for (int axis : order)
            if (place[axis] >= 0) after.push_back(place[axis]);
        return become(edit, node, dimshuffle(edit, indexed(edit, x, moved), after));
    });

REWRITE(local_subtensor_of_softmax, Phase::Canonicalize)
    .why("rows of a softmax need only those rows")
    .example("x: dmatrix; Softmax(x)[1:]", "x: dmatrix; Softmax(x[1:])")
    .nearMiss("x: dmatrix; Softmax(x)[:, 1:]")
    .match<Subtensor>([](const NodeHandle &node, Editor &edit) {
        const ApplyId owner = ownerOf(node.input(0));
        if (owner == kNoApply) return declined("its input is an input or a constant");
        const NodeHandle softmax(node.graph(), owner);
        if (!softmax.opAs<Softmax>() && !softmax.opAs<LogSoftmax>()) return declined("its input is no softmax", owner);
        if (!node.input(0).hasOneClient()) return declined("the softmax has other readers", owner);
        const IndexParts parts = partsOf(node);
        if (parts.size() != 1 || !parts[0].isSlice) return declined("it takes no range of rows");
        node.input(0).owner();
        return become(edit, node, edit.make(softmax.op(), {indexed(edit, softmax.input(0), parts)}));
    });

} // namespace
} // namespace engine
