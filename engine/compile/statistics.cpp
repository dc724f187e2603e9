#include "engine/compile/statistics.h"

#include <chrono>
#include <mutex>
#include <thread>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace engine {
namespace {

std::uint64_t nanoseconds()
{
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

} // namespace

std::uint64_t ticks()
{
#if defined(__x86_64__)
    return __rdtsc();
#else
    return nanoseconds();
#endif
}

double ticksPerSecond()
{
#if defined(__x86_64__)
    // Both clocks over 20 ms; the longer they have run since the first call, the better later answers get.
    static std::mutex mutex; // guards the rest
    static std::uint64_t firstTicks = 0, firstNs = 0;
    std::lock_guard lock(mutex);
    if (!firstTicks) {
        firstNs = nanoseconds();
        firstTicks = ticks();
        while (nanoseconds() - firstNs < 20'000'000) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    const std::uint64_t ns = nanoseconds();
    const std::uint64_t now = ticks();
    return static_cast<double>(now - firstTicks) * 1e9 / static_cast<double>(ns - firstNs);
#else
    return 1e9;
#endif
}

} // namespace engine
