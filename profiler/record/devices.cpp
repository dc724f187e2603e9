#include "profiler/record/devices.h"

#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/blas_core.h"
#include "engine/device/cpu/cpu_device.h"
#include "engine/device/offers.h"
#include "engine/liveness/sizes.h"
#include "engine/tensor/errors.h"
#include "profiler/record/device_roofs.h"

#include <cstdio>
#include <thread>
#include <unistd.h>

namespace profiler {
ProcessorUse describeProcessorUse()
{
    const engine::Blas &blas = engine::blas();
    const RtCpuLevel &level = *rt_cpu_level();
    const engine::BlasCores &cores = engine::blasCores();
    return {level.name, level.isChosen, level.problem, blas.library, blas.core, blas.lapackCore, cores.isChosen, cores.problem};
}

std::vector<DeviceInfo> describeDevices(bool looksForDrivers)
{
    const std::int64_t bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    char text[64];
    std::snprintf(text, sizeof text, ", %u threads, %s", std::thread::hardware_concurrency(), liveness::sizeText(bytes).c_str());
    std::vector<DeviceInfo> all{{"cpu", engine::processorName() + text, true, "", bytes}};
    if (!looksForDrivers) return all;
    for (const engine::DeviceOffer &offer : engine::offeredDevices())
        all.push_back({offer.name, offer.hardware, offer.open != nullptr, offer.reason, static_cast<std::int64_t>(offer.bytes)});
    return all;
}

std::vector<DeviceInfo> describeDeviceParts()
{
    std::vector<DeviceInfo> all;
    for (const engine::DeviceOffer &offer : engine::offeredDevices())
        if (offer.parts)
            for (const engine::Capability &part : offer.parts())
                all.push_back({part.name, "of " + (offer.open ? offer.name : "CUDA"), part.isThere, part.reason, 0});
    return all;
}

FoundRoofs roofsOfDevice(const std::string &name)
{
    FoundRoofs found;
    found.processor = engine::processorName();
    try {
        engine::Device &device = engine::openDevice(name);
        if (device.info().isSimulated) found.problem = name + " is a simulation on the processor: its times say nothing of a device";
        else found.roofs = deviceRoofs(device);
        if (found.roofs.empty() && found.problem.empty()) found.problem = "what " + name + " can do could not be measured";
    } catch (const engine::UserError &error) {
        found.problem = std::string("no roofs of that device are known here: ") + error.what();
    }
    return found;
}

} // namespace profiler
