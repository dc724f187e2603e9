#include "profiler/session/forks.h"

#include <pthread.h>

#include <atomic>

namespace profiler {

unsigned forksSoFar() {
    static std::atomic<unsigned> s_forks{0};
    // Counted, not asked for: getpid() costs more than most of what is recorded.
    [[maybe_unused]] static const int watching = pthread_atfork(nullptr, nullptr, [] { ++s_forks; });
    return s_forks.load(std::memory_order_relaxed);
}

} // namespace profiler
