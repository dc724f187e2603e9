#include "engine/runtime/device_elementwise_thunk.h"

#include "engine/codegen/device_elementwise.h"
#include "engine/device/device.h"
#include "engine/runtime/elementwise_thunk.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"
#include "engine/tensor/loop_layout.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

namespace engine {
namespace {

constexpr std::uint32_t kGroupItems = 256, kMostGroups = 4096; // each item goes on to its next element

std::shared_ptr<BuiltKernel> builtKernel(Device &device, const KernelSource &source)
{
    struct Known {
        ProcessMutex mutex; // guards the rest
        std::map<std::pair<DeviceId, std::string>, std::weak_ptr<BuiltKernel>> kernels;
    };
    static auto *const known = new Known;
    std::lock_guard lock(known->mutex);
    std::weak_ptr<BuiltKernel> &place = known->kernels[{device.id(), source.text}];
    std::shared_ptr<BuiltKernel> kernel = place.lock();
    if (!kernel) place = kernel = device.build(source);
    return kernel;
}

std::vector<DType> dtypesOf(std::span<const SlotOperand> operands)
{
    std::vector<DType> result;
    for (const SlotOperand &operand : operands) result.push_back(operand.dtype);
    return result;
}

class DeviceElementwiseThunk final : public Thunk {
public:
    DeviceElementwiseThunk(ScalarOpPtr function, const ThunkSpec &spec, const std::string &name)
        : m_device(deviceOf(spec.outputs[0].device))
    {
        DeviceArrays arrays{dtypesOf(spec.inputs), dtypesOf(spec.outputs), {}, 0};
        const ScalarProgram program(function, arrays.inputs, arrays.outputs);
        if (const std::string problem = deviceElementwiseProblem(program); !problem.empty())
            throw UserError(name + " cannot run on " + m_device.info().name + ": " + problem, "transfer its inputs to the host");
        const LoopLayout layout = layoutOf(spec);
        m_size = layout.size();
        if (m_size == 0) return;
        arrays.rank = layout.shape.size();
        std::vector<std::int64_t> numbers;
        bool isStrided = false;
        for (std::size_t k = 0; k < m_slots.size(); ++k) {
            const DType dtype = k < spec.inputs.size() ? arrays.inputs[k] : arrays.outputs[k - spec.inputs.size()];
            arrays.access.push_back(accessOf(layout.shape, layout.strides[k], dtype));
            if (arrays.access.back() != DeviceAccess::Strided) continue;
            isStrided = true;
            for (std::int64_t step : layout.strides[k]) numbers.push_back(step / static_cast<std::int64_t>(sizeOf(dtype)));
        }
        for (std::size_t axis = 1; axis < arrays.rank && isStrided; ++axis) m_numbers.push_back(layout.shape[axis]);
        m_numbers.insert(m_numbers.end(), numbers.begin(), numbers.end());
        m_numbers.push_back(m_size);
        m_kernel = builtKernel(m_device, deviceElementwise(program, arrays, m_device.info().dialect, name));
        const std::int64_t groups = (m_size + kGroupItems - 1) / kGroupItems;
        m_shape = {static_cast<std::uint32_t>(std::min<std::int64_t>(groups, kMostGroups)), kGroupItems};
    }

    void run(void *const *slots) override
    {
        if (m_size == 0) return;
        m_arguments.clear();
        for (int slot : m_slots) m_arguments.push_back(KernelArgument::at(slots[slot]));
        for (std::int64_t number : m_numbers) m_arguments.push_back(KernelArgument::of(number));
        m_device.stream().launch(m_kernel, m_shape, m_arguments);
    }

private:
    LoopLayout layoutOf(const ThunkSpec &spec)
    {
        const Dims shape = broadcastShape(spec.inputs);
        std::vector<Dims> strides;
        for (const SlotOperand &input : spec.inputs) {
            m_slots.push_back(input.slot);
            strides.push_back(input.strides);
            for (std::size_t axis = 0; axis < shape.size(); ++axis)
                if (input.shape[axis] == 1) strides.back()[axis] = 0;
        }
        for (const SlotOperand &output : spec.outputs) {
            ENGINE_ASSERT(output.shape == shape, "an elementwise output has shape " + output.shape.text() + " instead of " + shape.text());
            m_slots.push_back(output.slot);
            strides.push_back(output.strides);
        }
        return collapseLoops(shape, strides, spec.inputs.size());
    }

    static DeviceAccess accessOf(const Dims &shape, const Dims &strides, DType dtype)
    {
        if (std::all_of(strides.begin(), strides.end(), [](std::int64_t step) { return step == 0; })) return DeviceAccess::Single;
        return strides == contiguousStrides(shape, sizeOf(dtype)) ? DeviceAccess::Flat : DeviceAccess::Strided;
    }

    Device &m_device;
    std::vector<int> m_slots; // of the inputs, then the outputs
    std::vector<std::int64_t> m_numbers;
    std::int64_t m_size = 0;
    std::shared_ptr<BuiltKernel> m_kernel;
    LaunchShape m_shape;
    std::vector<KernelArgument> m_arguments;
};

} // namespace

std::unique_ptr<Thunk> deviceElementwiseThunk(ScalarOpPtr function, const ThunkSpec &spec, const std::string &name)
{
    return std::make_unique<DeviceElementwiseThunk>(function, spec, name);
}

} // namespace engine
