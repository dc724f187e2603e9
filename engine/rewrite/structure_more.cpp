// Graphs inside ops, allocations with axes of size 1, declared shapes, diagonals, bodies of kernels.
#include "engine/ops/alloc.h"
#include "engine/ops/creation.h"
#include "engine/ops/dot.h"
#include "engine/ops/graph_op.h"
#include "engine/ops/repeat.h"
#include "engine/ops/reshape.h"
#include "engine/ops/shape.h"
#include "engine/rewrite/shape_graph.h"

#include <unordered_map>

namespace engine {
namespace {

REWRITE(inline_ofg_expansion, Phase::Inline)
    .why("the inside of an OpFromGraph that asks for it is rewritten together with what surrounds it")
    .hurts("the op no longer stands in the graph as one node")
    .example("x: dvector; y: dvector; OpFromGraph(exp(x) + y, True) * 2", "x: dvector; y: dvector; (exp(x) + y) * 2")
    .nearMiss("x: dvector; y: dvector; OpFromGraph(exp(x) + y, False) * 2")
    .fastCompile()
    .match<OpFromGraph>([](const NodeHandle &node, Editor &edit) {
        const OpFromGraph &op = *node.opAs<OpFromGraph>();
        if (!op.isInline()) return declined("it does not ask to be inlined");
        const InnerGraph &inner = *op.inner();
        std::unordered_map<const Variable *, VarHandle> values;
        for (std::size_t i = 0; i < inner.inputs.size(); ++i) values.emplace(inner.inputs[i].get(), node.input(i));
        const auto valueOf = [&](const VarRef &v) {
            const auto known = values.find(v.get());
            if (known != values.end()) return known->second;
            ENGINE_ASSERT(v->kind() == Variable::Kind::Constant, "a variable inside of an OpFromGraph comes from nowhere");
            return values.emplace(v.get(), edit.constant(v->value(), v->type(), v->name())).first->second;
        };
        for (const Apply *apply : toposort(inner.outputs)) {
            std::vector<VarHandle> inputs;
            for (const VarRef &input : apply->inputs()) inputs.push_back(valueOf(input));
            const NodeHandle made = edit.apply(apply->opRef(), inputs);
            for (int i = 0; i < apply->outputCount(); ++i) values.emplace(apply->output(i), made.output(static_cast<std::size_t>(i)));
        }
        for (std::size_t i = 0; i < inner.outputs.size(); ++i) {
            const VarHandle after = valueOf(inner.outputs[i]);
            if (!(after.type() == node.output(i).type())) return declined("the type would change");
            edit.replace(node.output(i), after);
        }
        return replaced("its inside takes its place");
    });

REWRITE(local_canonicalize_alloc, Phase::Canonicalize)
    .why("axes of size 1 are added by a view, which other rules see through")
    .example("v: dscalar; n: lscalar; alloc(v, 1, n)", "v: dscalar; n: lscalar; dimshuffle(alloc(v, n), 'x', 0)")
    .nearMiss("v: dscalar; n: lscalar; alloc(v, n, 1)")
    .also({Phase::Stabilize, Phase::Specialize})
    .match<Alloc>([](const NodeHandle &node, Editor &edit) {
        const VarHandle out = node.output();
        VarHandle value = node.input(0);
        int drop = 0;
        while (drop < out.rank() && out.type().isBroadcastable(drop)) ++drop;
        if (drop == 0) return declined("its first axis is not known to have size 1");
        if (drop == out.rank()) return declined("all axes have size 1: there is nothing to repeat");
        const int left = out.rank() - drop;
        if (value.rank() > left) {
            std::vector<int> order;
            for (int axis = value.rank() - left; axis < value.rank(); ++axis) order.push_back(axis);
            value = dimshuffle(edit, value, order);
        }
        std::vector<VarHandle> inputs{value};
        for (int axis = drop; axis < out.rank(); ++axis) inputs.push_back(node.input(1 + static_cast<std::size_t>(axis)));
        return become(edit, node, padLeft(edit, edit.make(node.op(), inputs), out.rank()));
    });

REWRITE(local_alloc_empty_to_zeros, Phase::Fusion)
    .why("memory that was never written to may hold nan; zeros tell real ones apart")
    .hurts("writes memory that is written again")
    .pass("alloc_empty_to_zeros")
    .example("x: dmatrix; v: dvector; gemv(AllocEmpty(float64, x.shape[0]), 1.0, x, v, 0.0)",
             "x: dmatrix; v: dvector; gemv(alloc(constant(0.0, float64), x.shape[0]), 1.0, x, v, 0.0)")
    .nearMiss("x: dmatrix; v: dvector; z: dvector; gemv(z, 1.0, x, v, 0.0)")
    .off()
    .match<AllocEmpty>([](const NodeHandle &node, Editor &edit) {
        std::vector<VarHandle> inputs{constantLike(edit, node.output().dtype(), 0, 0)};
        for (const VarHandle &size : node.inputs()) inputs.push_back(size);
        static const OpRef alloc = makeOp<Alloc>();
        return become(edit, node, edit.make(alloc, inputs));
    });

REWRITE(local_merge_consecutive_specify_shape, Phase::Canonicalize)
    .why("the same promise about sizes twice is checked once")
    .example("x: dmatrix; n: lvector; specify_shape(specify_shape(x, n), n)", "x: dmatrix; n: lvector; specify_shape(x, n)")
    .nearMiss("x: dmatrix; n: lvector; m: lvector; specify_shape(specify_shape(x, n), m)")
    .also({Phase::Specialize})
    .match<SpecifyShape>([](const NodeHandle &node, Editor &edit) {
        const auto inner = madeBy<SpecifyShape>(node.input(0));
        if (!inner) return declined("its input has no declared shape", ownerOf(node.input(0)));
        if (!(inner->input(1) == node.input(1))) return declined("the declared shapes differ", inner->id());
        return become(edit, node, node.input(0));
    });

REWRITE(local_specify_shape_lift, Phase::Canonicalize)
    .why("a promise about sizes moves towards the inputs, where shapes are computed from it")
    .hurts("a wrong shape is noticed before the function ran")
    .example("x: dmatrix; n: lvector; specify_shape(exp(x), n)", "x: dmatrix; n: lvector; exp(specify_shape(x, n))")
    .nearMiss("x: dmatrix; y: dmatrix; n: lvector; specify_shape(x + y, n)")
    .match<SpecifyShape>([](const NodeHandle &node, Editor &edit) {
        const VarHandle x = node.input(0);
        const ApplyId owner = ownerOf(x);
        if (owner == kNoApply) return declined("its input is an input or a constant");
        const NodeHandle producer(node.graph(), owner);
        if (!elemwiseOf(producer) || producer.inputCount() != 1 || producer.outputCount() != 1)
            return declined("its input is no function of one argument", owner);
        if (!x.hasOneClient()) return declined("its input has other readers", owner);
        x.owner();
        return become(edit, node, edit.make(producer.op(), {edit.make(node.op(), {producer.input(0), node.input(1)})}));
    });

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

REWRITE(local_extract_diag_of_alloc_diag, Phase::Canonicalize)
    .why("the diagonal of a matrix that was made from its diagonal is that diagonal")
    .example("v: dvector; diag(diag(v)) + 1", "v: dvector; v + 1")
    .with({"local_add_canonizer"})
    .nearMiss("x: dmatrix; diag(x) + 1")
    .tag("croton")
    .match<ExtractDiag>([](const NodeHandle &node, Editor &edit) {
        const ExtractDiag &op = *node.opAs<ExtractDiag>();
        const auto filled = madeBy<AddToDiag>(node.input(0));
        if (!filled) return declined("its input was not made from a diagonal", ownerOf(node.input(0)));
        const AddToDiag &inner = *filled->opAs<AddToDiag>();
        if (inner.offset() != op.offset() || inner.axis1() != op.axis1() || inner.axis2() != op.axis2())
            return declined("it is another diagonal", filled->id());
        if (!isConstantOf(filled->input(0), 0)) return declined("the diagonal was added to other values", filled->id());
        if (node.output().rank() != 1 || !(filled->input(1).type() == node.output().type()))
            return declined("the type would change", filled->id());
        // zeros that are larger than the diagonal's square would give a longer one.
        if (!sameShape(edit, node.output(), filled->input(1))) {
            const VarHandle length = sizeOrShape(edit, filled->input(1), 0);
            if (op.offset() != 0 || !isSizeOf(edit, length, filled->input(0), 0) || !isSizeOf(edit, length, filled->input(0), 1))
                return declined("the matrix is not known to have the diagonal's size", filled->id());
        }
        return become(edit, node, filled->input(1));
    });

REWRITE(local_useless_composite, Phase::Canonicalize)
    .why("a kernel computes only what somebody reads")
    .hurts("a second kernel where others still read the whole one")
    .example("x: dvector; composite(exp(x) + 1.5, 2 * sin(x))[0]", "x: dvector; composite(exp(x) + 1.5)")
    .nearMiss("x: dvector; composite(exp(x), 2 * sin(x))[0], composite(exp(x), 2 * sin(x))[1]")
    .also({Phase::FinalMerge})
    .match<Elemwise>([](const NodeHandle &node, Editor &edit) {
        const Elemwise *op = elemwiseOf(node);
        const ScalarBody *body = op ? op->scalar()->body() : nullptr;
        if (!body || node.outputCount() < 2) return declined("no kernel of several outputs");
        std::vector<std::size_t> read;
        for (std::size_t i = 0; i < node.outputCount(); ++i)
            if (!node.output(i).clients().empty()) read.push_back(i);
        if (read.size() == node.outputCount()) return declined("every output is read");
        if (read.empty()) return declined("nobody reads it at all");
        // What is left needs fewer instructions, and perhaps fewer inputs.
        const std::size_t inputs = body->inputCount;
        std::vector<bool> needed(inputs + body->instructions.size());
        for (std::size_t i : read) needed[body->outputs[i]] = true;
        for (std::size_t k = body->instructions.size(); k-- > 0;)
            if (needed[inputs + k])
                for (std::uint32_t argument : body->instructions[k].arguments) needed[argument] = true;
        ScalarBody smaller;
        std::vector<std::uint32_t> place(needed.size());
        std::vector<VarHandle> arguments;
        for (std::size_t i = 0; i < inputs; ++i)
            if (needed[i]) {
                place[i] = smaller.inputCount++;
                smaller.inputTypes.push_back(body->inputTypes[i]);
                arguments.push_back(node.input(i));
            }
        if (arguments.empty()) return declined("what is left depends on nothing");
        for (std::size_t k = 0; k < body->instructions.size(); ++k) {
            if (!needed[inputs + k]) continue;
            ScalarInstruction instruction = body->instructions[k];
            for (std::uint32_t &argument : instruction.arguments) argument = place[argument];
            place[inputs + k] = smaller.inputCount + static_cast<std::uint32_t>(smaller.instructions.size());
            smaller.instructions.push_back(std::move(instruction));
        }
        for (std::size_t i : read) smaller.outputs.push_back(place[body->outputs[i]]);
        const NodeHandle made = edit.apply(elemwise(compositeOp(std::move(smaller))), arguments);
        for (std::size_t i = 0; i < read.size(); ++i) {
            if (!(made.output(i).type() == node.output(read[i]).type())) return declined("the shape would come from what goes");
            edit.replace(node.output(read[i]), made.output(i));
        }
        return replaced("outputs that nobody reads are gone");
    });

REWRITE(croton_useless_repeat, Phase::Canonicalize)
    .why("every element once is the array")
    .example("x: dmatrix; repeat(x, 1, axis=0) + 1", "x: dmatrix; x + 1")
    .nearMiss("x: dmatrix; repeat(x, 2, axis=0) + 1")
    .tag("croton")
    .match<Repeat>([](const NodeHandle &node, Editor &edit) {
        if (node.input(1).rank() != 0 || !isConstantOf(node.input(1), 1)) return declined("the elements are not each taken once");
        return become(edit, node, node.input(0));
    });

} // namespace
} // namespace engine
