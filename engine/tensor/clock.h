// The clock of everything but calls: compiling (journal steps, passes, rewrites), work on the host, the axis of a session. Calls read
// ticks(), of which steadyNsOfTicks() gives the moment on this one.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace engine {

/// A clock that work moves instead of time: what is recorded by it is the same on every machine and under every load. For sessions that
/// tests rest on. While one lives, ticks() and nowNs() are of it: a reading of ticks() takes a nanosecond, one of nowNs() a thousand, an
/// apply what its work says. Only the thread that made it moves it; others read it. One at a time.
class ModelClock {
public:
    ModelClock()
    {
        constexpr std::uint64_t kStartNs = 1'000'000'000;
        s_isMover = true;
        s_ns.store(kStartNs);
    }
    ~ModelClock()
    {
        s_ns.store(0);
        s_isMover = false;
    }
    ModelClock(const ModelClock &) = delete;
    ModelClock &operator=(const ModelClock &) = delete;

    static bool isOn() { return s_ns.load(std::memory_order_relaxed) != 0; }
    /// A reading that takes so long.
    static std::uint64_t read(std::uint64_t ns) { return s_isMover ? s_ns.fetch_add(ns) : s_ns.load(); }
    /// It is that late, or later.
    static void reach(std::uint64_t ns)
    {
        if (s_isMover && s_ns.load() < ns) s_ns.store(ns);
    }

private:
    inline static std::atomic<std::uint64_t> s_ns{0}; // 0: there is none
    inline static constinit thread_local bool s_isMover = false;
};

/// For what measures the machine itself.
inline std::uint64_t machineNs() { return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()); }

inline std::uint64_t nowNs() { return ModelClock::isOn() ? ModelClock::read(1000) : machineNs(); }

} // namespace engine
