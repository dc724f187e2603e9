// What this machine can run on, and why not on the rest: the one list that sessions keep and `croton devices` prints.
#pragma once

#include "profiler/session/model.h"

#include <string>
#include <vector>

namespace profiler {

/// The processor first, then the accelerators, also absent ones with their reason.
std::vector<DeviceInfo> describeDevices();
/// "Intel(R) Xeon(R) …" as the system calls it.
std::string processorName();

} // namespace profiler
