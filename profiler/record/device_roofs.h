// The ceilings of a device other than the host, measured through device.h once and kept in the user's cache.
#pragma once

#include "engine/device/device.h"
#include "profiler/session/model/model.h"

#include <string>
#include <vector>

namespace profiler {

/// flop/s of products, bandwidth of elementwise work and of copies, what beginning a kernel or a copy takes, and elements of exp. Measured
/// in about a second the first time, on a device that does nothing else meanwhile, then read from `cacheFile`. None: its times say nothing
/// of a device (a simulation), or it could not be measured.
std::vector<Roof> deviceRoofs(engine::Device &device, const std::string &cacheFile = {});
/// Measures now.
std::vector<Roof> measureDeviceRoofs(engine::Device &device);

} // namespace profiler
