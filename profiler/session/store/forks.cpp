#include "profiler/session/store/forks.h"

#include <pthread.h>

#include <atomic>

namespace profiler {

namespace {

std::atomic<unsigned> s_forks{0};

// A fork that waits goes first, else it might wait for as long as two threads read sessions.
constexpr pthread_rwlock_t kNobodyWithin = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
pthread_rwlock_t s_within = kNobodyWithin;

void watch()
{
    [[maybe_unused]] static const int watching =
        pthread_atfork([] { pthread_rwlock_wrlock(&s_within); }, [] { pthread_rwlock_unlock(&s_within); },
                       [] {
                           s_within = kNobodyWithin; // the thread that took it has another number here, and may not give it back
                           ++s_forks;
                       });
}

} // namespace

unsigned forksSoFar()
{
    watch(); // counted, not asked for: getpid() costs more than most of what is recorded
    return s_forks.load(std::memory_order_relaxed);
}

HoldsOffForks::HoldsOffForks()
{
    watch();
    pthread_rwlock_rdlock(&s_within);
}

HoldsOffForks::~HoldsOffForks() { pthread_rwlock_unlock(&s_within); }

} // namespace profiler
