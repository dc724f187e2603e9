#include "profiler/record/recorder.h"

#include "engine/device/cpu/compiler/compiler.h"
#include "engine/device/cpu/cpu_device.h"
#include "profiler/record/devices.h"

#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

namespace profiler {
std::vector<NameValue> describeMachine()
{
    std::vector<NameValue> machine;
    machine.push_back({"cpu", engine::processorName()});
    machine.push_back({"cores", std::to_string(std::thread::hardware_concurrency())});
    const auto pages = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    machine.push_back({"memory", std::to_string(pages)});
    utsname system{};
    if (uname(&system) == 0) machine.push_back({"system", std::string(system.sysname) + " " + system.release});
    machine.push_back({"compiler", engine::compiler().path.empty() ? "none: " + engine::compiler().reason : engine::compiler().version});
    // They decide the speed of everything, and settings may have pinned them.
    const ProcessorUse use = describeProcessorUse();
    machine.push_back({"cpu level", use.level});
    machine.push_back({"blas", use.blas});
    machine.push_back({"blas core", use.core});
    machine.push_back({"lapack core", use.lapackCore});
    return machine;
}

} // namespace profiler
