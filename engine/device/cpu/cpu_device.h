// The host as a device: its work is done when a call returns.
#pragma once

#include "engine/device/device.h"

namespace engine {

std::unique_ptr<Device> makeCpuDevice();
/// "Intel(R) Xeon(R) …" as the system calls it.
std::string processorName();

} // namespace engine
