// Counters of a function, written by the calling thread and read by anybody at any time (relaxed atomics).
#pragma once

#include "engine/graph/ir/ids.h"
#include "engine/runtime/plan/apply_notes.h"
#include "engine/runtime/plan/tick_histogram.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <utility>
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

/// What runs an apply.
enum class Tier : std::uint8_t { Interpreter, Compiled, Library };
constexpr std::size_t kTiers = 3;
const char *nameOf(Tier tier);

/// Of one apply on one tier, in clock ticks (see ticksPerSecond()).
struct ApplyCounters {
    Counter calls, ticks, minTicks, maxTicks;
    std::atomic<double> squares{0};                  ///< sum of ticks squared
    std::atomic<TickHistogram *> histogram{nullptr}; ///< made with the second call: of one, `ticks` says all

    ApplyCounters() = default;
    ApplyCounters(const ApplyCounters &) = delete;
    ApplyCounters &operator=(const ApplyCounters &) = delete;
    ~ApplyCounters() { delete histogram.load(std::memory_order_relaxed); }

    void note(std::uint64_t spent)
    {
        const std::uint64_t before = calls.get();
        TickHistogram *classes = histogram.load(std::memory_order_relaxed);
        if (!classes && before) classes = makeHistogram(spent);
        if (classes) classes->add(spent);
        if (before == 0) {
            minTicks.set(spent);
            maxTicks.set(spent);
        } else {
            minTicks.lower(spent);
            maxTicks.raise(spent);
        }
        calls.set(before + 1);
        ticks.add(spent);
        const double value = static_cast<double>(spent);
        squares.store(squares.load(std::memory_order_relaxed) + value * value, std::memory_order_relaxed);
    }
    /// So many calls that took about as long as each other, `spent` together.
    void note(std::uint64_t spent, std::uint64_t count);
    /// visit(class, count): how often it took how long.
    template <class Visit>
    void visitClasses(Visit visit) const
    {
        if (const TickHistogram *classes = histogram.load(std::memory_order_acquire)) classes->visit(visit);
        else if (calls.get() == 1) visit(TickHistogram::classOf(ticks.get()), std::uint32_t(1));
    }
    /// Adds what another counted.
    void add(const ApplyCounters &other);
    void clear();

private:
    TickHistogram *makeHistogram(std::uint64_t like); // with what is counted already
};

/// When each apply of one call ended: a sample for the timeline.
struct CallTrace {
    std::uint64_t nextCall = ~std::uint64_t(0); ///< the number of the call to be traced (0 = the first); set between calls
    std::vector<std::uint64_t> ticks;           ///< begin, then the end of each apply in order; empty: this call was not traced
    /// Applies before which something else had to be done: position, when the apply began.
    std::vector<std::pair<std::size_t, std::uint64_t>> pauses;

    /// The apply at this position begins now, not when the one before it ended.
    void beginAt(std::size_t position, std::uint64_t now)
    {
        if (position == 0) ticks[0] = now;
        else pauses.emplace_back(position, now);
    }
};

struct FunctionStatistics {
    bool perApply = false;
    Counter calls;
    Counter callTicks; ///< whole calls
    Counter runTicks;  ///< inside the plan
    /// Calls made when the steady state began: when a compiled kernel last took over, or the warm-up ended.
    Counter lastSwap;
    std::uint64_t warmUpCalls = 0; ///< at least so many calls are warm-up
    /// One per apply (indexed like Function::order()) and tier; null while perApply is off. What was counted before the
    /// steady state began is in `warmUp`; what came last waits in `notes`.
    std::unique_ptr<ApplyCounters[]> steady, warmUp;
    std::unique_ptr<ApplyNotes> notes;
    std::size_t applyCount = 0;

    // Of the calling thread alone: read them in callFinished().
    CallTrace trace;
    std::uint32_t planSerial = 0;  ///< number of the plan of the last call (of the plans of its stages, together), from 1; 0: no call yet
    std::size_t callPeakBytes = 0; ///< most bytes that the last call had allocated at once

    void keepApplies(std::size_t count);
    /// The applies run in another order, some are new. Between calls, while nobody reads.
    void rearrange(std::span<const ApplyId> before, std::span<const ApplyId> after);
    static std::size_t counterOf(std::size_t position, Tier tier) { return position * kTiers + static_cast<std::size_t>(tier); }
    void note(std::size_t position, Tier tier, std::uint64_t spent)
    {
        if (notes->isFull()) settle();
        notes->add(static_cast<std::uint32_t>(counterOf(position, tier)), spent);
    }
    /// So many steps of a loop in one kernel: of the applies from `first` on, what they took together.
    void noteSteps(std::size_t first, std::span<const Tier> tiers, std::span<const std::uint64_t> spent, std::uint64_t steps);
    /// Counts what waits. Only where note() could be called.
    void settle();
    /// Calls and ticks of each apply over everything.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> totals() const;
    /// What was counted so far is warm-up. Between calls only.
    void beginSteadyState();
    /// For a reader on another thread: calls read(what waits to be counted as steady) until nothing was moved meanwhile.
    /// False: whoever moves counts did not come to an end for seconds, as in the child of a fork where that thread is not.
    template <class Read>
    bool readConsistently(Read read) const
    {
        for (int tries = 0; tries < 20'000; ++tries) {
            const std::uint32_t before = m_version.load(std::memory_order_acquire);
            if (before % 2 == 0) {
                read(notes->waiting());
                // Not a load: what was read before may not move behind it.
                if (m_version.fetch_add(0, std::memory_order_acq_rel) == before) return true;
            }
            if (tries < 100) std::this_thread::yield();
            else std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
        return false;
    }

private:
    template <class Move>
    void moveCounts(Move move);

    mutable std::atomic<std::uint32_t> m_version{0}; // odd while counts move
};

/// The time stamp counter, or nanoseconds where there is none; of a ModelClock, if there is one.
std::uint64_t ticks();
double ticksPerSecond();
/// The moment of a time stamp by nowNs().
std::int64_t steadyNsOfTicks(std::uint64_t ticks);

} // namespace engine
