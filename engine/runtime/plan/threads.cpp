#include "engine/runtime/plan/threads.h"

#include "engine/tensor/held_signals.h"
#include "engine/tensor/interrupt.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <mutex>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace engine {
namespace {

constexpr std::int64_t kSharedElements = 200'000; // Theano's number, too
constexpr int kMostThreads = 256;
constexpr std::chrono::microseconds kHelperSpins{20}; // the next work of the same function comes soon or not at all
constexpr std::chrono::microseconds kCallerSpins{100};

// Looks again and again for a short while; false: in vain.
template <class Condition>
bool spinUntil(std::chrono::microseconds most, Condition condition)
{
    const auto end = std::chrono::steady_clock::now() + most;
    while (true) {
        for (int i = 0; i < 8; ++i) {
            if (condition()) return true;
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
        if (std::chrono::steady_clock::now() >= end) return false;
    }
}

// A share of the processor that a container was given, in whole cores; 0: no limit.
int quotaOfContainer()
{
    std::ifstream file("/sys/fs/cgroup/cpu.max");
    std::string quota;
    double period = 0;
    if (!(file >> quota >> period) || quota == "max" || period <= 0) return 0;
    return std::max(1, static_cast<int>(std::lround(std::strtod(quota.c_str(), nullptr) / period)));
}

int defaultThreads()
{
    if (const char *text = std::getenv("OMP_NUM_THREADS")) {
        const long named = std::strtol(text, nullptr, 10); // "4,2" means 4 on the outer level
        if (named > 0) return static_cast<int>(std::min<long>(named, kMostThreads));
    }
    cpu_set_t set;
    int cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : static_cast<int>(std::thread::hardware_concurrency());
    if (const int quota = quotaOfContainer()) cores = std::min(cores, quota);
    return std::clamp(cores, 1, kMostThreads);
}

std::atomic<int> g_threads{0}; // 0: not known yet
std::atomic<std::int64_t> g_sharedElements{kSharedElements};
std::atomic<bool> g_forked{false};
thread_local bool t_inside = false; // this thread runs a part

// Work is one word, {generation, next part}: a helper that woke up late takes nothing of work that is gone, because its
// claim names the generation that it read the rest of the work under. A generation is odd while the rest is written.
class Pool {
public:
    void share(std::int64_t parts, detail::PartFunction function, const void *body)
    {
        std::unique_lock busy(m_busy, std::try_to_lock);
        if (!busy) {
            for (std::int64_t part = 0; part < parts; ++part) {
                checkInterrupt();
                function(body, part);
            }
            return;
        }
        const int helpers = static_cast<int>(std::min<std::int64_t>(engine::threads(), parts)) - 1;
        startHelpers(helpers);
        const std::uint32_t preparing = m_generation + 1, generation = m_generation + 2;
        m_generation = generation;
        m_work.store(word(preparing, kNoParts));
        m_function.store(function, std::memory_order_release);
        m_body.store(body, std::memory_order_release);
        m_watch.store(currentWatch(), std::memory_order_release);
        m_parts.store(static_cast<std::uint32_t>(parts), std::memory_order_release);
        m_admitted.store(helpers, std::memory_order_release);
        m_left.store(static_cast<std::uint32_t>(parts), std::memory_order_relaxed);
        m_work.store(word(generation, 0));
        m_bell.fetch_add(1);
        if (const int asleep = m_asleep.load(); asleep > 0) {
            if (helpers >= asleep) m_bell.notify_all();
            else
                for (int i = 0; i < helpers; ++i) m_bell.notify_one();
        }
        t_inside = true;
        takeParts(generation, true);
        t_inside = false;
        waitForLast();
        m_work.store(word(generation, kNoParts));
        if (m_failed.load(std::memory_order_acquire)) {
            m_failed.store(false);
            std::rethrow_exception(std::exchange(m_error, nullptr));
        }
        checkInterrupt(); // parts may have been left out
    }

private:
    static constexpr std::uint32_t kNoParts = 0xffffffffu;
    static std::uint64_t word(std::uint32_t generation, std::uint32_t part) { return std::uint64_t(generation) << 32 | part; }

    void startHelpers(int wanted)
    {
        for (; m_helpers < wanted; ++m_helpers) {
            const HeldSignals held; // they are for the threads of the host program
            try {
                std::thread([this, number = m_helpers] { help(number); }).detach();
            } catch (const std::system_error &) {
                return; // no more threads to be had: those that are there do
            }
        }
    }

    void help(int number)
    {
        t_inside = true;
        std::uint32_t seen = m_bell.load() - 1;
        while (true) {
            if (!spinUntil(kHelperSpins, [&] { return m_bell.load(std::memory_order_acquire) != seen; })) {
                m_asleep.fetch_add(1);
                m_bell.wait(seen);
                m_asleep.fetch_sub(1);
            }
            seen = m_bell.load(std::memory_order_acquire);
            const auto generation = static_cast<std::uint32_t>(m_work.load() >> 32);
            if (generation % 2 == 0 && number < m_admitted.load(std::memory_order_acquire)) takeParts(generation, false);
        }
    }

    // Of a call that is to end the parts are taken, but not run.
    static void run(detail::PartFunction function, const void *body, std::uint32_t part, InterruptWatch *watch, bool isCaller)
    {
        if (watch && watch->isEnded()) return;
        if (isCaller) {
            checkInterrupt();
            return function(body, part);
        }
        const WatchedHelp help(watch);
        function(body, part);
    }

    void takeParts(std::uint32_t generation, bool isCaller)
    {
        while (true) {
            std::uint64_t now = m_work.load();
            const detail::PartFunction function = m_function.load(std::memory_order_acquire);
            const void *body = m_body.load(std::memory_order_acquire);
            InterruptWatch *const watch = m_watch.load(std::memory_order_acquire);
            const std::uint32_t parts = m_parts.load(std::memory_order_acquire);
            const auto part = static_cast<std::uint32_t>(now);
            if (now >> 32 != generation || part >= parts) return;
            if (!m_work.compare_exchange_weak(now, word(generation, part + 1))) continue;
            try {
                run(function, body, part, watch, isCaller);
            } catch (...) {
                std::lock_guard lock(m_errorMutex);
                if (!m_error) m_error = std::current_exception();
                m_failed.store(true, std::memory_order_release);
            }
            if (m_left.fetch_sub(1) == 1 && m_callerSleeps.load()) wakeAll(m_left);
        }
    }

    void waitForLast()
    {
        if (spinUntil(kCallerSpins, [&] { return m_left.load(std::memory_order_acquire) == 0; })) return;
        m_callerSleeps.store(true);
        for (std::uint32_t left; (left = m_left.load()) != 0;) {
            sleepWhile(m_left, left);
            try {
                checkInterrupt();
            } catch (const Interrupted &) {
                continue; // the helpers end, too; until then they read what is the caller's
            }
        }
        m_callerSleeps.store(false);
    }

    std::mutex m_busy; // held while work is shared; guards m_generation and m_helpers
    std::uint32_t m_generation = 0;
    int m_helpers = 0;
    std::mutex m_errorMutex; // guards m_error
    std::exception_ptr m_error;
    std::atomic<bool> m_failed{false};
    alignas(64) std::atomic<std::uint64_t> m_work{kNoParts};
    std::atomic<detail::PartFunction> m_function{nullptr};
    std::atomic<const void *> m_body{nullptr};
    std::atomic<InterruptWatch *> m_watch{nullptr};
    std::atomic<std::uint32_t> m_parts{0};
    std::atomic<int> m_admitted{0};
    alignas(64) std::atomic<std::uint32_t> m_left{0};
    std::atomic<bool> m_callerSleeps{false};
    alignas(64) std::atomic<std::uint32_t> m_bell{0};
    std::atomic<int> m_asleep{0};
};

// Never destroyed: helpers look at it until the process ends.
Pool &pool()
{
    static Pool *const instance = [] {
        pthread_atfork(nullptr, nullptr, [] { g_forked.store(true); });
        return new Pool;
    }();
    return *instance;
}

} // namespace

int threads()
{
    int count = g_threads.load(std::memory_order_relaxed);
    if (count == 0) {
        count = defaultThreads();
        int unknown = 0;
        if (!g_threads.compare_exchange_strong(unknown, count)) count = unknown;
    }
    return count;
}

void setThreads(int count) { g_threads.store(count > 0 ? std::min(count, kMostThreads) : defaultThreads()); }

std::int64_t sharedElements() { return g_sharedElements.load(std::memory_order_relaxed); }

void setSharedElements(std::int64_t count) { g_sharedElements.store(count > 0 ? count : kSharedElements); }

bool canShare() { return !t_inside && !g_forked.load(std::memory_order_relaxed) && threads() > 1; }

std::int64_t pieceFor(std::int64_t size, std::int64_t unit, std::int64_t most)
{
    const std::int64_t wanted = std::min(size / (8 * threads()), most);
    return std::max<std::int64_t>((wanted + unit - 1) / unit, 1) * unit;
}

void detail::share(std::int64_t parts, PartFunction function, const void *body) { pool().share(parts, function, body); }

} // namespace engine
