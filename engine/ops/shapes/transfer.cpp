#include "engine/ops/shapes/transfer.h"

#include "engine/device/device.h"
#include "engine/graph/op/op_document.h"
#include "engine/graph/syntax/notation_call.h"
#include "engine/runtime/device/device_windows.h"
#include "engine/tensor/errors.h"

#include <optional>

namespace engine {
namespace {

class TransferThunk final : public Thunk {
public:
    TransferThunk(const SlotOperand &from, const SlotOperand &to)
        : m_from(from), m_to(to),
          m_isDense(View{nullptr, from.dtype, from.shape.rank(), m_from.shape.data(), m_from.strides.data()}.isContiguous()),
          m_bytes(static_cast<std::size_t>(from.shape.product()) * sizeOf(from.dtype))
    {
        if (m_isDense || m_bytes == 0 || from.device == DeviceId::Host) return;
        SlotOperand source = from, target = to;
        source.slot = Slot{0};
        if (to.device != from.device) {
            m_dense.emplace(from.device, from.dtype, from.shape);
            target = m_dense->in(Slot{1});
        }
        target.slot = Slot{1};
        m_copy = copyThunk({source}, {target}, "a dense copy");
    }

    void run(Slots slots) override
    {
        const void *from = slots[m_from.slot];
        void *const to = slots[m_to.slot];
        if (m_bytes == 0) {
            // Whoever has the result, though empty, has heard what was found on the way.
            if (m_from.device != DeviceId::Host && m_to.device == DeviceId::Host) deviceOf(m_from.device).stream().finish();
            return;
        }
        if (m_from.device == DeviceId::Host) {
            Tensor dense;
            if (!m_isDense) {
                dense = Tensor(m_from.dtype, m_from.shape, m_from.strides, slots[m_from.slot], nullptr).copy();
                from = dense.data();
            }
            deviceOf(m_to.device).stream().copyIn(to, from, m_bytes);
            return;
        }
        DeviceStream &stream = deviceOf(m_from.device).stream();
        if (m_copy) {
            void *const own[] = {slots[m_from.slot], m_dense ? m_dense->data() : to};
            m_copy->run(own);
            if (!m_dense) return;
            from = m_dense->data();
        }
        if (m_to.device == DeviceId::Host) stream.copyOut(to, from, m_bytes);
        else stream.copyWithin(to, from, m_bytes);
    }

private:
    SlotOperand m_from, m_to;
    bool m_isDense;
    std::size_t m_bytes;
    std::unique_ptr<Thunk> m_copy; // a kernel that closes the gaps of an array of a device
    std::optional<DeviceScratch> m_dense;
};

VarRef movedLike(const VarRef &gradient, const VarRef &input)
{
    return gradient->type().isTensor() ? transfer(gradient, input->type().device()) : gradient;
}

} // namespace

Cost Transfer::cost(std::span<const Dims>, std::span<const Dims>) const { return {}; }

std::unique_ptr<Thunk> Transfer::prepare(const ThunkSpec &spec) const { return transferThunk(spec); }

std::vector<VarRef> Transfer::rop(const Apply &node, std::span<const VarRef> evalPoints) const
{
    return {evalPoints[0] ? movedLike(evalPoints[0], node.output(0)) : nullptr};
}

std::vector<Type> GpuFromHost::outputTypes(std::span<const Operand> inputs) const
{
    const Type type = inputs[0].type;
    if (!type.isTensor() || type.device() != DeviceId::Host)
        throw TypeMismatch(name() + " takes an array of the host, not a " + type.text());
    return {type.on(m_device)};
}

std::string GpuFromHost::exactName() const { return "GpuFromHost<" + deviceOf(m_device).info().name + ">"; }

std::vector<VarRef> GpuFromHost::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return {movedLike(outputGrads[0], node.input(0))};
}

std::vector<Type> HostFromGpu::outputTypes(std::span<const Operand> inputs) const
{
    const Type type = inputs[0].type;
    if (!type.isTensor() || type.device() == DeviceId::Host)
        throw TypeMismatch(name() + " takes an array of a device, not a " + type.text());
    return {type.on(DeviceId::Host)};
}

std::vector<VarRef> HostFromGpu::gradient(const Apply &node, std::span<const VarRef> outputGrads) const
{
    return {movedLike(outputGrads[0], node.input(0))};
}

VarRef transfer(const VarRef &x, DeviceId device)
{
    if (x->type().device() == device) return x;
    const VarRef onHost = x->type().device() == DeviceId::Host ? x : apply(makeOp<HostFromGpu>(), {x});
    return device == DeviceId::Host ? onHost : apply(makeOp<GpuFromHost>(device), {onHost});
}

std::unique_ptr<Thunk> transferThunk(const ThunkSpec &spec) { return std::make_unique<TransferThunk>(spec.inputs[0], spec.outputs[0]); }

void copyOnDevice(const Tensor &from, const Tensor &to)
{
    if (from.bytes() == 0) return;
    if (from.dtype() == to.dtype() && from.isContiguous() && to.isContiguous())
        return deviceOf(to.device()).stream().copyWithin(to.data(), from.data(), from.bytes());
    const auto operand = [](const Tensor &array, Slot slot) {
        SlotOperand result;
        result.dtype = array.dtype();
        result.shape = array.shape();
        result.strides = array.strides();
        result.slot = slot;
        result.device = array.device();
        return result;
    };
    void *const slots[] = {from.data(), to.data()};
    copyThunk({operand(from, Slot{0})}, {operand(to, Slot{1})}, "a copy")->run(slots);
}

Tensor denseCopy(const Tensor &tensor)
{
    if (tensor.device() == DeviceId::Host || tensor.isContiguous()) return copyOf(tensor, tensor.device());
    Tensor dense = emptyOn(tensor.device(), tensor.dtype(), tensor.shape());
    copyOnDevice(tensor, dense);
    return dense;
}

Tensor fetched(const Tensor &tensor)
{
    if (tensor.device() == DeviceId::Host) return tensor;
    return onHost(tensor.isContiguous() ? tensor : denseCopy(tensor));
}

OP_CARD(GpuFromHost, Transfer);
OP_CARD(HostFromGpu, Transfer);

// To the device that was chosen.
NOTATION("gpu_from_host(x)", [](NotationCall &call) -> NotationValue { return transfer(call.variable("x"), chosenDevice()); });
NOTATION("on_device(constant)", [](NotationCall &call) -> NotationValue {
    const VarRef x = call.variable("constant");
    if (x->kind() != Variable::Kind::Constant) call.fail("on_device() takes a constant");
    return Variable::constant(Value(onDevice(x->value().tensor(), chosenDevice())), x->type().on(chosenDevice()));
});
NOTATION("host_from_gpu(x)", [](NotationCall &call) -> NotationValue { return transfer(call.variable("x"), DeviceId::Host); });

} // namespace engine
