#include "profiler/stats/machine/machine_roofs.h"

#include <cstdlib>

namespace profiler {

double MachineRoofs::peakOf(const std::string &dtype) const { return dtype == "float64" || dtype == "complex128" ? flops64 : flops32; }

double MachineRoofs::movingNs(double bytes) const
{
    const double beyond = cacheBytes > 0 && memory > 0 ? std::max(0.0, bytes - cacheBytes) : 0;
    return ((bytes - beyond) / bandwidth() + (beyond > 0 ? beyond / memory : 0)) * 1e9;
}

double MachineRoofs::copyingNs(double bytes, bool toIt) const
{
    const double rate = toIt ? toDevice : toHost;
    return rate > 0 ? copyNs + bytes / rate * 1e9 : -1;
}

std::map<std::string, MachineRoofs> roofsByDevice(const std::vector<Roof> &roofs)
{
    std::map<std::string, MachineRoofs> devices;
    for (const Roof &roof : roofs)
        for (const auto &[name, field] : {std::pair("flops.float32", &MachineRoofs::flops32),
                                          {"flops.float64", &MachineRoofs::flops64},
                                          {"bandwidth.memory", &MachineRoofs::memory},
                                          {"bandwidth.cache", &MachineRoofs::cache},
                                          {"size.cache", &MachineRoofs::cacheBytes},
                                          {"bandwidth.HtoD", &MachineRoofs::toDevice},
                                          {"bandwidth.DtoH", &MachineRoofs::toHost},
                                          {"launch", &MachineRoofs::launchNs},
                                          {"copy", &MachineRoofs::copyNs}})
            if (roof.name == name) devices[roof.device].*field = roof.value;
    return devices;
}

int threadsOf(const std::vector<Flag> &flags, const std::vector<NameValue> &machine)
{
    long count = 0;
    for (const Flag &flag : flags) {
        if (flag.name == "openmp" && (flag.value == "False" || flag.value == "0")) return 1;
        if (flag.name == "threads") count = std::strtol(flag.value.c_str(), nullptr, 10);
    }
    for (const NameValue &fact : machine)
        if (count <= 0 && fact.name == "cores") count = std::strtol(fact.value.c_str(), nullptr, 10);
    return static_cast<int>(std::clamp(count, 1L, 1024L));
}

} // namespace profiler
