#include "engine/ops/shapes/alloc.h"
#include "engine/ops/shapes/transfer.h"

#include "engine/codegen/loop_writer.h"
#include "engine/runtime/device/device_windows.h"
#include "engine/runtime/thunks/thunk.h"
#include "engine/scalar/registers.h"
#include "engine/tensor/convert.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace engine {
namespace {

std::int64_t sizeFrom(const View &view)
{
    return withStorageType(view.dtype, [&]<class T>() {
        T value;
        std::memcpy(&value, view.data, sizeof(T));
        return convertElement<std::int64_t>(value);
    });
}

Dims sizesFrom(std::span<const View> views)
{
    Dims shape;
    for (const View &view : views) {
        const std::int64_t size = sizeFrom(view);
        if (size < 0) throw ShapeMismatch("negative dimensions are not allowed: size " + std::to_string(size) + " was asked for");
        shape.push_back(size);
    }
    return shape;
}

// A value spread over an array, or a copy: fills in one go where the value is one element.
void spread(const View &value, const View &to)
{
    Dims strides(static_cast<std::size_t>(to.rank), 0);
    const int pad = to.rank - value.rank;
    for (int axis = 0; axis < value.rank; ++axis) {
        const std::int64_t size = value.shape[axis], wanted = to.shape[axis + pad];
        if (size != wanted && size != 1)
            throw ShapeMismatch("[alloc] a value of size " + std::to_string(size) + " in dimension " + std::to_string(axis) +
                                " cannot fill " + std::to_string(wanted) + " places");
        if (size != 1) strides[axis + pad] = value.strides[axis];
    }
    bool single = true;
    for (std::int64_t stride : strides) single &= stride == 0;
    if (single && to.isContiguous() && value.dtype == to.dtype && isNativeRegister(to.dtype)) {
        constexpr std::int64_t kAtOnce = 1 << 22;
        const RtLoad fill = rt_table()->loads[rtDType(to.dtype)];
        const std::size_t bytes = sizeOf(to.dtype);
        for (std::int64_t first = 0; first < to.size(); first += kAtOnce) {
            if (first > 0) checkInterrupt();
            fill(value.as<const char>(), 0, to.as<char>() + static_cast<std::size_t>(first) * bytes, std::min(kAtOnce, to.size() - first));
        }
        return;
    }
    copyConverted({value.data, value.dtype, to.rank, to.shape, strides.data()}, to);
}

class SpreadThunk final : public Thunk {
public:
    SpreadThunk(const SlotOperand &from, const SlotOperand &to) : m_from(from), m_to(to) {}
    void run(Slots slots) override
    {
        spread({slots[m_from.slot], m_from.dtype, m_from.shape.rank(), m_from.shape.data(), m_from.strides.data()},
               {slots[m_to.slot], m_to.dtype, m_to.shape.rank(), m_to.shape.data(), m_to.strides.data()});
    }

private:
    SlotOperand m_from, m_to;
};

// Not left as it was found: a product that scales it by 0 must not meet a nan there.
void clear(const View &to)
{
    static const double zero[2] = {};
    spread({const_cast<double *>(zero), to.dtype, 0, nullptr, nullptr}, to);
}

class ClearThunk final : public Thunk {
public:
    explicit ClearThunk(const SlotOperand &to) : m_to(to) {}
    void run(Slots slots) override { clear({slots[m_to.slot], m_to.dtype, m_to.shape.rank(), m_to.shape.data(), m_to.strides.data()}); }

private:
    SlotOperand m_to;
};

// One element of the host that an array of a device is filled with, or an array of the device that is repeated.
class DeviceSpreadThunk final : public Thunk {
public:
    DeviceSpreadThunk(const SlotOperand &from, const SlotOperand &to, const std::string &name) : m_from(from)
    {
        if (to.shape.product() == 0) return;
        SlotOperand source = from, target = to;
        if (from.device == DeviceId::Host) {
            m_element.emplace(to.device, from.dtype, Dims{});
            if (from.constantData) send(from.constantData);
            source = m_element->in(Slot{0});
        }
        source.slot = Slot{0};
        target.slot = Slot{1};
        m_to = to.slot;
        m_work = copyThunk(paddedTo({source}, to.shape.rank()), {target}, name);
    }
    void run(Slots slots) override
    {
        if (!m_work) return;
        if (m_element && !m_from.constantData) send(slots[m_from.slot]);
        void *const own[] = {m_element ? m_element->data() : slots[m_from.slot], slots[m_to]};
        m_work->run(own);
    }

private:
    void send(const void *element) { m_element->fill(element); }

    SlotOperand m_from;
    Slot m_to{0};
    std::optional<DeviceScratch> m_element;
    std::unique_ptr<Thunk> m_work;
};

SlotOperand constantOperand(const void *data, DType dtype)
{
    SlotOperand operand;
    operand.dtype = dtype;
    operand.constantData = data;
    return operand;
}

} // namespace

std::unique_ptr<Thunk> Alloc::prepare(const ThunkSpec &spec) const
{
    if (isOnDevice()) return std::make_unique<DeviceSpreadThunk>(spec.inputs[0], spec.outputs[0], name());
    return std::make_unique<SpreadThunk>(spec.inputs[0], spec.outputs[0]);
}
void Alloc::perform(PerformArgs &args) const
{
    const Dims shape = sizesFrom(args.inputs.subspan(1));
    if (!args.outputs[0].data) args.allocate(0, shape);
    spread(args.inputs[0], args.outputs[0]);
}

bool Alloc::readsInputOnHost(std::size_t input, const Operand &operand) const { return input > 0 || operand.type.rank() == 0; }
bool AllocEmpty::readsInputOnHost(std::size_t, const Operand &) const { return true; }

std::unique_ptr<Thunk> AllocEmpty::prepare(const ThunkSpec &spec) const
{
    if (!isOnDevice()) return std::make_unique<ClearThunk>(spec.outputs[0]);
    static const double zero[2] = {};
    return std::make_unique<DeviceSpreadThunk>(constantOperand(zero, spec.outputs[0].dtype), spec.outputs[0], name());
}
void AllocEmpty::perform(PerformArgs &args) const
{
    if (!args.outputs[0].data) args.allocate(0, sizesFrom(args.inputs));
    clear(args.outputs[0]);
}

std::unique_ptr<Thunk> DeepCopyOp::prepare(const ThunkSpec &spec) const
{
    if (spec.inputs[0].device != DeviceId::Host) return transferThunk(spec);
    return std::make_unique<SpreadThunk>(spec.inputs[0], spec.outputs[0]);
}
void DeepCopyOp::perform(PerformArgs &args) const
{
    const View &from = args.inputs[0];
    if (!args.outputs[0].data) args.allocate(0, Dims(std::span(from.shape, static_cast<std::size_t>(from.rank))));
    copyConverted(from, args.outputs[0]);
}

IN_LOOPS(DeepCopyOp, [](const DeepCopyOp &, LoopWriter &writer) {
    return writer.writeCopy(writer.all(writer.outputArray(0)), writer.all(writer.inputArray(0)), writer.output(0).shape);
})

IN_LOOPS(Alloc, [](const Alloc &, LoopWriter &writer) {
    const Dims &shape = writer.output(0).shape, &given = writer.input(0).shape;
    LoopWriter::Part from = writer.all(writer.inputArray(0));
    Dims steps(shape.size(), 0);
    for (std::size_t axis = 0; axis < given.size(); ++axis) steps[axis + shape.size() - given.size()] = from.steps[axis];
    from.steps = steps;
    return writer.writeCopy(writer.all(writer.outputArray(0)), from, shape);
})

IN_LOOPS(AllocEmpty, [](const AllocEmpty &, LoopWriter &writer) { return writer.writeZeros(writer.outputArray(0)); })

} // namespace engine
