#include "engine/ops/elements/elementwise.h"

#include "engine/codegen/loop_writer.h"
#include "engine/graph/op/op_card.h"
#include "engine/runtime/device/device_elementwise_thunk.h"
#include "engine/runtime/thunks/elementwise_thunk.h"
#include "engine/tensor/errors.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace engine {
namespace {

std::optional<double> numberOf(const Tensor &tensor)
{
    if (tensor.size() != 1 || isComplex(tensor.dtype())) return std::nullopt;
    const double value = tensor.at(0);
    const bool isExact = isFloat(tensor.dtype()) || (value < 9007199254740992.0 && value > -9007199254740992.0);
    return isExact ? std::optional(value) : std::nullopt;
}

} // namespace

// Constants of the host are numbers that stand in the kernel; what the host computes is given with each launch.
ArraysOfDevice withoutConstants(ScalarOpPtr function, std::span<const SlotOperand> inputs)
{
    const auto isNumber = [](const SlotOperand &input) { return input.device == DeviceId::Host && input.constantData; };
    if (std::none_of(inputs.begin(), inputs.end(), isNumber)) return {function, {inputs.begin(), inputs.end()}};
    std::vector<SlotOperand> arrays;
    std::vector<DType> dtypes;
    for (const SlotOperand &input : inputs) {
        dtypes.push_back(input.dtype);
        if (!isNumber(input)) arrays.push_back(input);
    }
    ScalarBody body;
    body.inputCount = static_cast<std::uint32_t>(arrays.size());
    for (const SlotOperand &array : arrays) body.inputTypes.push_back(array.dtype);
    std::vector<std::uint32_t> values;
    std::uint32_t array = 0;
    for (const SlotOperand &input : inputs) {
        if (!isNumber(input)) {
            values.push_back(array++);
            continue;
        }
        const Tensor constant(input.dtype, Dims{}, Dims{}, const_cast<void *>(input.constantData), nullptr);
        values.push_back(body.inputCount + static_cast<std::uint32_t>(body.instructions.size()));
        body.instructions.push_back({nullptr, {}, input.dtype, constant.at(0)});
    }
    const ScalarBody *const whole = function->body();
    const std::vector<ScalarInstruction> single{{function, {}, function->resultType(dtypes), 0}};
    for (ScalarInstruction instruction : whole ? whole->instructions : single) {
        if (!whole)
            for (std::uint32_t i = 0; i < inputs.size(); ++i) instruction.arguments.push_back(i);
        for (std::uint32_t &argument : instruction.arguments) argument = values[argument];
        values.push_back(body.inputCount + static_cast<std::uint32_t>(body.instructions.size()));
        body.instructions.push_back(std::move(instruction));
    }
    if (whole)
        for (std::uint32_t output : whole->outputs) body.outputs.push_back(values[output]);
    else body.outputs = {values.back()};
    return {compositeOp(std::move(body)), std::move(arrays)};
}

bool Elemwise::readsInputOnHost(std::size_t, const Operand &operand) const
{
    const Type &type = operand.type;
    if (type.device() != DeviceId::Host) return false;
    if (operand.constant) return numberOf(operand.constant->tensor()).has_value();
    for (int axis = 0; axis < type.rank(); ++axis)
        if (!type.isBroadcastable(axis)) return false;
    return !isComplex(type.dtype());
}

std::string Elemwise::whyNotOnDevice(std::span<const Type> inputs, std::span<const Type> outputs) const
{
    for (std::span<const Type> types : {inputs, outputs})
        for (const Type &type : types)
            if (isComplex(type.dtype())) return "kernels of devices have no complex numbers";
    return {};
}

std::unique_ptr<Thunk> Elemwise::prepare(const ThunkSpec &spec) const
{
    if (isOnDevice()) {
        const ArraysOfDevice operands = withoutConstants(m_scalar, spec.inputs);
        return deviceElementwiseThunk(operands.function, {operands.arrays, spec.outputs}, name());
    }
    return elementwiseThunk(m_scalar, spec);
}

void Elemwise::perform(PerformArgs &args) const
{
    if (!args.outputs[0].data) {
        const Dims shape = broadcastShape(operandsOf(args.inputs, 0));
        for (std::size_t o = 0; o < args.outputs.size(); ++o)
            if (!args.outputs[o].data) args.allocate(static_cast<int>(o), shape);
    }
    performThroughThunk(args, [&](const ThunkSpec &spec) { return elementwiseThunk(m_scalar, spec); });
}

ROW_AXES(Elemwise, [](const Elemwise &, std::span<const Type>) { return RowAxes(); });

IN_LOOPS(Elemwise, [](const Elemwise &op, LoopWriter &writer) {
    std::vector<DType> in, out;
    for (std::size_t i = 0; i < writer.inputCount(); ++i) in.push_back(writer.input(i).dtype);
    for (std::size_t o = 0; o < writer.outputCount(); ++o) out.push_back(writer.output(o).dtype);
    return writer.writeElements(ScalarProgram(op.scalar(), in, out));
})

} // namespace engine
