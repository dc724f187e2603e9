#include "engine/tensor/device_names.h"

#include "engine/tensor/errors.h"

#include <array>

namespace engine {
namespace {

// Read without a lock: a name is only ever added.
std::array<std::atomic<const std::string *>, 64> g_names{};

} // namespace

void nameDevice(DeviceId device, const std::string &name)
{
    ENGINE_ASSERT(static_cast<std::size_t>(device) < g_names.size(), "too many devices");
    g_names[static_cast<std::size_t>(device)].store(new std::string(name), std::memory_order_release);
    g_hasDevices = true;
}

const std::string &nameOf(DeviceId device)
{
    const std::string *const name = g_names[static_cast<std::size_t>(device)].load(std::memory_order_acquire);
    ENGINE_ASSERT(name, "a device that was never added");
    return *name;
}

} // namespace engine
