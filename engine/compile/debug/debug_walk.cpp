#include "engine/compile/debug/debug_walk.h"

#include "engine/compile/debug/debug_memory.h"
#include "engine/compile/debug/debug_mode.h"
#include "engine/compile/debug/differences.h"
#include "engine/device/device.h"
#include "engine/graph/syntax/pretty_form.h"
#include "engine/ops/shapes/transfer.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace engine {
namespace {

ForeignRef (*g_copyObject)(const ForeignRef &) = nullptr;

struct Bounds {
    const char *begin = nullptr, *end = nullptr;
};

Bounds boundsOf(const Tensor &tensor)
{
    const ByteRange range = byteRange(tensor.shape(), tensor.strides(), sizeOf(tensor.dtype()));
    if (range.begin == range.end) return {};
    return {tensor.as<char>() + range.begin, tensor.as<char>() + range.end};
}

bool shareMemory(const Value &a, const Value &b)
{
    if (!a.isTensor() || !b.isTensor()) return false;
    const Bounds x = boundsOf(a.tensor()), y = boundsOf(b.tensor());
    return x.begin < y.end && y.begin < x.end;
}

bool declares(const std::vector<Alias> &aliases, std::size_t input)
{
    return std::any_of(aliases.begin(), aliases.end(), [&](const Alias &alias) { return alias.input == input; });
}

bool allows(Type type, const Value &value)
{
    if (!type.isTensor()) return true;
    if (!value.isTensor()) return false;
    const Tensor &tensor = value.tensor();
    if (tensor.dtype() != type.dtype() || tensor.rank() != type.rank()) return false;
    for (int axis = 0; axis < type.rank(); ++axis)
        if (type.isBroadcastable(axis) && tensor.shape()[axis] != 1) return false;
    return true;
}

struct Finite {
    std::int64_t others = 0; ///< how many are not
    double least = 0, largest = 0;
};

Finite finiteOf(const Tensor &tensor)
{
    Finite result;
    const std::int64_t parts = isComplex(tensor.dtype()) ? 2 : 1;
    const Tensor wide = tensor.converted(parts == 2 ? DType::Complex128 : DType::Float64);
    bool any = false;
    for (std::int64_t i = 0; i < tensor.size(); ++i) {
        const double *at = wide.as<double>() + parts * i;
        if (!std::isfinite(at[0]) || !std::isfinite(at[parts - 1])) {
            ++result.others;
            continue;
        }
        result.least = any ? std::min(result.least, at[0]) : at[0];
        result.largest = any ? std::max(result.largest, at[0]) : at[0];
        any = true;
    }
    return result;
}

[[noreturn]] void refuse(DebugFault fault, ApplyId apply, const std::string &text)
{
    DebugModeError error(fault, text);
    error.apply = apply;
    throw error;
}

std::string numberText(double value) { return Tensor::scalar(DType::Float64, value).text(); }

} // namespace

Value copyOf(const Value &value)
{
    if (value.isTensor()) return Value(denseCopy(value.tensor()));
    return value.object() && g_copyObject ? Value(g_copyObject(value.object())) : value;
}

void setObjectCopier(ForeignRef (*copy)(const ForeignRef &object)) { g_copyObject = copy; }

std::vector<Value> seen(std::span<const Value> values)
{
    std::vector<Value> result;
    for (const Value &value : values) result.push_back(value.isTensor() ? Value(fetched(value.tensor())) : value);
    return result;
}

std::string textOf(const FunctionGraph &graph, ApplyId id)
{
    const ApplyNode &node = graph.apply(id);
    std::string text = node.op->name() + "(";
    for (std::size_t i = 0; i < node.inputs.size(); ++i) text += (i ? ", " : "") + operandName(graph, node, i);
    return text + ")";
}

void DebugWalk::typesOf(ApplyId id, std::vector<Type> &inputs, std::vector<Type> &outputs) const
{
    for (const Use &use : m_graph.apply(id).inputs) inputs.push_back(m_graph.var(use.var).type);
    for (VarId out : m_graph.apply(id).outputs) outputs.push_back(m_graph.var(out).type);
}

void DebugWalk::before(ApplyId, std::span<const Value> inputs)
{
    m_copies.clear();
    for (const Value &value : inputs) m_copies.push_back(copyOf(value));
}

void DebugWalk::after(ApplyId id, std::span<const Value> inputs, std::span<Value> outputs)
{
    const Op &op = *m_graph.apply(id).op;
    checkMemory(id, inputs, outputs);
    checkValues(id, outputs);
    if (op.isOnDevice()) return checkDevice(id, outputs);
    if (isAnyOnDevice(id)) return; // transfers, and what only looks at sizes
    if (!op.isCompiled()) {
        if (m_checks.interpreted) checkAgain(id, outputs);
    } else if (m_checks.compiled && m_checks.interpreted && !op.worksOnValues()) {
        prepareKernel(id, outputs);
    }
    if (!m_checks.outputs.empty()) checkFound(id, outputs);
}

bool DebugWalk::isAnyOnDevice(ApplyId id) const
{
    std::vector<Type> inputs, outputs;
    typesOf(id, inputs, outputs);
    const auto isThere = [](Type type) { return isOnDevice(type); };
    return std::any_of(inputs.begin(), inputs.end(), isThere) || std::any_of(outputs.begin(), outputs.end(), isThere);
}

// The host does the same work.
void DebugWalk::checkDevice(ApplyId id, std::span<const Value> outputs) const
{
    const OpRef op = m_graph.apply(id).op->on(DeviceId::Host);
    std::vector<Type> inputTypes, outputTypes;
    typesOf(id, inputTypes, outputTypes);
    const std::string device = deviceOf(m_graph.apply(id).op->worksOn()).info().name;
    for (std::vector<Type> *types : {&inputTypes, &outputTypes})
        for (Type &type : *types)
            if (isOnDevice(type)) type = type.on(DeviceId::Host);
    std::vector<Value> inputs, wanted(outputs.size());
    for (const Value &value : seen(m_copies)) inputs.push_back(copyOf(value));
    performApply(*op, id, inputTypes, outputTypes, inputs, wanted, {});
    const std::vector<Value> got = seen(outputs);
    for (std::size_t o = 0; o < outputs.size(); ++o)
        if (!m_graph.apply(id).op->leavesElementsOpen() && !agree(wanted[o], got[o]))
            refuse(DebugFault::BadThunkOutput, id,
                   "output " + std::to_string(o) + " of " + textOf(m_graph, id) + " differs between the CPU and " + device + ": " +
                       differenceText(wanted[o], got[o]));
}

// What an op does with its inputs is what its maps say.
void DebugWalk::checkMemory(ApplyId id, std::span<const Value> inputs, std::span<const Value> outputs) const
{
    const Op &op = *m_graph.apply(id).op;
    const std::vector<Alias> views = op.viewMap(), destroys = op.destroyMap();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (declares(destroys, i)) continue;
        if (inputs[i].isTensor() && !areExactly(fetched(m_copies[i].tensor()), fetched(inputs[i].tensor())))
            refuse(DebugFault::BadDestroyMap, id,
                   "the op " + op.name() + " changed its input " + std::to_string(i) + ", which its destroy_map does not say");
        if (declares(views, i)) continue;
        for (std::size_t o = 0; o < outputs.size(); ++o)
            if (shareMemory(inputs[i], outputs[o]))
                refuse(DebugFault::BadViewMap, id,
                       "output " + std::to_string(o) + " of the op " + op.name() + " shares memory with its input " + std::to_string(i) +
                           ", which its view_map does not say");
    }
}

void DebugWalk::checkValues(ApplyId id, std::span<const Value> outputs) const
{
    const ApplyNode &node = m_graph.apply(id);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        const Type type = m_graph.var(node.outputs[o]).type;
        if (!allows(type, outputs[o]))
            refuse(DebugFault::InvalidValueError, id,
                   textOf(m_graph, id) + " gave a value that its type " + type.text() + " does not allow");
        if (!m_checks.finite || node.op->leavesElementsOpen() || !outputs[o].isTensor() || isDiscrete(outputs[o].tensor().dtype()))
            continue;
        const Tensor tensor = fetched(outputs[o].tensor());
        const Finite finite = finiteOf(tensor);
        if (finite.others == 0) continue;
        const bool hasSpan = finite.others < tensor.size() && !isComplex(tensor.dtype());
        refuse(DebugFault::InvalidValueError, id,
               textOf(m_graph, id) + " gave values that are not finite: shape " + tensor.shape().text() + ", dtype " +
                   std::string(engine::nameOf(tensor.dtype())) + ", " + std::to_string(finite.others) + " of " +
                   std::to_string(tensor.size()) + " (the others: " +
                   (hasSpan ? "from " + numberText(finite.least) + " to " + numberText(finite.largest) : "none are finite") + ")");
    }
}

// An op of the host language gives the same when it is asked again.
void DebugWalk::checkAgain(ApplyId id, std::span<const Value> outputs) const
{
    if (!mayRunAgain()) return;
    const Op &op = *m_graph.apply(id).op;
    std::vector<Value> again(outputs.size());
    runAgain(id, again);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        const std::string which = "output " + std::to_string(o) + " of the op " + op.name();
        if (!agree(outputs[o], again[o]))
            refuse(DebugFault::BadThunkOutput, id,
                   which + " differs when perform runs again on the same inputs: it depends on something else "
                           "than its inputs");
        checkStrides(id, outputs[o], again[o], o);
    }
}

void DebugWalk::checkStrides(ApplyId id, const Value &output, const Value &again, std::size_t index) const
{
    if (m_checks.strides == OnStrides::Ignore || !output.isTensor() || output.tensor().size() == 0) return;
    const Dims &strides = output.tensor().strides(), &others = again.tensor().strides();
    if (strides == others) return;
    const std::string text = "output " + std::to_string(index) + " of the op " + m_graph.apply(id).op->name() + " has strides " +
                             strides.text() + ", and " + others.text() + " when perform runs again on the same inputs";
    if (m_checks.strides == OnStrides::Raise) refuse(DebugFault::BadThunkOutput, id, text);
    if (m_checks.warn) m_checks.warn(text);
}

bool DebugWalk::mayRunAgain() const
{
    // Other values may have changed.
    return std::all_of(m_copies.begin(), m_copies.end(), [](const Value &value) { return value.isTensor(); });
}

void DebugWalk::runAgain(ApplyId id, std::vector<Value> &outputs) const
{
    std::vector<Type> inputTypes, outputTypes;
    typesOf(id, inputTypes, outputTypes);
    std::vector<Value> inputs;
    for (const Value &value : m_copies) inputs.push_back(copyOf(value));
    performApply(*m_graph.apply(id).op, id, inputTypes, outputTypes, inputs, outputs, {});
}

// An op gives the same whatever it finds where its results go. The engine's own get that memory from a plan.
void DebugWalk::checkFound(ApplyId id, std::span<const Value> outputs)
{
    const Op &op = *m_graph.apply(id).op;
    if (!mayRunAgain() || (op.isCompiled() && op.worksOnValues())) return;
    std::vector<Value> &left = m_left[id];
    // Results that lie in inputs are given by them.
    if (op.viewMap().empty() && op.destroyMap().empty() && !op.leavesElementsOpen())
        for (FoundOutputs &found : foundOutputs(m_checks.outputs, outputs, left, m_checks.outputRank, op.isCompiled())) {
            const std::string given = " when it is given memory for its outputs (" + found.text + ")";
            const std::string advice = "; what stands in output_storage may have any size, strides and values";
            try {
                runAgain(id, found.values);
            } catch (const DebugModeError &) {
                throw;
            } catch (const UserError &error) {
                refuse(DebugFault::BadThunkOutput, id, "the op " + op.name() + " fails" + given + ": " + error.what() + advice);
            }
            for (std::size_t o = 0; o < outputs.size(); ++o)
                if (!agree(outputs[o], found.values[o]))
                    refuse(DebugFault::BadThunkOutput, id,
                           "output " + std::to_string(o) + " of the op " + op.name() + " differs" + given + ": " +
                               differenceText(outputs[o], found.values[o]) + advice);
        }
    left.clear();
    for (const Value &value : outputs) left.push_back(copyOf(value));
}

void DebugWalk::prepareKernel(ApplyId id, std::span<const Value> outputs)
{
    Prepared prepared{id, {}, {}, {}, {}, nullptr, nullptr};
    for (const Value &value : m_copies) prepared.inputs.push_back(copyOf(value));
    for (const Value &value : outputs) prepared.expected.push_back(copyOf(value));
    const Op &op = *m_graph.apply(id).op;
    if (!op.viewMap().empty()) return;
    for (const Value &value : outputs) prepared.outputs.push_back(Tensor::empty(value.tensor().dtype(), value.tensor().shape()));
    for (const Alias &alias : op.destroyMap()) {
        const Value &base = prepared.inputs[alias.input];
        Value &out = prepared.outputs[alias.output];
        if (base.tensor().shape() == out.tensor().shape()) out = base;
    }
    std::vector<Type> inputTypes, outputTypes;
    typesOf(id, inputTypes, outputTypes);
    prepared.thunk = prepareApply(op, prepared.inputs, prepared.outputs, inputTypes, outputTypes, prepared.slots);
    if (!prepared.thunk) return;
    auto text = prepared.thunk->kernelText();
    if (!text) return;
    prepared.kernel = internKernel(std::move(*text));
    m_prepared.push_back(std::move(prepared));
}

void DebugWalk::compareKernels()
{
    std::vector<std::shared_ptr<Kernel>> kernels;
    for (const Prepared &one : m_prepared) kernels.push_back(one.kernel);
    if (!kernels.empty() && !loadCachedKernels(kernels)) {
        requestKernels(kernels);
        waitForKernels();
    }
    for (Prepared &one : m_prepared) {
        if (one.kernel->state != KernelState::Ready) continue;
        one.thunk->adopt(one.kernel->function, one.kernel->text.math.data());
        one.thunk->run(one.slots.data());
        for (std::size_t o = 0; o < one.outputs.size(); ++o)
            if (!areExactly(one.expected[o].tensor(), one.outputs[o].tensor()))
                refuse(DebugFault::BadThunkOutput, one.apply,
                       "output " + std::to_string(o) + " of " + textOf(m_graph, one.apply) +
                           " differs between the interpreter and the compiled kernel: " + differenceText(one.expected[o], one.outputs[o]));
    }
}

} // namespace engine
