// Writing parts of arrays: trivial writes go, the others work in place.
#include "engine/ops/index/index_advanced.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/rewrite/machine/aliasing.h"
#include "engine/rewrite/machine/driver.h"
#include "engine/rewrite/shapes/index_view.h"
#include "engine/rewrite/shapes/shape_graph.h"

#include <algorithm>

namespace engine {
namespace {

VarHandle written(Editor &edit, VarHandle x, VarHandle y, const IndexParts &parts, bool isSet)
{
    std::vector<VarHandle> inputs{x, y};
    for (const VarHandle &scalar : scalarsOf(parts)) inputs.push_back(scalar);
    return edit.make(makeOp<IncSubtensor>(entriesOf(parts), false, isSet), inputs);
}

REWRITE(local_incsubtensor_of_zeros_to_setsubtensor, Phase::Canonicalize)
    .why("adding to zeros is setting")
    .generally("z: dmatrix; v: dvector; inc_subtensor(z[1], v)", "set_subtensor(z[1], v)", {"z is 0"})
    .complexToo()
    .example("x: dmatrix; v: dvector; inc_subtensor(zeros_like(x)[1], v)", "x: dmatrix; v: dvector; set_subtensor(zeros_like(x)[1], v)")
    .nearMiss("x: dmatrix; v: dvector; inc_subtensor(x[1], v)")
    .also({Phase::Stabilize, Phase::Specialize});

REWRITE(local_incsubtensor_of_zeros, Phase::Canonicalize)
    .why("adding zeros changes nothing")
    .turns("x: dmatrix; inc_subtensor(x[1], 0.0)", "x")
    .complexToo()
    .nearMiss("x: dmatrix; inc_subtensor(x[1], 1.0) + 1")
    .also({Phase::Stabilize, Phase::Specialize});

REWRITE(local_setsubtensor_of_constants, Phase::Canonicalize)
    .why("setting a part to what it is already changes nothing")
    .generally("x: dmatrix; v: dvector; set_subtensor(x[1], v)", "x", {"v has the value of x"})
    .complexToo()
    .example("x: dmatrix; set_subtensor(zeros_like(x)[1], 0.0) + x", "x: dmatrix; zeros_like(x) + x")
    .nearMiss("x: dmatrix; set_subtensor(zeros_like(x)[1], 1.0) + x")
    .also({Phase::Stabilize, Phase::Specialize});

REWRITE(local_useless_inc_subtensor, Phase::Useless)
    .why("writing the whole array is the value itself")
    .example("x: dmatrix; set_subtensor(x[0:x.shape[0]], exp(x)) + 1", "x: dmatrix; exp(x) + 1")
    .example("x: dmatrix; y: dmatrix; set_subtensor(x[0:x.shape[0]], y) + 1",
             "x: dmatrix; y: dmatrix; alloc(y, x.shape[0], x.shape[1]) + 1")
    .nearMiss("x: dmatrix; y: dmatrix; set_subtensor(x[1:], y) + 1")
    .also({Phase::Canonicalize})
    .match<IncSubtensor>([](const NodeHandle &node, Editor &edit) {
        const IncSubtensor &op = *node.opAs<IncSubtensor>();
        if (op.inplace()) return declined("it works in place already");
        if (!op.isSet() && !isConstantOf(node.input(0), 0))
            return declined("it adds to an array that is not zeros", ownerOf(node.input(0)));
        const IndexParts parts = partsOf(node);
        for (std::size_t axis = 0; axis < parts.size(); ++axis)
            if (!takesWholeAxis(edit, parts[axis], node.input(0), static_cast<int>(axis))) return declined("an axis is not written whole");
        if (!(node.input(1).type() == node.output().type())) return declined("the value is repeated", ownerOf(node.input(1)));
        return become(edit, node, repeatedTo(edit, node.input(1), sizesOf(edit, node.input(0))));
    });

REWRITE(local_set_to_inc_subtensor, Phase::Canonicalize)
    .why("setting a part to itself plus y is adding y to it")
    .example("x: dmatrix; v: dvector; set_subtensor(x[1], x[1] + v)", "x: dmatrix; v: dvector; inc_subtensor(x[1], v)")
    .nearMiss("x: dmatrix; v: dvector; set_subtensor(x[1], x[2] + v)")
    .also({Phase::Stabilize, Phase::Specialize})
    .match<IncSubtensor>([](const NodeHandle &node, Editor &edit) {
        const IncSubtensor &op = *node.opAs<IncSubtensor>();
        if (!op.isSet() || op.inplace()) return declined("it does not set");
        const auto sum = madeBy(node.input(1), ScalarCode::Add);
        if (!sum || sum->inputCount() != 2) return declined("the value is no sum of two", ownerOf(node.input(1)));
        const IndexParts parts = partsOf(node);
        for (std::size_t k = 0; k < 2; ++k) {
            const auto part = madeBy<Subtensor>(sum->input(k));
            if (!part || !(part->input(0) == node.input(0))) continue;
            if (!(partsOf(*part) == parts)) continue;
            return become(edit, node, written(edit, node.input(0), sum->input(1 - k), parts, false));
        }
        return declined("no term is the part that is set", sum->id());
    });

REWRITE(local_IncSubtensor_serialize, Phase::Canonicalize)
    .why("increments of one array after one another can all work in place; a sum of arrays of zeros cannot")
    .hurts("writes that could run side by side run one after the other")
    .example("x: dmatrix; a: dvector; b: dvector; inc_subtensor(zeros_like(x)[1], a) + inc_subtensor(zeros_like(x)[2], b)",
             "x: dmatrix; a: dvector; b: dvector; inc_subtensor(inc_subtensor(zeros_like(x)[1], a)[2], b)")
    .nearMiss("x: dmatrix; a: dvector; x + inc_subtensor(x[2], a)")
    .at(20)
    .match<ScalarCode::Add>([](const NodeHandle &node, Editor &edit) {
        if (!elemwiseOf(node)) return declined("it works in place already");
        ShortList<VarHandle, 4> others;
        std::vector<NodeHandle> writes;
        for (const VarHandle &term : node.inputs()) {
            const auto write = madeBy<IncSubtensor>(term);
            const bool fits = write && !write->opAs<IncSubtensor>()->inplace() && term.hasOneClient() && isConstantOf(write->input(0), 0) &&
                              term.type() == node.output().type();
            if (fits) writes.push_back(*write);
            else others.push_back(term);
        }
        if (writes.size() + (others.empty() ? 0 : 1) < 2 || writes.empty()) return declined("no two terms can be put into one array");
        VarHandle base = others.empty() ? writes[0].output() : total(edit, others, node.output());
        if (!(base.type() == node.output().type())) return declined("the rest has another shape");
        for (std::size_t i = others.empty() ? 1 : 0; i < writes.size(); ++i)
            base = written(edit, base, writes[i].input(1), partsOf(writes[i]), false);
        return become(edit, node, base);
    });

void writeInPlace(WholeRun &run, const std::function<OpRef(const NodeHandle &)> &form)
{
    const auto hasForm = [&](ApplyId id) { return bool(form(NodeHandle(run.graph(), id))); };
    if (std::none_of(run.order().begin(), run.order().end(), hasForm)) return;
    Aliasing aliasing(run.graph());
    for (ApplyId id : aliasing.order()) {
        if (!run.graph().apply(id).live) continue;
        const NodeHandle node(run.graph(), id);
        const OpRef op = form(node);
        if (!op) continue;
        if (const char *reason = aliasing.whyNot(id, 0)) {
            run.decline(id, reason, aliasing.because());
            continue;
        }
        run.step(id, [&](Editor &edit) {
            const NodeHandle made = edit.apply(op, edit.node(id).inputs());
            edit.replace(edit.node(id).output(), made.output());
            aliasing.moved(id, made.id());
            return replaced("nobody reads the overwritten value later");
        });
    }
}

REWRITE(local_inplace_setsubtensor, Phase::Inplace)
    .why("a part is written into the array itself, without a copy of the rest")
    .hurts("the old array is no longer available")
    .pass("inplace_subtensor")
    .example("x: dmatrix; v: dvector; set_subtensor(exp(x)[1], v)", "x: dmatrix; v: dvector; inplace(set_subtensor(exp(x)[1], v))")
    .nearMiss("x: dmatrix; v: dvector; set_subtensor(x[1], v)")
    .tag("inplace")
    .whole([](WholeRun &run) {
        writeInPlace(run, [](const NodeHandle &node) -> OpRef {
            const IncSubtensor *op = node.opAs<IncSubtensor>();
            return op && !op->inplace() ? makeOp<IncSubtensor>(op->entries(), true, op->isSet()) : OpRef();
        });
    });

REWRITE(local_inplace_incsubtensor1, Phase::Inplace)
    .why("rows are written into the array itself, without a copy of the rest")
    .hurts("the old array is no longer available")
    .pass("inplace_subtensor")
    .example("x: dmatrix; y: dmatrix; i: lvector; inc_subtensor(exp(x)[i], y)",
             "x: dmatrix; y: dmatrix; i: lvector; inplace(inc_subtensor(exp(x)[i], y))")
    .nearMiss("x: dmatrix; y: dmatrix; i: lvector; inc_subtensor(x[i], y)")
    .tag("inplace")
    .whole([](WholeRun &run) {
        writeInPlace(run, [](const NodeHandle &node) -> OpRef {
            if (const auto *op = node.opAs<AdvancedIncSubtensor1>(); op && !op->inplace())
                return makeOp<AdvancedIncSubtensor1>(true, op->isSet());
            if (const auto *op = node.opAs<AdvancedIncSubtensor>(); op && !op->inplace())
                return makeOp<AdvancedIncSubtensor>(op->entries(), true, op->isSet());
            return {};
        });
    });

REWRITE(local_useless_inc_subtensor_alloc, Phase::Canonicalize)
    .why("writing repeats a smaller value by itself")
    .example("x: dmatrix; s: dscalar; inc_subtensor(x[1], alloc(s, x.shape[1]))", "x: dmatrix; s: dscalar; inc_subtensor(x[1], s)")
    .nearMiss("x: dmatrix; s: dscalar; n: lscalar; inc_subtensor(x[1], alloc(s, n))")
    .also({Phase::Stabilize, Phase::Specialize})
    .match<IncSubtensor>([](const NodeHandle &node, Editor &edit) {
        const IncSubtensor &op = *node.opAs<IncSubtensor>();
        if (op.inplace()) return declined("it works in place already");
        const auto alloc = madeBy<Alloc>(node.input(1));
        if (!alloc) return declined("the value is no allocation", ownerOf(node.input(1)));
        const IndexParts parts = partsOf(node);
        const VarHandle place = indexed(edit, node.input(0), parts);
        if (place.rank() != node.input(1).rank()) return declined("the allocation is repeated itself", alloc->id());
        for (int axis = 0; axis < place.rank(); ++axis)
            if (!isSizeOf(edit, sizeOrShape(edit, node.input(1), axis), place, axis))
                return declined("the allocation may be smaller than the part", alloc->id());
        std::vector<VarHandle> inputs = node.inputs();
        inputs[1] = alloc->input(0);
        return become(edit, node, edit.make(node.op(), inputs));
    });

} // namespace
} // namespace engine
