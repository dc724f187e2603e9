#include "engine/tensor/interrupt.h"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace engine {
namespace {

struct Watching {
    InterruptWatch *watch = nullptr;
    bool isHelp = false; // of another thread's call
};
constinit thread_local Watching t_watching;

std::uint64_t coarseNs()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

long futex(const std::atomic<std::uint32_t> &word, int operation, std::uint32_t value, const timespec *timeout)
{
    static_assert(sizeof word == sizeof(std::uint32_t));
    return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, timeout, nullptr, 0);
}

} // namespace

void InterruptWatch::check()
{
    if (m_isEnded.load(std::memory_order_relaxed)) throw Interrupted();
    const std::uint64_t at = m_lookAt.load(std::memory_order_relaxed);
    if (at == kNever) return;
    if (at != 0) {
        const std::uint64_t now = coarseNs();
        std::uint64_t expected = at;
        // A call that is over before its first check reads no clock.
        if (at == kUnset) m_lookAt.compare_exchange_strong(expected, now + kFirstLookNs, std::memory_order_relaxed);
        if (at == kUnset || now < at) return;
    }
    if (!isEndWanted()) return;
    m_isEnded.store(true, std::memory_order_relaxed);
    throw Interrupted();
}

void checkInterrupt()
{
    const Watching &watching = t_watching;
    if (!watching.watch) return;
    if (!watching.isHelp) watching.watch->check();
    else if (watching.watch->isEnded()) throw Interrupted();
}

int isInterruptWanted()
{
    try {
        checkInterrupt();
        return 0;
    } catch (const Interrupted &) {
        return 1;
    }
}

InterruptWatch *currentWatch() { return t_watching.watch; }

WatchedCall::WatchedCall(InterruptWatch *watch) : m_isOutermost(watch && !t_watching.watch)
{
    if (!m_isOutermost) return;
    watch->begin();
    t_watching = {watch, false};
}

WatchedCall::~WatchedCall()
{
    if (m_isOutermost) t_watching = {};
}

WatchedHelp::WatchedHelp(InterruptWatch *watch) { t_watching = {watch, true}; }
WatchedHelp::~WatchedHelp() { t_watching = {}; }

void sleepWhile(const std::atomic<std::uint32_t> &word, std::uint32_t value)
{
    const timespec look{0, kLookMs * 1'000'000L};
    if (word.load(std::memory_order_acquire) == value) futex(word, FUTEX_WAIT, value, &look);
}
void wakeOne(const std::atomic<std::uint32_t> &word) { futex(word, FUTEX_WAKE, 1, nullptr); }
void wakeAll(const std::atomic<std::uint32_t> &word) { futex(word, FUTEX_WAKE, INT_MAX, nullptr); }

} // namespace engine
