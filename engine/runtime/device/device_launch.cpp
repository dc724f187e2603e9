#include "engine/runtime/device/device_launch.h"

#include "engine/runtime/device/device_work_name.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <tuple>

namespace engine {
namespace {

std::shared_ptr<BuiltKernel> builtKernel(Device &device, const KernelSource &source)
{
    struct Known {
        ProcessMutex mutex; // guards the rest
        std::map<std::tuple<DeviceId, unsigned, std::string>, std::weak_ptr<BuiltKernel>> kernels;
    };
    static auto *const known = new Known;
    std::lock_guard lock(known->mutex);
    std::weak_ptr<BuiltKernel> &place = known->kernels[{device.id(), device.compileSettings(), source.text}];
    std::shared_ptr<BuiltKernel> kernel = place.lock();
    if (!kernel) place = kernel = device.build(source);
    return kernel;
}

} // namespace

DeviceLaunch::DeviceLaunch(Device &device, const KernelSource &source, std::vector<std::int64_t> numbers, std::int64_t items,
                           std::int64_t elements)
    : m_device(device), m_kernel(builtKernel(device, source)), m_numbers(std::move(numbers))
{
    m_numbers.push_back(items);
    m_shape = KernelTarget(device).shapeOf(items, elements);
}

DeviceLaunch::DeviceLaunch(Device &device, const ir::Kernel &kernel, std::int64_t items, std::int64_t elements)
    : DeviceLaunch(device, ir::sourceOf(kernel, device.info().dialect), kernel.values, items, elements)
{
    m_finds = kernel.finds;
    ENGINE_ASSERT(kernel.group == 0 || items % kernel.group == 0, "the last group of " + kernel.name + " has too few items");
    if (kernel.group) m_shape = KernelTarget(device).shapeOf(items, elements, kernel.group);
}

void DeviceLaunch::run(std::span<void *const> arrays, std::span<const std::int64_t> given)
{
    std::ranges::copy(given, m_numbers.begin());
    m_arguments.clear();
    for (void *array : arrays) m_arguments.push_back(KernelArgument::at(array));
    if (m_finds) {
        m_arguments.push_back(KernelArgument::at(m_device.stream().findings()));
        m_arguments.push_back(KernelArgument::of(static_cast<std::int64_t>(DeviceStream::tag())));
    }
    for (std::int64_t number : m_numbers) m_arguments.push_back(KernelArgument::of(number));
    m_device.stream().launch(m_kernel, m_shape, m_arguments);
    if (m_finds) m_device.stream().mayFind();
}

GivenNumbers::GivenNumbers(std::span<const SlotOperand> inputs)
{
    for (const SlotOperand &input : inputs)
        if (isGivenNumber(input)) m_places.push_back({input.slot, sizeOf(input.dtype)});
    m_bits.resize(m_places.size());
}

std::span<const std::int64_t> GivenNumbers::read(Slots slots)
{
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        m_bits[i] = 0;
        std::memcpy(&m_bits[i], slots[m_places[i].slot], m_places[i].bytes);
    }
    return m_bits;
}

void checkDeviceProgram(const ScalarProgram &program, const Device &device, const std::string &name)
{
    if (const std::string problem = deviceProblem(program); !problem.empty())
        throw UserError(name + " cannot run on " + device.info().name + ": " + problem, "transfer its inputs to the host");
}

Dims stridesWithin(const SlotOperand &input, const Dims &shape)
{
    Dims strides = input.strides;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (input.shape[axis] == 1) strides[axis] = 0;
    return strides;
}

void appendSteps(std::vector<std::int64_t> &numbers, const Dims &strides, DType dtype)
{
    for (std::int64_t step : strides) numbers.push_back(step / static_cast<std::int64_t>(sizeOf(dtype)));
}

DeviceAccess stridedAccess(const Dims &strides, std::size_t inner, DType dtype, KernelTarget target)
{
    if (!target.takesStrips()) return DeviceAccess::Strided;
    if (strides[inner] == static_cast<std::int64_t>(sizeOf(dtype))) return DeviceAccess::Beside;
    return strides[inner] == 0 ? DeviceAccess::Still : DeviceAccess::Strided;
}

bool isSingle(const Dims &strides)
{
    return std::all_of(strides.begin(), strides.end(), [](std::int64_t step) { return step == 0; });
}

} // namespace engine
