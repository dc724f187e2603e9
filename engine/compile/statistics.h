// Counters of a function, written by the calling thread and read by anybody at any time (relaxed atomics).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace engine {

/// A counter with one writer.
class Counter {
public:
    std::uint64_t get() const { return m_value.load(std::memory_order_relaxed); }
    void add(std::uint64_t amount) { m_value.store(get() + amount, std::memory_order_relaxed); }
    void lower(std::uint64_t value)
    {
        if (value < get()) m_value.store(value, std::memory_order_relaxed);
    }
    void raise(std::uint64_t value)
    {
        if (value > get()) m_value.store(value, std::memory_order_relaxed);
    }
    void set(std::uint64_t value) { m_value.store(value, std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> m_value{0};
};

/// Of one apply, in clock ticks (see ticksPerSecond()).
struct ApplyCounters {
    Counter calls, ticks, minTicks, maxTicks;
};

struct FunctionStatistics {
    bool perApply = false;
    Counter calls;
    Counter callTicks; ///< whole calls
    Counter runTicks;  ///< inside the plan
    Counter lastSwap; ///< calls made when a compiled kernel last took over: what comes after is the steady state
    /// Indexed like Function::order(); null while perApply is off.
    std::unique_ptr<ApplyCounters[]> applies;
    std::size_t applyCount = 0;
};

/// The time stamp counter, or nanoseconds where there is none.
std::uint64_t ticks();
double ticksPerSecond();

} // namespace engine
