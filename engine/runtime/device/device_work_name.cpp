#include "engine/runtime/device/device_work_name.h"

#include <atomic>

namespace engine {

std::uint64_t takeDeviceTags(std::size_t count)
{
    static std::atomic<std::uint64_t> next{1};
    return next.fetch_add(count, std::memory_order_relaxed);
}

} // namespace engine
