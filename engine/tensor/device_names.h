// Which devices there are besides the host, for types and texts: engine/device adds each under its name.
#pragma once

#include "engine/tensor/tensor.h"

#include <atomic>
#include <string>

namespace engine {

/// Are there others than the host? Every graph asks, so it is one flag.
inline std::atomic<bool> g_hasDevices{false};
inline bool hasDevices() { return g_hasDevices.load(std::memory_order_relaxed); }

/// From now on there is that device. Its name stays until the process ends.
void nameDevice(DeviceId device, const std::string &name);
const std::string &nameOf(DeviceId device);

} // namespace engine
