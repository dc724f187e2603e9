// Graphs and kernels inside of ops: opened, and made as small as what is read of them.
#include "engine/ops/loops/graph_op.h"
#include "engine/rewrite/machine/build.h"

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

} // namespace
} // namespace engine
