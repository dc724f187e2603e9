#include "engine/runtime/plan/interpreter.h"

#include "engine/runtime/plan/branches.h"
#include "engine/runtime/sizes/shape_program.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <initializer_list>

namespace engine {
namespace {

// The op's thunk knows the declared types, so it refuses to stretch a size that only happens to be 1.
std::unique_ptr<Thunk> prepared(const Op &op, std::span<const View> in, std::span<const View> out, std::span<const Type> inputTypes,
                                std::span<const Type> outputTypes, std::vector<void *> &slots)
{
    for (const View &view : in) slots.push_back(view.data);
    for (const View &view : out) slots.push_back(view.data);
    std::vector<SlotOperand> inputs = operandsOf(in, 0), outputs = operandsOf(out, in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
        inputs[i].type = inputTypes[i];
        inputs[i].device = inputTypes[i].isTensor() ? inputTypes[i].device() : DeviceId::Host;
        if (op.isOnDevice() && inputs[i].device == DeviceId::Host) inputs[i].constantData = in[i].data; // nobody runs this thunk again
    }
    for (std::size_t o = 0; o < out.size(); ++o) {
        outputs[o].type = outputTypes[o];
        outputs[o].device = outputTypes[o].device();
        for (std::size_t i = 0; i < in.size(); ++i)
            if (out[o].data == in[i].data) outputs[o].root = inputs[i].slot;
    }
    return op.prepare({inputs, outputs});
}

bool performPrepared(const Op &op, std::span<const View> in, std::span<const View> out, std::span<const Type> inputTypes,
                     std::span<const Type> outputTypes)
{
    std::vector<void *> slots;
    const std::unique_ptr<Thunk> thunk = prepared(op, in, out, inputTypes, outputTypes, slots);
    if (!thunk) return false;
    thunk->run(slots.data());
    return true;
}

} // namespace

std::unique_ptr<Thunk> prepareApply(const Op &op, std::span<const Value> inputs, std::span<const Value> outputs,
                                    std::span<const Type> inputTypes, std::span<const Type> outputTypes, std::vector<void *> &slots)
{
    std::vector<View> in, out;
    for (const Value &value : inputs) in.push_back(value.tensor().view());
    for (const Value &value : outputs) out.push_back(value.tensor().view());
    return prepared(op, in, out, inputTypes, outputTypes, slots);
}

void performApply(const Op &op, ApplyId id, std::span<const Type> inputTypes, std::span<const Type> outputTypes,
                  std::span<const Value> inputs, std::span<Value> outputs, const NestedCall &nested)
{
    if (op.worksOnValues()) {
        if (nested) nested(id, inputs, outputs);
        else op.performValues(inputs, outputs);
        return;
    }
    const auto shapes = inferShapes(op, inputs, inputTypes);
    if (shapes)
        for (const Dims &shape : *shapes)
            for (std::int64_t size : shape)
                if (size < 0) throw ShapeMismatch("negative dimensions are not allowed: size " + std::to_string(size) + " was asked for");
    std::vector<View> in, out(outputs.size());
    for (const Value &value : inputs) in.push_back(value.tensor().view());
    std::vector<std::optional<std::int64_t>> integers(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i].isTensor() && inputs[i].tensor().rank() == 0 && isDiscrete(inputs[i].tensor().dtype()) &&
            inputs[i].tensor().device() == DeviceId::Host)
            integers[i] = inputs[i].tensor().intAt(0);

    std::size_t windows = 0;
    for (const Alias &alias : op.viewMap()) {
        const std::size_t o = alias.output;
        const Tensor &base = inputs[alias.input].tensor();
        if (!shapes) break;
        const auto layout = op.viewLayout({base.shape(), base.strides(), 0}, base.dtype(), (*shapes)[o], integers);
        if (!layout) continue;
        outputs[o] =
            Value(Tensor(outputTypes[o].dtype(), layout->shape, layout->strides, base.as<char>() + layout->offset, base.storage()));
        ++windows;
    }
    if (windows == outputs.size() && windows > 0) return;

    for (const Alias &alias : op.destroyMap()) {
        const Tensor &base = inputs[alias.input].tensor();
        const std::size_t o = alias.output;
        if (!shapes || (*shapes)[o] == base.shape()) outputs[o] = Value(base);
    }
    const auto give = [&](std::size_t o, const Dims &shape) {
        outputs[o] = Value(emptyOn(outputTypes[o].device(), outputTypes[o].dtype(), shape));
        out[o] = outputs[o].tensor().view();
    };
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        if (outputs[o].isTensor()) out[o] = outputs[o].tensor().view();
        else if (shapes) give(o, (*shapes)[o]);
        else out[o].dtype = outputTypes[o].dtype();
    }
    if (shapes && performPrepared(op, in, out, inputTypes, outputTypes)) return;
    if (op.isOnDevice()) throw InternalError(op.name() + " has no kernel for operands of that kind");
    PerformArgs args{in, out, [&](int index, const Dims &shape) { give(static_cast<std::size_t>(index), shape); }};
    op.perform(args);
}

namespace {

void copyOverwritten(const Op &op, std::span<Value> inputs)
{
    for (const Alias &alias : op.destroyMap()) {
        Value &value = inputs[alias.input];
        if (!value.isTensor()) continue; // whoever gave it minds it
        value = Value(copyOf(value.tensor(), value.tensor().device()));
    }
}

} // namespace

std::vector<std::optional<Tensor>> shownOperands(std::span<const Value> inputs)
{
    std::vector<std::optional<Tensor>> shown;
    for (const Value &value : inputs) shown.push_back(value.isTensor() ? std::optional(value.tensor()) : std::nullopt);
    return shown;
}

std::vector<Value> evaluateOp(const Op &op, std::span<const Value> inputs, std::span<const Type> outputTypes)
{
    std::vector<Type> inputTypes;
    std::vector<Value> owned;
    for (const Value &value : inputs) {
        inputTypes.push_back(value.isTensor() ? Type::tensor(value.tensor().dtype(), value.tensor().shape(), value.tensor().device())
                                              : Type::plain(TypeKind::Generic));
        owned.push_back(value);
    }
    copyOverwritten(op, owned);
    std::vector<Value> outputs(outputTypes.size());
    performApply(op, kNoApply, inputTypes, outputTypes, owned, outputs, {});
    // A view into an input would share memory with a constant.
    for (const Alias &alias : op.viewMap()) {
        Value &value = outputs[alias.output];
        if (value.isTensor()) value = Value(copyOf(value.tensor(), value.tensor().device()));
    }
    return outputs;
}

std::vector<Value> interpret(const FunctionGraph &graph, std::span<const ApplyId> order, std::span<const VarId> given,
                             std::span<const Value> values, std::span<const VarId> wanted, const NestedCall &nested, ApplyFailure &failure,
                             ApplyListener *listener, bool onCopies)
{
    std::vector<Value> known(graph.varCount());
    std::vector<std::uint32_t> readers(graph.varCount(), 0);
    for (std::size_t i = 0; i < given.size(); ++i) known[raw(given[i])] = values[i];
    const auto expectReader = [&](VarId var) {
        const VarNode &node = graph.var(var);
        if (node.kind == Variable::Kind::Constant) known[raw(var)] = node.leaf->value();
        ++readers[raw(var)];
    };
    for (ApplyId id : order)
        for (const Use &use : graph.apply(id).inputs) expectReader(use.var);
    for (VarId var : wanted) expectReader(var);
    const Branches branches(graph, order);
    for (const Branch &branch : branches.all()) expectReader(branch.condition);

    const auto truth = [&](VarId condition) {
        const Value &value = known[raw(condition)];
        return value.isTensor() ? std::optional(isTrue(value.tensor().view())) : std::nullopt;
    };
    std::vector<Value> in, out;
    std::vector<Type> inTypes, outTypes;
    for (ApplyId id : order) {
        checkInterrupt();
        const ApplyNode &node = graph.apply(id);
        if (!isTaken(branches.all(), branches.of(id), truth)) {
            for (const Use &use : node.inputs)
                if (--readers[raw(use.var)] == 0) known[raw(use.var)] = Value();
            continue;
        }
        in.clear();
        inTypes.clear();
        outTypes.clear();
        for (const Use &use : node.inputs) {
            in.push_back(known[raw(use.var)]);
            inTypes.push_back(graph.var(use.var).type);
        }
        for (VarId var : node.outputs) outTypes.push_back(graph.var(var).type);
        out.assign(node.outputs.size(), Value());
        if (onCopies) copyOverwritten(*node.op, in);
        if (listener) listener->before(id, in);
        try {
            performApply(*node.op, id, inTypes, outTypes, in, out, nested);
        } catch (...) {
            failure.apply = id;
            failure.inputs = shownOperands(in);
            throw;
        }
        if (listener) listener->after(id, in, out);
        for (std::size_t o = 0; o < out.size(); ++o) known[raw(node.outputs[o])] = std::move(out[o]);
        for (const Use &use : node.inputs)
            if (--readers[raw(use.var)] == 0) known[raw(use.var)] = Value();
    }
    std::vector<Value> results;
    for (VarId var : wanted) results.push_back(known[raw(var)]);
    return results;
}

} // namespace engine
