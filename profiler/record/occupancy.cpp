#include "profiler/record/occupancy.h"

#include <algorithm>

namespace profiler {
namespace {

// As cards from 7.5 on hand them out (CUDA's cuda_occupancy.h).
constexpr int kRegisterUnit = 256;                               // of a warp
constexpr int kParts = 4;                                        // of a processor, each with its share of the registers
constexpr std::size_t kSharedUnit = 128, kSharedOfSystem = 1024; // of a group

int roundedUp(int value, int unit) { return (value + unit - 1) / unit * unit; }

} // namespace

double occupancyOf(const engine::DeviceLimits &limits, std::uint32_t items, std::uint32_t registers, std::size_t sharedBytes)
{
    if (limits.warp <= 0 || limits.items <= 0 || items == 0) return -1;
    const int warps = (static_cast<int>(items) + limits.warp - 1) / limits.warp; // of a group
    int groups = std::min(limits.groups, limits.items / (warps * limits.warp));
    if (registers > 0) {
        const int ofWarp = roundedUp(static_cast<int>(registers) * limits.warp, kRegisterUnit);
        groups = std::min(groups, limits.registers / kParts / ofWarp * kParts / warps);
    }
    if (sharedBytes > 0) {
        const std::size_t ofGroup = (sharedBytes + kSharedOfSystem + kSharedUnit - 1) / kSharedUnit * kSharedUnit;
        groups = std::min(groups, static_cast<int>(limits.sharedBytes / ofGroup));
    }
    return static_cast<double>(groups * warps * limits.warp) / limits.items;
}

} // namespace profiler
