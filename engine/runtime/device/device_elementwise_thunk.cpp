#include "engine/runtime/device/device_elementwise_thunk.h"

#include "engine/runtime/device/device_launch.h"
#include "engine/runtime/thunks/elementwise_thunk.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/loop_layout.h"

#include <optional>

namespace engine {
namespace {

class DeviceElementwiseThunk final : public Thunk {
public:
    DeviceElementwiseThunk(ScalarOpPtr function, const ThunkSpec &spec, const std::string &name) : m_given(spec.inputs)
    {
        Device &device = deviceOf(spec.outputs[0].device);
        const KernelTarget target(device);
        DeviceArrays arrays{dtypesOf(spec.inputs), dtypesOf(spec.outputs), {}, 0};
        const ScalarProgram program(function, arrays.inputs, arrays.outputs);
        checkDeviceProgram(program, device, name);
        const LoopLayout layout = layoutOf(spec);
        const std::int64_t size = layout.size();
        if (size == 0) return;
        arrays.rank = layout.shape.size();
        std::vector<std::int64_t> numbers(m_given.count()), steps;
        bool isStrided = false;
        for (std::size_t k = 0; k < layout.strides.size(); ++k) {
            if (k < spec.inputs.size() && isGivenNumber(spec.inputs[k])) {
                arrays.access.push_back(DeviceAccess::Number);
                continue;
            }
            const DType dtype = k < spec.inputs.size() ? arrays.inputs[k] : arrays.outputs[k - spec.inputs.size()];
            arrays.access.push_back(accessOf(layout.shape, layout.strides[k], dtype, target));
            if (!engine::isStrided(arrays.access.back())) continue;
            isStrided = true;
            appendSteps(steps, layout.strides[k], dtype);
        }
        for (std::size_t axis = 1; axis < arrays.rank && isStrided; ++axis) numbers.push_back(layout.shape[axis]);
        numbers.insert(numbers.end(), steps.begin(), steps.end());
        const std::int64_t row = takesRows(arrays, target) ? layout.shape[arrays.rank - 1] : 1;
        if (target.hasManyItems()) arrays.turned = turnedAxis(spec, layout, arrays);
        const std::int64_t elements = arrays.turned ? elementsOfSquares(layout.shape, *arrays.turned) : size;
        if (arrays.turned) numbers.push_back(layout.shape[*arrays.turned]);
        arrays.isSmall = target.hasManyItems() && elements <= INT32_MAX;
        arrays.perItem = elementsPerItem(program, size, target);
        if (arrays.perItem > 1) numbers.push_back(elements);
        std::int64_t items = (elements / row + arrays.perItem - 1) / arrays.perItem;
        if (arrays.turned) items = (items + kSquareItems - 1) / kSquareItems * kSquareItems; // each of an item's squares is a whole one
        ir::Kernel kernel = deviceElementwise(program, arrays, target, name);
        kernel.values = std::move(numbers);
        m_launch.emplace(device, kernel, items, row);
    }

    void run(Slots slots) override
    {
        if (!m_launch) return;
        m_arrays.clear();
        for (const Slot slot : m_slots) m_arrays.push_back(slots[slot]);
        m_launch->run(m_arrays, m_given.read(slots));
    }

private:
    LoopLayout layoutOf(const ThunkSpec &spec)
    {
        const Dims shape = broadcastShape(spec.inputs);
        std::vector<Dims> strides;
        for (const SlotOperand &input : spec.inputs) {
            if (!isGivenNumber(input)) m_slots.push_back(input.slot);
            strides.push_back(stridesWithin(input, shape));
        }
        for (const SlotOperand &output : spec.outputs) {
            ENGINE_ASSERT(output.shape == shape, "an elementwise output has shape " + output.shape.text() + " instead of " + shape.text());
            m_slots.push_back(output.slot);
            strides.push_back(output.strides);
        }
        return collapseLoops(shape, strides, spec.inputs.size());
    }

    /// Where neighbours of the first operand that goes along another axis than the last one lie.
    static std::optional<std::size_t> turnedAxis(const ThunkSpec &spec, const LoopLayout &layout, const DeviceArrays &arrays)
    {
        const std::size_t inputs = spec.inputs.size(), last = layout.shape.size() - 1;
        for (std::size_t k = 0; k < layout.strides.size(); ++k) {
            if (!engine::isStrided(arrays.access[k])) continue;
            const auto step = static_cast<std::int64_t>(sizeOf(k < inputs ? arrays.inputs[k] : arrays.outputs[k - inputs]));
            const Dims &strides = layout.strides[k];
            if (strides[last] == 0 || strides[last] == step) continue;
            for (std::size_t axis = 0; axis < last; ++axis)
                if (strides[axis] == step && fitsSquares(layout.shape, axis)) return axis;
        }
        return std::nullopt;
    }

    static DeviceAccess accessOf(const Dims &shape, const Dims &strides, DType dtype, KernelTarget target)
    {
        if (isSingle(strides)) return DeviceAccess::Single;
        if (strides == contiguousStrides(shape, sizeOf(dtype))) return DeviceAccess::Flat;
        return stridedAccess(strides, shape.size() - 1, dtype, target);
    }

    std::vector<Slot> m_slots; // of the arrays: inputs, then outputs
    GivenNumbers m_given;
    std::vector<void *> m_arrays;
    std::optional<DeviceLaunch> m_launch; // nothing to do: none
};

} // namespace

std::unique_ptr<Thunk> deviceElementwiseThunk(ScalarOpPtr function, const ThunkSpec &spec, const std::string &name)
{
    return std::make_unique<DeviceElementwiseThunk>(function, spec, name);
}

} // namespace engine
