#include "engine/runtime/device/device_windows.h"

#include "engine/device/device.h"
#include "engine/runtime/device/device_elementwise_thunk.h"

#include <algorithm>
#include <vector>

namespace engine {
namespace {

// Sizes of 1 as what they stand for.
DeviceWindow repeated(DeviceWindow window, const Dims &shape)
{
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (window.array.shape[axis] != 1) continue;
        window.array.shape[axis] = shape[axis];
        window.array.strides[axis] = 0;
    }
    return window;
}

class WindowThunk final : public Thunk {
public:
    WindowThunk(ScalarOpPtr function, std::span<const DeviceWindow> inputs, const DeviceWindow &output, const std::string &name)
    {
        std::vector<SlotOperand> operands;
        for (const DeviceWindow &input : inputs) operands.push_back(add(repeated(input, output.array.shape)));
        const SlotOperand result = add(output);
        m_work = deviceElementwiseThunk(function, {operands, {&result, 1}}, name);
    }
    void run(Slots slots) override
    {
        for (std::size_t i = 0; i < m_places.size(); ++i) m_own[i] = static_cast<char *>(slots[m_places[i].first]) + m_places[i].second;
        m_work->run(m_own.data());
    }

private:
    SlotOperand add(const DeviceWindow &window)
    {
        SlotOperand operand = window.array;
        m_places.emplace_back(operand.slot, window.offset);
        operand.slot = static_cast<Slot>(m_own.size());
        m_own.push_back(nullptr);
        return operand;
    }

    std::vector<std::pair<Slot, std::int64_t>> m_places;
    std::vector<void *> m_own;
    std::unique_ptr<Thunk> m_work;
};

} // namespace

std::unique_ptr<Thunk> windowThunk(ScalarOpPtr function, std::span<const DeviceWindow> inputs, const DeviceWindow &output,
                                   const std::string &name)
{
    return std::make_unique<WindowThunk>(function, inputs, output, name);
}

std::unique_ptr<Thunk> copyThunk(const DeviceWindow &from, const DeviceWindow &to, const std::string &name)
{
    const DType dtype = to.array.dtype;
    return windowThunk(from.array.dtype == dtype ? scalarOp(ScalarCode::Identity) : castOp(dtype), {&from, 1}, to, name);
}

DeviceWindow paddedTo(DeviceWindow from, int rank)
{
    Dims shape, strides;
    for (int axis = from.array.shape.rank(); axis < rank; ++axis) {
        shape.push_back(1);
        strides.push_back(0);
    }
    for (std::size_t axis = 0; axis < from.array.shape.size(); ++axis) {
        shape.push_back(from.array.shape[axis]);
        strides.push_back(from.array.strides[axis]);
    }
    from.array.shape = shape;
    from.array.strides = strides;
    from.array.type = Type(); // its sizes of 1 repeat, whatever was declared
    return from;
}

SlotOperand withAxesLast(const SlotOperand &array, std::span<const int> axes)
{
    SlotOperand result = array;
    result.shape = Dims();
    result.strides = Dims();
    result.type = Type();
    for (const bool isLast : {false, true})
        for (int axis = 0; axis < array.shape.rank(); ++axis) {
            if (std::ranges::binary_search(axes, axis) != isLast) continue;
            result.shape.push_back(array.shape[static_cast<std::size_t>(axis)]);
            result.strides.push_back(array.strides[static_cast<std::size_t>(axis)]);
        }
    return result;
}

DeviceScratch::DeviceScratch(DeviceId device, DType dtype, const Dims &shape) : m_array(emptyOn(device, dtype, shape)) {}

void DeviceScratch::fill(const void *elements) const
{
    if (m_array.bytes()) deviceOf(m_array.device()).stream().copyIn(m_array.data(), elements, m_array.bytes());
}

SlotOperand DeviceScratch::in(Slot slot) const
{
    SlotOperand operand;
    operand.dtype = m_array.dtype();
    operand.shape = m_array.shape();
    operand.strides = m_array.strides();
    operand.slot = slot;
    operand.device = m_array.device();
    return operand;
}

DenseArray::DenseArray(const SlotOperand &array, const Dims &shape, const std::string &name) : m_slot(array.slot)
{
    if (array.shape == shape && array.strides == contiguousStrides(shape, sizeOf(array.dtype))) return;
    m_dense.emplace(array.device, array.dtype, shape);
    if (shape.product() == 0) return;
    SlotOperand source = array;
    source.slot = Slot{0};
    m_copy = copyThunk(paddedTo({source}, shape.rank()), {m_dense->in(Slot{1})}, name);
}

void *DenseArray::data(Slots slots)
{
    if (!m_dense) return slots[m_slot];
    void *const own[] = {slots[m_slot], m_dense->data()};
    if (m_copy) m_copy->run(own);
    return m_dense->data();
}

} // namespace engine
