#include "profiler/record/recorder.h"

#include "engine/device/cpu/blas.h"

#include <fstream>
#include <sys/utsname.h>
#include <thread>
#include <unistd.h>

namespace profiler {
namespace {

std::string cpuModel()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
    return "unknown processor";
}

} // namespace

std::vector<NameValue> describeMachine()
{
    std::vector<NameValue> machine;
    machine.push_back({"cpu", cpuModel()});
    machine.push_back({"cores", std::to_string(std::thread::hardware_concurrency())});
    const auto pages = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
    machine.push_back({"memory", std::to_string(pages)});
    utsname system{};
    if (uname(&system) == 0) machine.push_back({"system", std::string(system.sysname) + " " + system.release});
    // Which BLAS kernels run decides the speed of every product; an environment variable may have pinned them.
    machine.push_back({"blas core", engine::blas().core});
    machine.push_back({"blas", engine::blas().library});
    return machine;
}

} // namespace profiler
