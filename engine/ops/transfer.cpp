#include "engine/ops/transfer.h"

#include "engine/device/device.h"
#include "engine/tensor/errors.h"

namespace engine {
namespace {

class TransferThunk final : public Thunk {
public:
    TransferThunk(const SlotOperand &from, const SlotOperand &to)
        : m_from(from), m_to(to),
          m_isDense(View{nullptr, from.dtype, from.shape.rank(), m_from.shape.data(), m_from.strides.data()}.isContiguous()),
          m_bytes(static_cast<std::size_t>(from.shape.product()) * sizeOf(from.dtype))
    {}

    void run(void *const *slots) override
    {
        const void *from = slots[m_from.slot];
        void *const to = slots[m_to.slot];
        if (m_bytes == 0) return;
        if (m_from.device == DeviceId::Host) {
            Tensor dense;
            if (!m_isDense) {
                dense = Tensor(m_from.dtype, m_from.shape, m_from.strides, slots[m_from.slot], nullptr).copy();
                from = dense.data();
            }
            deviceOf(m_to.device).stream().copyIn(to, from, m_bytes);
            return;
        }
        ENGINE_ASSERT(m_isDense, "a strided array of a device is made dense by a kernel before it is copied");
        DeviceStream &stream = deviceOf(m_from.device).stream();
        if (m_to.device == DeviceId::Host) stream.copyOut(to, from, m_bytes);
        else stream.copyWithin(to, from, m_bytes);
    }

private:
    SlotOperand m_from, m_to;
    bool m_isDense;
    std::size_t m_bytes;
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

} // namespace engine
