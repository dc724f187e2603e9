#include "profiler/record/devices.h"

#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/blas_core.h"
#include "engine/device/cpu/cpu_device.h"
#include "engine/device/offers.h"

#include <cstdio>
#include <dlfcn.h>
#include <thread>
#include <unistd.h>

namespace profiler {
namespace {

// Its module is not part of this build yet, so all that can be told is what else is missing.
DeviceInfo cuda()
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (!driver) return {"cuda", "", false, "the CUDA driver is missing: libcuda.so.1 was not found", 0};
    dlclose(driver);
    return {"cuda", "", false, "this build has no libcroton_cuda.so", 0};
}

} // namespace

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
    std::snprintf(text, sizeof text, ", %u threads, %.1f GiB", std::thread::hardware_concurrency(), static_cast<double>(bytes) / (1 << 30));
    std::vector<DeviceInfo> all{{"cpu", engine::processorName() + text, true, "", bytes}, cuda()};
    if (!looksForDrivers) return all;
    for (const engine::DeviceOffer &offer : engine::offeredDevices())
        all.push_back({offer.name, offer.hardware, offer.open != nullptr, offer.reason, static_cast<std::int64_t>(offer.bytes)});
    return all;
}

} // namespace profiler
