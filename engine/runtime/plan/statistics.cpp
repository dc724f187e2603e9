#include "engine/runtime/plan/statistics.h"

#include "engine/tensor/clock.h"
#include "engine/tensor/fork.h"

#include <chrono>
#include <mutex>
#include <unordered_map>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace engine {

const char *nameOf(Tier tier)
{
    switch (tier) {
    case Tier::Interpreter: return "interpreter";
    case Tier::Compiled: return "compiled";
    case Tier::Library: return "library";
    }
    return "";
}

TickHistogram *ApplyCounters::makeHistogram(std::uint64_t like)
{
    auto *made = new TickHistogram(like);
    visitClasses([&](unsigned index, std::uint32_t count) { made->addTo(index, count); });
    histogram.store(made, std::memory_order_release);
    return made;
}

void ApplyCounters::note(std::uint64_t spent, std::uint64_t count)
{
    if (count == 0) return;
    if (count == 1) return note(spent);
    const std::uint64_t each = spent / count, before = calls.get();
    TickHistogram *classes = histogram.load(std::memory_order_relaxed);
    if (!classes) classes = makeHistogram(each);
    classes->addTo(TickHistogram::classOf(each), static_cast<std::uint32_t>(count));
    if (before == 0) {
        minTicks.set(each);
        maxTicks.set(each);
    } else {
        minTicks.lower(each);
        maxTicks.raise(each);
    }
    calls.set(before + count);
    ticks.add(spent);
    const double value = static_cast<double>(spent) / static_cast<double>(count);
    squares.store(squares.load(std::memory_order_relaxed) + value * value * static_cast<double>(count), std::memory_order_relaxed);
}

void ApplyCounters::add(const ApplyCounters &other)
{
    const std::uint64_t more = other.calls.get();
    if (more == 0) return;
    if (more == 1) return note(other.ticks.get());
    TickHistogram *classes = histogram.load(std::memory_order_relaxed);
    if (!classes) classes = makeHistogram(other.minTicks.get());
    other.visitClasses([&](unsigned index, std::uint32_t count) { classes->addTo(index, count); });
    if (calls.get() == 0) {
        minTicks.set(other.minTicks.get());
        maxTicks.set(other.maxTicks.get());
    } else {
        minTicks.lower(other.minTicks.get());
        maxTicks.raise(other.maxTicks.get());
    }
    calls.add(more);
    ticks.add(other.ticks.get());
    squares.store(squares.load(std::memory_order_relaxed) + other.squares.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void ApplyCounters::clear()
{
    calls.set(0);
    ticks.set(0);
    minTicks.set(~std::uint64_t(0));
    maxTicks.set(0);
    squares.store(0, std::memory_order_relaxed);
    if (TickHistogram *classes = histogram.load(std::memory_order_relaxed)) classes->clear();
}

void FunctionStatistics::keepApplies(std::size_t count)
{
    perApply = true;
    applyCount = count;
    steady = std::make_unique<ApplyCounters[]>(count * kTiers);
    warmUp = std::make_unique<ApplyCounters[]>(count * kTiers);
    notes = std::make_unique<ApplyNotes>(count);
}

void FunctionStatistics::rearrange(std::span<const ApplyId> before, std::span<const ApplyId> after)
{
    if (!perApply) return;
    settle();
    const std::unique_ptr<ApplyCounters[]> oldSteady = std::move(steady), oldWarmUp = std::move(warmUp);
    keepApplies(after.size());
    std::unordered_map<std::uint32_t, std::size_t> places;
    for (std::size_t i = 0; i < before.size(); ++i) places.emplace(raw(before[i]), i);
    for (std::size_t i = 0; i < after.size(); ++i)
        if (const auto place = places.find(raw(after[i])); place != places.end())
            for (std::size_t tier = 0; tier < kTiers; ++tier) {
                steady[i * kTiers + tier].add(oldSteady[place->second * kTiers + tier]);
                warmUp[i * kTiers + tier].add(oldWarmUp[place->second * kTiers + tier]);
            }
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> FunctionStatistics::totals() const
{
    std::vector<std::pair<std::uint64_t, std::uint64_t>> sums;
    if (!steady) return sums;
    readConsistently([&](const std::vector<ApplyNote> &waiting) {
        sums.assign(applyCount, {0, 0});
        for (std::size_t i = 0; i < applyCount * kTiers; ++i) {
            sums[i / kTiers].first += steady[i].calls.get() + warmUp[i].calls.get();
            sums[i / kTiers].second += steady[i].ticks.get() + warmUp[i].ticks.get();
        }
        for (const ApplyNote &note : waiting) {
            ++sums[note.counter / kTiers].first;
            sums[note.counter / kTiers].second += note.ticks;
        }
    });
    return sums;
}

template <class Move>
void FunctionStatistics::moveCounts(Move move)
{
    if (!steady) return;
    m_version.fetch_add(1, std::memory_order_acq_rel);
    notes->takeOut([&](ApplyNote note) { steady[note.counter].note(note.ticks); });
    move();
    m_version.fetch_add(1, std::memory_order_release);
}

void FunctionStatistics::noteSteps(std::size_t first, std::span<const Tier> tiers, std::span<const std::uint64_t> spent,
                                   std::uint64_t steps)
{
    moveCounts([&] {
        for (std::size_t i = 0; i < tiers.size(); ++i) steady[counterOf(first + i, tiers[i])].note(spent[i], steps);
    });
}

void FunctionStatistics::settle()
{
    moveCounts([] {});
}

void FunctionStatistics::beginSteadyState()
{
    lastSwap.set(calls.get());
    moveCounts([&] {
        for (std::size_t i = 0; i < applyCount * kTiers; ++i) {
            warmUp[i].add(steady[i]);
            steady[i].clear();
        }
    });
}

std::uint64_t ticks()
{
    if (ModelClock::isOn()) return ModelClock::read(1);
#if defined(__x86_64__)
    return __rdtsc();
#else
    return machineNs();
#endif
}

#if defined(__x86_64__)
namespace {

// Both clocks at one moment: the reading of three with the least between them.
struct Moment {
    std::uint64_t ticks = 0, ns = 0;

    static Moment now()
    {
        Moment best;
        std::uint64_t least = ~std::uint64_t(0);
        for (int i = 0; i < 3; ++i) {
            const std::uint64_t before = engine::ticks();
            const std::uint64_t ns = machineNs();
            const std::uint64_t after = engine::ticks();
            if (after - before < least) least = after - before, best = {before + (after - before) / 2, ns};
        }
        return best;
    }
};

ProcessMutex g_clock; // guards g_first
Moment g_first;

const Moment &firstMoment()
{
    if (!g_first.ticks) {
        g_first = Moment::now();
        while (machineNs() - g_first.ns < 20'000'000) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return g_first;
}

} // namespace
#endif

double ticksPerSecond()
{
    if (ModelClock::isOn()) return 1e9;
#if defined(__x86_64__)
    // Both clocks over 20 ms; the longer they have run since the first call, the better later answers get.
    std::lock_guard lock(g_clock);
    const Moment first = firstMoment(), now = Moment::now();
    return static_cast<double>(now.ticks - first.ticks) * 1e9 / static_cast<double>(now.ns - first.ns);
#else
    return 1e9;
#endif
}

std::int64_t steadyNsOfTicks(std::uint64_t ticks)
{
    if (ModelClock::isOn()) return static_cast<std::int64_t>(ticks);
#if defined(__x86_64__)
    std::lock_guard lock(g_clock);
    const Moment first = firstMoment(), now = Moment::now();
    const double nsPerTick = static_cast<double>(now.ns - first.ns) / static_cast<double>(now.ticks - first.ticks);
    // From the nearer end of the line through both moments.
    return static_cast<std::int64_t>(now.ns) +
           static_cast<std::int64_t>((static_cast<double>(ticks) - static_cast<double>(now.ticks)) * nsPerTick);
#else
    return static_cast<std::int64_t>(ticks);
#endif
}

} // namespace engine
