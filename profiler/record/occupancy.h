// How full a kernel can make the processors of a card.
#pragma once

#include "engine/device/device.h"

namespace profiler {

/// The share of a processor's threads that groups of `items` with so many registers each and so much shared memory can have at a time; -1:
/// the device does not tell what it has.
[[nodiscard]] double occupancyOf(const engine::DeviceLimits &limits, std::uint32_t items, std::uint32_t registers, std::size_t sharedBytes);

} // namespace profiler
