// The ceilings of this machine, measured once and kept in the user's cache.
#pragma once

#include "profiler/session/model/model.h"

#include <functional>
#include <string>
#include <vector>

namespace profiler {

/// Peak flop/s of a product in float32 and float64 and bandwidth of memory and of the second cache, on one thread (the engine's BLAS uses
/// one). Measured in about 0.2 s the first time on a machine, then read from `cacheFile`.
std::vector<Roof> machineRoofs(const std::string &cacheFile = {});
/// Measures now.
std::vector<Roof> measureRoofs();

/// Those of a device that were measured before on this hardware, else measured now and kept. `cacheFile`: where; empty: the user's cache.
std::vector<Roof> keptRoofs(const std::string &cacheFile, const std::string &device, const std::string &hardware,
                            const std::function<std::vector<Roof>()> &measure);

} // namespace profiler
