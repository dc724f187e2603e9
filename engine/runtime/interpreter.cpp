#include "engine/runtime/interpreter.h"

#include "engine/graph/errors.h"
#include "engine/runtime/shape_program.h"

#include <algorithm>
#include <initializer_list>

namespace engine {
namespace {

bool sameLayout(const std::vector<Dims> &layout, std::span<const View> in, std::span<const View> out)
{
    if (layout.size() != 2 * (in.size() + out.size())) return false;
    std::size_t at = 0;
    for (const std::span<const View> views : {in, out})
        for (const View &view : views) {
            const Dims &shape = layout[at++], &strides = layout[at++];
            if (shape.rank() != view.rank || !std::equal(shape.begin(), shape.end(), view.shape) ||
                !std::equal(strides.begin(), strides.end(), view.strides))
                return false;
        }
    return true;
}

// The op's thunk knows the declared types, so it refuses to stretch a size that only happens to be 1.
bool performPrepared(const Op &op, std::span<const View> in, std::span<const View> out, std::span<const Type> inputTypes,
                     std::span<const Type> outputTypes, CachedThunk *cache)
{
    std::vector<void *> slots;
    for (const View &view : in) slots.push_back(view.data);
    for (const View &view : out) slots.push_back(view.data);
    if (cache && cache->thunk && sameLayout(cache->layout, in, out)) {
        ++cache->runs;
        cache->adoptReady();
        cache->thunk->run(slots.data());
        return true;
    }
    std::vector<SlotOperand> inputs = operandsOf(in, 0), outputs = operandsOf(out, static_cast<int>(in.size()));
    for (std::size_t i = 0; i < in.size(); ++i) inputs[i].type = inputTypes[i];
    for (std::size_t o = 0; o < out.size(); ++o) {
        outputs[o].type = outputTypes[o];
        for (std::size_t i = 0; i < in.size(); ++i)
            if (out[o].data == in[i].data) outputs[o].root = static_cast<int>(i);
    }
    std::unique_ptr<Thunk> thunk = op.prepare({inputs, outputs});
    if (!thunk) return false;
    thunk->run(slots.data());
    if (cache) {
        *cache = CachedThunk();
        cache->thunk = std::move(thunk);
        for (const std::vector<SlotOperand> *operands : {&inputs, &outputs})
            for (const SlotOperand &operand : *operands) {
                cache->layout.push_back(operand.shape);
                cache->layout.push_back(operand.strides);
            }
    }
    return true;
}

} // namespace

void CachedThunk::adoptReady()
{
    if (adopted || !kernel || kernel->state != KernelState::Ready) return;
    thunk->adopt(kernel->function, kernel->text.math.data());
    adopted = true;
}

void performApply(const Op &op, ApplyId id, std::span<const Type> inputTypes, std::span<const Type> outputTypes,
                  std::span<const Value> inputs, std::span<Value> outputs, const NestedCall &nested, CachedThunk *cache)
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
        if (inputs[i].isTensor() && inputs[i].tensor().rank() == 0 && isDiscrete(inputs[i].tensor().dtype()))
            integers[i] = inputs[i].tensor().intAt(0);

    std::size_t windows = 0;
    for (const Alias &alias : op.viewMap()) {
        const std::size_t o = static_cast<std::size_t>(alias.output);
        const Tensor &base = inputs[static_cast<std::size_t>(alias.input)].tensor();
        if (!shapes) break;
        const auto layout = op.viewLayout(alias.output, {base.shape(), base.strides(), 0}, base.dtype(), (*shapes)[o], integers);
        if (!layout) continue;
        outputs[o] = Value(Tensor(outputTypes[o].dtype(), layout->shape, layout->strides, base.as<char>() + layout->offset, base.storage()));
        ++windows;
    }
    if (windows == outputs.size() && windows > 0) return;

    for (const Alias &alias : op.destroyMap()) {
        const Tensor &base = inputs[static_cast<std::size_t>(alias.input)].tensor();
        const std::size_t o = static_cast<std::size_t>(alias.output);
        if (!shapes || (*shapes)[o] == base.shape()) outputs[o] = Value(base);
    }
    const auto give = [&](std::size_t o, const Dims &shape) {
        outputs[o] = Value(Tensor::empty(outputTypes[o].dtype(), shape));
        out[o] = outputs[o].tensor().view();
    };
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        if (outputs[o].isTensor()) out[o] = outputs[o].tensor().view();
        else if (shapes) give(o, (*shapes)[o]);
        else out[o].dtype = outputTypes[o].dtype();
    }
    if (shapes && performPrepared(op, in, out, inputTypes, outputTypes, cache)) return;
    PerformArgs args{in, out, [&](int index, const Dims &shape) { give(static_cast<std::size_t>(index), shape); }};
    op.perform(args);
}

std::vector<Value> evaluateOp(const Op &op, std::span<const Value> inputs, std::span<const Type> outputTypes)
{
    std::vector<Type> inputTypes;
    std::vector<Value> owned;
    for (const Value &value : inputs) {
        inputTypes.push_back(value.isTensor() ? Type::tensor(value.tensor().dtype(), value.tensor().shape())
                                              : Type::plain(TypeKind::Generic));
        owned.push_back(value);
    }
    for (const Alias &alias : op.destroyMap()) {
        Value &value = owned[static_cast<std::size_t>(alias.input)];
        value = Value(value.tensor().copy());
    }
    std::vector<Value> outputs(outputTypes.size());
    performApply(op, kNoApply, inputTypes, outputTypes, owned, outputs, {});
    // A view into an input would share memory with a constant.
    for (const Alias &alias : op.viewMap()) {
        Value &value = outputs[static_cast<std::size_t>(alias.output)];
        if (value.isTensor()) value = Value(value.tensor().copy());
    }
    return outputs;
}

std::vector<Value> interpret(const FunctionGraph &graph, std::span<const ApplyId> order, std::span<const Value> inputs,
                             const NestedCall &nested, bool freeEarly, FunctionStatistics *statistics, ApplyFailure &failure,
                             std::span<CachedThunk> cache)
{
    std::vector<Value> values(graph.varCount());
    std::vector<std::uint32_t> readers(graph.varCount(), 0);
    for (std::size_t i = 0; i < inputs.size(); ++i) values[raw(graph.inputs()[i])] = inputs[i];
    const auto fetchConstant = [&](VarId var) {
        const VarNode &node = graph.var(var);
        if (node.kind == Variable::Kind::Constant) values[raw(var)] = node.leaf->value();
    };
    for (ApplyId id : order)
        for (const Use &use : graph.apply(id).inputs) {
            fetchConstant(use.var);
            ++readers[raw(use.var)];
        }
    for (std::size_t i = 0; i < graph.outputCount(); ++i) {
        fetchConstant(graph.output(i));
        ++readers[raw(graph.output(i))];
    }

    std::uint64_t before = statistics ? ticks() : 0;
    const bool traced = statistics && !statistics->trace.ticks.empty();
    if (traced) statistics->trace.ticks[0] = before;
    std::size_t position = 0;
    std::vector<Value> in, out;
    std::vector<Type> inTypes, outTypes;
    for (ApplyId id : order) {
        const ApplyNode &node = graph.apply(id);
        in.clear();
        inTypes.clear();
        outTypes.clear();
        for (const Use &use : node.inputs) {
            in.push_back(values[raw(use.var)]);
            inTypes.push_back(graph.var(use.var).type);
        }
        for (VarId var : node.outputs) outTypes.push_back(graph.var(var).type);
        out.assign(node.outputs.size(), Value());
        try {
            performApply(*node.op, id, inTypes, outTypes, in, out, nested,
                         cache.empty() ? nullptr : &cache[position]);
        } catch (...) {
            failure.apply = id;
            failure.inputs.clear();
            for (const Use &use : node.inputs)
                failure.inputs.push_back(values[raw(use.var)].isTensor() ? std::optional(values[raw(use.var)].tensor()) : std::nullopt);
            throw;
        }
        for (std::size_t o = 0; o < out.size(); ++o) values[raw(node.outputs[o])] = std::move(out[o]);
        if (freeEarly)
            for (const Use &use : node.inputs)
                if (--readers[raw(use.var)] == 0) values[raw(use.var)] = Value();
        if (statistics) {
            const std::uint64_t after = ticks();
            const bool compiled = !cache.empty() && cache[position].adopted;
            statistics->at(position, compiled ? Tier::Compiled : Tier::Interpreter).note(after - before);
            if (traced) statistics->trace.ticks[position + 1] = after;
            before = after;
        }
        ++position;
    }
    std::vector<Value> results;
    for (std::size_t i = 0; i < graph.outputCount(); ++i) results.push_back(values[raw(graph.output(i))]);
    return results;
}

} // namespace engine
