#include "profiler/record/devices.h"

#include "engine/compile/observer.h"
#include "engine/device/cpu/blas.h"
#include "engine/device/cpu/blas_core.h"
#include "engine/device/cpu/cpu_device.h"

#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <thread>
#include <unistd.h>

namespace profiler {
namespace {

namespace fs = std::filesystem;

// Where the engine's library lies: modules of devices are beside it.
fs::path libraryFolder()
{
    Dl_info info{};
    if (!dladdr(reinterpret_cast<const void *>(&engine::setRunObserver), &info) || !info.dli_fname) return {};
    return fs::path(info.dli_fname).parent_path();
}

// A device whose driver or module is missing is told apart from one that does not exist.
DeviceInfo accelerator(const std::string &name, const char *library, const char *what, const char *module)
{
    void *driver = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (!driver) return {name, "", false, std::string(what) + " is missing: " + library + " was not found", 0};
    dlclose(driver);
    std::error_code error;
    if (!fs::exists(libraryFolder() / module, error)) return {name, "", false, std::string("this build has no ") + module, 0};
    return {name, what, true, "", 0};
}

} // namespace

ProcessorUse describeProcessorUse()
{
    const engine::Blas &blas = engine::blas();
    const RtCpuLevel &level = *rt_cpu_level();
    const engine::BlasCores &cores = engine::blasCores();
    return {level.name, level.isChosen, level.problem, blas.library, blas.core, blas.lapackCore, cores.isChosen, cores.problem};
}

std::vector<DeviceInfo> describeDevices()
{
    const std::int64_t bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    char text[64];
    std::snprintf(text, sizeof text, ", %u threads, %.1f GiB", std::thread::hardware_concurrency(), static_cast<double>(bytes) / (1 << 30));
    return {{"cpu", engine::processorName() + text, true, "", bytes},
            accelerator("cuda", "libcuda.so.1", "the CUDA driver", "libcroton_cuda.so"),
            accelerator("opencl", "libOpenCL.so.1", "an OpenCL platform", "libcroton_opencl.so")};
}

} // namespace profiler
