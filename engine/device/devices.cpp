#include "engine/device/cpu/cpu_device.h"
#include "engine/device/device_program.h"
#include "engine/tensor/errors.h"
#include "engine/tensor/fork.h"
#include "engine/tensor/sizes.h"

#include <array>
#include <atomic>
#include <mutex>

namespace engine {
namespace {

// Read without a lock by every call that meets a device: slots are only ever filled.
struct Table {
    std::array<std::atomic<Device *>, 64> slots{};
    std::atomic<std::size_t> count{0};
    ProcessMutex mutex; // guards adding
};

Table &table()
{
    static auto *const instance = new Table;
    return *instance;
}

void add(Table &all, Device *device)
{
    const std::size_t place = all.count.load(std::memory_order_relaxed);
    ENGINE_ASSERT(place < all.slots.size(), "too many devices");
    all.slots[place].store(device, std::memory_order_release);
    all.count.store(place + 1, std::memory_order_release);
}

Table &withHost()
{
    Table &all = table();
    if (all.count.load(std::memory_order_acquire)) return all;
    std::lock_guard lock(all.mutex);
    if (!all.count.load(std::memory_order_relaxed)) add(all, makeCpuDevice().release());
    return all;
}

std::atomic<DeviceId> g_chosen{DeviceId::Host};

} // namespace

DeviceStream &Device::stream()
{
    std::call_once(m_opened, [this] {
        m_stream = openStream();
        m_stream->m_device = this;
    });
    return *m_stream;
}

namespace {

constinit thread_local std::uint64_t t_tag = 0;

} // namespace

void DeviceStream::tag(std::uint64_t tag) { t_tag = tag; }
std::uint64_t DeviceStream::tag() { return t_tag; }

void DeviceStream::convolve(const DeviceConvolution &) { throw DeviceError("this device has no library of convolutions", 0); }

void DeviceStream::launchProgram(const std::shared_ptr<BuiltKernel> &, const ProgramLaunch &)
{
    throw DeviceError("this device takes no kernels of a script's own text", 0);
}

std::shared_ptr<DeviceProgram> Device::buildProgram(const KernelSource &, const std::vector<std::string> &)
{
    throw DeviceError(info().name + " takes no kernels of a script's own text", 0);
}

std::vector<std::string> Device::compileWith(const std::vector<std::string> &words)
{
    std::vector<std::string> left = takeWords(words);
    ++m_compileSettings;
    return left;
}

std::vector<std::string> Device::takeWords(const std::vector<std::string> &words)
{
    std::vector<std::string> left;
    for (const std::string &word : words)
        left.push_back(word + ": " + info().name + " does not compile with nvcc, so it has no use for this flag");
    return left;
}

std::vector<Device *> devices()
{
    Table &all = withHost();
    std::vector<Device *> result;
    for (std::size_t i = 0; i < all.count.load(std::memory_order_acquire); ++i)
        result.push_back(all.slots[i].load(std::memory_order_acquire));
    return result;
}

Device &deviceOf(DeviceId id)
{
    Device *const device = withHost().slots[static_cast<std::size_t>(id)].load(std::memory_order_acquire);
    ENGINE_ASSERT(device, "a device that was never added");
    return *device;
}

Device *findDevice(std::string_view name)
{
    for (Device *device : devices())
        if (device->info().name == name) return device;
    return nullptr;
}

DeviceId addDevice(std::unique_ptr<Device> device)
{
    Table &all = withHost();
    if (findDevice(device->info().name)) throw UserError("there is a device " + device->info().name + " already");
    std::lock_guard lock(all.mutex);
    device->m_id = static_cast<DeviceId>(all.count.load(std::memory_order_relaxed));
    const DeviceId id = device->m_id;
    const std::string name = device->info().name;
    add(all, device.release());
    nameDevice(id, name);
    return id;
}

DeviceId chosenDevice() { return g_chosen; }
void chooseDevice(DeviceId device) { g_chosen = device; }

StorageRef allocateOn(DeviceId device, std::size_t bytes)
{
    if (device == DeviceId::Host) return allocateStorage(bytes);
    Device &owner = deviceOf(device);
    return owner.allocate(bytes, owner.stream());
}

Tensor emptyOn(DeviceId device, DType dtype, const Dims &shape)
{
    if (device == DeviceId::Host) return Tensor::empty(dtype, shape);
    StorageRef storage = allocateOn(device, checkedBytes(shape, dtype));
    void *const data = storage->data();
    return Tensor(dtype, shape, contiguousStrides(shape, sizeOf(dtype)), data, std::move(storage));
}

Tensor onDevice(const Tensor &tensor, DeviceId device)
{
    if (device == DeviceId::Host) return onHost(tensor);
    ENGINE_ASSERT(tensor.device() == DeviceId::Host, "an array of the host is sent");
    const Tensor dense = tensor.isContiguous() ? tensor : tensor.copy();
    Tensor result = emptyOn(device, tensor.dtype(), tensor.shape());
    if (result.bytes()) deviceOf(device).stream().copyIn(result.data(), dense.data(), result.bytes());
    return result;
}

Tensor onHost(const Tensor &tensor)
{
    if (tensor.device() == DeviceId::Host) return tensor.copy();
    ENGINE_ASSERT(tensor.isContiguous(), "a strided array of a device is copied by a kernel");
    Tensor result = Tensor::empty(tensor.dtype(), tensor.shape());
    if (result.bytes()) deviceOf(tensor.device()).stream().copyOut(result.data(), tensor.data(), result.bytes());
    return result;
}

Tensor copyOf(const Tensor &tensor, DeviceId device)
{
    if (device == DeviceId::Host) return tensor.copy();
    ENGINE_ASSERT(tensor.isContiguous(), "a strided array of a device is copied by a kernel");
    Tensor result = emptyOn(device, tensor.dtype(), tensor.shape());
    deviceOf(device).stream().copyWithin(result.data(), tensor.data(), tensor.bytes());
    return result;
}

} // namespace engine
