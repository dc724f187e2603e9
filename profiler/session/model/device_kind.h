#pragma once
// What the names of devices say: "cuda0" and "opencl0:1" begin with their kind; "gpu", "gpu0" and "cuda" are old names for the best
// device that is there.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace profiler {

enum class DeviceKind : std::uint8_t { Cpu, Cuda, OpenCl, Unknown };

inline bool isOldDeviceName(std::string_view name)
{
    const std::string_view rest = name.substr(std::min<std::size_t>(3, name.size()));
    return name == "cuda" ||
           (name.starts_with("gpu") && std::all_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

// `there`: names of the devices that there are, which old names are looked up in.
template <class Names>
DeviceKind kindOfDevice(std::string_view name, const Names &there)
{
    const auto kindOf = [](std::string_view one) {
        return one == "cpu"                ? DeviceKind::Cpu
               : one.starts_with("cuda")   ? DeviceKind::Cuda
               : one.starts_with("opencl") ? DeviceKind::OpenCl
                                           : DeviceKind::Unknown;
    };
    if (!isOldDeviceName(name)) return kindOf(name);
    for (const DeviceKind best : {DeviceKind::Cuda, DeviceKind::OpenCl})
        for (const std::string &one : there)
            if (kindOf(one) == best && !isOldDeviceName(one)) return best;
    return DeviceKind::Unknown;
}

} // namespace profiler
