// Graphs inside nodes: choices and loops.
#include "engine/ops/loops/control.h"
#include "engine/onnx/model/call.h"
#include "engine/onnx/model/reader.h"
#include "engine/ops/elements/elementwise.h"
#include "engine/ops/index/index.h"
#include "engine/ops/loops/scan.h"
#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/creation.h"
#include "engine/ops/shapes/join.h"
#include "engine/ops/shapes/reshape.h"

namespace engine::onnx {
namespace {

using S = ScalarCode;

VarRef plainScalar(const VarRef &a) { return a->type().rank() ? reshape(a, std::vector<std::int64_t>{}) : a; }

// --- choices ------------------------------------------------------------------------------------------------

Vars branch(Call &call, const char *name)
{
    Scope scope(&call.scope());
    scope.path = call.scope().path + (call.node().name().empty() ? "" : call.node().name() + "/");
    return call.reader().readGraph(call.graph(name), scope);
}

Vars choice(Call &call)
{
    const VarRef condition = plainScalar(call.in(0));
    if (const auto known = call.known(condition)) return branch(call, known->intAt(0) ? "then_branch" : "else_branch");
    Vars yes = branch(call, "then_branch"), no = branch(call, "else_branch");
    if (yes.size() != no.size())
        call.fail("has branches with " + std::to_string(yes.size()) + " and " + std::to_string(no.size()) + " outputs");
    for (std::size_t i = 0; i < yes.size(); ++i) {
        if (yes[i]->type().dtype() != no[i]->type().dtype()) call.fail("has branches that give different dtypes");
        if (yes[i]->type().rank() != no[i]->type().rank())
            return branch(call, call.constant(condition, "its condition").intAt(0) ? "then_branch" : "else_branch");
        std::vector<bool> pattern = yes[i]->type().pattern();
        for (std::size_t axis = 0; axis < pattern.size(); ++axis) pattern[axis] = pattern[axis] && no[i]->type().pattern()[axis];
        yes[i] = patternBroadcast(yes[i], pattern);
        no[i] = patternBroadcast(no[i], pattern);
    }
    return ifElse(condition, yes, no, call.node().name());
}

// --- loops --------------------------------------------------------------------------------------------------

// A loop as the engine has it: states that go from step to step, sequences, and what each step gives.
struct Loop {
    VarRef steps;
    Vars sequences, states; ///< sequences along their first axis
    Vars inner;             ///< inputs of the body: an element of each sequence, then the states
    Vars results;           ///< of a step: states, then what it gives
    VarRef stop;            ///< of a step: is it the last one? Null: all run
    Scope *scope = nullptr;
    std::string name;
};

Type elementType(const VarRef &sequence)
{
    const auto shape = sequence->type().shape();
    return Type::tensor(sequence->type().dtype(), shape.subspan(1));
}

// The final states, and what the steps gave along a first axis.
Vars run(Call &call, const Loop &loop)
{
    ScanInfo info;
    info.sequences = loop.sequences.size();
    info.sitSot = loop.states.size();
    info.nitSot = loop.results.size() - loop.states.size();
    info.isWhile = static_cast<bool>(loop.stop);
    info.name = loop.name;
    InnerGraph body;
    body.inputs = loop.inner;
    Vars outer{loop.steps};
    outer.insert(outer.end(), loop.sequences.begin(), loop.sequences.end());
    for (std::size_t i = 0; i < loop.states.size(); ++i) {
        const VarRef &first = loop.states[i];
        const Type wanted = loop.inner[loop.sequences.size() + i]->type();
        const Type given = loop.results[i]->type();
        if (given.dtype() != wanted.dtype() || given.rank() != wanted.rank())
            call.fail("changes the dtype or the axes of a state: " + wanted.text() + " becomes " + given.text());
        body.outputs.push_back(conformed(loop.results[i], wanted));
        Vars sizes{add(loop.steps, int64(1))};
        for (int axis = 0; axis < first->type().rank(); ++axis) sizes.push_back(sizeOf(first, axis));
        const VarRef room = engine::apply(makeOp<AllocEmpty>(first->type().dtype()), sizes);
        const std::vector<IndexItem> items{IndexItem::slice({}, int64(1))};
        outer.push_back(setSubtensor(subtensor(room, items), withAxes(first, {0})));
    }
    for (std::size_t i = loop.states.size(); i < loop.results.size(); ++i) {
        body.outputs.push_back(loop.results[i]);
        outer.push_back(loop.steps);
    }
    if (loop.stop) body.outputs.push_back(loop.stop);
    info.nonSequences = loop.scope->outside.size();
    outer.insert(outer.end(), loop.scope->outside.begin(), loop.scope->outside.end());
    body.inputs.insert(body.inputs.end(), loop.scope->inside.begin(), loop.scope->inside.end());
    // What a step gives may be what it was given: an output of its own each.
    for (VarRef &output : body.outputs)
        if (output->kind() != Variable::Kind::Output) output = elementwise(S::Identity, {output});
    const ApplyRef node = Apply::create(scanOp(info, std::move(body)), outer);
    Vars results;
    for (std::size_t i = 0; i < loop.results.size(); ++i) {
        const VarRef whole(node->output(static_cast<int>(i)));
        results.push_back(i < loop.states.size() ? elementAt(whole, -1) : whole);
    }
    return results;
}

VarRef inputLike(const VarRef &value, const std::string &name) { return Variable::input(value->type(), name); }

VarRef backwards(const VarRef &a, int axis)
{
    std::vector<IndexItem> items(static_cast<std::size_t>(axis), IndexItem::slice());
    items.push_back(IndexItem::slice({}, {}, int64(-1)));
    return pinned(subtensor(a, items));
}

VarRef axisToFront(const VarRef &a, int axis)
{
    std::vector<int> order{axis};
    for (int i = 0; i < a->type().rank(); ++i)
        if (i != axis) order.push_back(i);
    return permuted(a, order);
}

VarRef frontToAxis(const VarRef &a, int axis)
{
    std::vector<int> order;
    for (int i = 1; i < a->type().rank(); ++i) order.push_back(i);
    order.insert(order.begin() + axis, 0);
    return permuted(a, order);
}

Vars scanOnce(Call &call, Vars states, Vars sequences)
{
    const proto::GraphProto &graph = call.graph("body");
    if (graph.input_size() != static_cast<int>(states.size() + sequences.size())) call.fail("has a body with other inputs than the node");
    if (graph.output_size() < static_cast<int>(states.size())) call.fail("has a body with fewer outputs than states");
    Scope scope(&call.scope());
    scope.captures = true;
    Loop loop;
    loop.scope = &scope;
    loop.name = call.node().name();
    loop.states = std::move(states);
    loop.sequences = std::move(sequences);
    loop.steps = sizeOf(loop.sequences.at(0), 0);
    int next = 0;
    Vars stateInputs, elements;
    for (const VarRef &state : loop.states) {
        stateInputs.push_back(inputLike(state, graph.input(next).name()));
        scope.put(graph.input(next++).name(), stateInputs.back());
    }
    for (const VarRef &sequence : loop.sequences) {
        elements.push_back(Variable::input(elementType(sequence), graph.input(next).name()));
        scope.put(graph.input(next++).name(), elements.back());
    }
    loop.inner = elements;
    loop.inner.insert(loop.inner.end(), stateInputs.begin(), stateInputs.end());
    loop.results = call.reader().readGraph(graph, scope);
    return run(call, loop);
}

Vars scan(Call &call)
{
    const std::int64_t count = call.integer("num_scan_inputs");
    if (count < 1 || count > call.inputCount())
        call.fail("has " + std::to_string(count) + " sequences for " + std::to_string(call.inputCount()) + " inputs");
    const int states = call.inputCount() - static_cast<int>(count);
    const Ints axes = call.integers("scan_input_axes", Ints(static_cast<std::size_t>(count), 0));
    const Ints directions = call.integers("scan_input_directions", Ints(static_cast<std::size_t>(count), 0));
    if (axes.size() != static_cast<std::size_t>(count) || directions.size() != axes.size())
        call.fail("has axes or directions for another number of sequences");
    Vars first, sequences;
    for (int i = 0; i < states; ++i) first.push_back(call.in(i));
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const VarRef &given = call.in(states + static_cast<int>(i));
        const int axis = call.axis(axes[i], given->type().rank());
        sequences.push_back(axisToFront(directions[i] ? backwards(given, axis) : given, axis));
    }
    Vars results = scanOnce(call, first, sequences);
    const std::size_t given = results.size() - first.size();
    const Ints outAxes = call.integers("scan_output_axes", Ints(given, 0)),
               outDirections = call.integers("scan_output_directions", Ints(given, 0));
    if (outAxes.size() != given || outDirections.size() != given) call.fail("has axes or directions for another number of outputs");
    for (std::size_t i = 0; i < given; ++i) {
        VarRef &result = results[first.size() + i];
        if (outDirections[i]) result = backwards(result, 0);
        result = frontToAxis(result, call.axis(outAxes[i], result->type().rank()));
    }
    return results;
}

// Opset 8 runs one loop for each element of a batch.
Vars scanOfBatch(Call &call)
{
    const std::int64_t count = call.integer("num_scan_inputs");
    if (call.has(0)) call.fail("has sequences of different lengths (sequence_lens), which Croton does not read");
    const std::int64_t batch = sizesOf(call.in(call.inputCount() - 1)).at(0);
    if (batch == kUnknownDim || batch < 1 || batch > 256) call.fail("needs to know the size of its batch, up to 256");
    std::vector<Vars> all;
    for (std::int64_t b = 0; b < batch; ++b) {
        Vars states, sequences;
        for (int i = 1; i < call.inputCount(); ++i)
            (i < call.inputCount() - count ? states : sequences).push_back(pinned(elementAt(call.in(i), b)));
        all.push_back(scanOnce(call, states, sequences));
    }
    Vars results;
    for (std::size_t i = 0; i < all[0].size(); ++i) {
        Vars parts;
        for (const Vars &one : all) parts.push_back(pinned(one[i]));
        results.push_back(stack(parts));
    }
    return results;
}

Vars loop(Call &call)
{
    const proto::GraphProto &graph = call.graph("body");
    const int states = call.inputCount() - 2;
    if (states < 0 || graph.input_size() != states + 2 || graph.output_size() < states + 1)
        call.fail("has a body with other inputs and outputs than the node");
    if (!call.has(0)) call.fail("has no limit of its steps, which Croton needs");
    VarRef steps = cast(plainScalar(call.in(0)), DType::Int64);
    if (const auto known = call.known(steps)) steps = int64(std::max<std::int64_t>(0, known->intAt(0)));
    else steps = elementwise(S::Maximum, {steps, int64(0)});
    if (call.has(1)) {
        const VarRef begins = plainScalar(call.in(1));
        const auto known = call.known(begins);
        if (!known) steps = switchOn(begins, steps, int64(0));
        else if (!known->intAt(0)) steps = int64(0);
    }
    Scope scope(&call.scope());
    scope.captures = true;
    Loop loop;
    loop.scope = &scope;
    loop.name = call.node().name();
    loop.steps = steps;
    loop.sequences = {arange(steps)};
    loop.inner = {Variable::input(Type::scalar(DType::Int64), graph.input(0).name())};
    const auto &counter = graph.input(0).type().tensor_type().shape();
    scope.put(graph.input(0).name(), counter.dim_size() == 1 ? withAxes(loop.inner[0], {0}) : loop.inner[0]);
    scope.put(graph.input(1).name(), number(DType::Bool, 1));
    for (int i = 0; i < states; ++i) {
        loop.states.push_back(call.in(i + 2));
        loop.inner.push_back(inputLike(call.in(i + 2), graph.input(i + 2).name()));
        scope.put(graph.input(i + 2).name(), loop.inner.back());
    }
    loop.results = call.reader().readGraph(graph, scope);
    const VarRef goesOn = plainScalar(loop.results.front());
    loop.results.erase(loop.results.begin());
    const auto always = call.known(goesOn);
    if (!always) loop.stop = elementwise(S::Invert, {goesOn});
    else if (!always->intAt(0)) loop.steps = elementwise(S::Minimum, {steps, int64(1)});
    return run(call, loop);
}

// An optional array is there, or it is no input of the node.
Vars hasElement(Call &call) { return {number(DType::Bool, call.has(0) ? 1 : 0)}; }
Vars getElement(Call &call) { return {call.in(0)}; }

const OpRows kControlRows{
    {"", "If", 1, choice},
    {"", "Loop", 1, loop},
    {"", "OptionalGetElement", 18, getElement},
    {"", "OptionalHasElement", 18, hasElement},
    {"", "Scan", 8, scanOfBatch},
    {"", "Scan", 9, scan},
};

} // namespace
} // namespace engine::onnx
