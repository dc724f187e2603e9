// What this machine can run on, and why not on the rest: what sessions keep and `croton devices` prints.
#pragma once

#include "profiler/session/model/model.h"

#include <string>
#include <vector>

namespace profiler {

/// The processor first, then the accelerators, also absent ones with their reason. Looking for those loads their drivers, which put
/// handlers of their own to signals: what runs on the processor alone is described without them.
std::vector<DeviceInfo> describeDevices(bool looksForDrivers);
/// Libraries that kinds of devices need, loaded to see them.
std::vector<DeviceInfo> describeDeviceParts();
/// What the device of that name can do (device_roofs.h), opened if it was not.
struct FoundRoofs {
    std::vector<Roof> roofs;
    std::string problem;   ///< why there are none
    std::string processor; ///< of this machine
};
FoundRoofs roofsOfDevice(const std::string &name);
/// What is made of the processor: instructions, kernels of products.
struct ProcessorUse {
    std::string level;        ///< "x86-64-v3"
    bool levelIsChosen;       ///< by CROTON_CPU_LEVEL
    std::string levelProblem; ///< why that choice cannot be followed
    std::string blas;         ///< "OpenBLAS 0.3.21"
    std::string core, lapackCore;
    bool coreIsChosen; ///< by CROTON_BLAS_CORE
    std::string coreProblem;
};
ProcessorUse describeProcessorUse();

} // namespace profiler
