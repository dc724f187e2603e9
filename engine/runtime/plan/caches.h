// How much the caches of a core hold.
#pragma once

#include <cstddef>
#include <unistd.h>

namespace engine {

inline std::size_t cacheBytes(int name, std::size_t otherwise)
{
    const long found = sysconf(name);
    return found > 0 ? static_cast<std::size_t>(found) : otherwise;
}

inline std::size_t firstCacheBytes()
{
    static const std::size_t bytes = cacheBytes(_SC_LEVEL1_DCACHE_SIZE, 32 * 1024);
    return bytes;
}

inline std::size_t secondCacheBytes()
{
    static const std::size_t bytes = cacheBytes(_SC_LEVEL2_CACHE_SIZE, 1 << 20);
    return bytes;
}

} // namespace engine
