// Counters that one thread writes and others read meanwhile.
#include "engine/runtime/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

using namespace engine;

namespace {

constexpr std::size_t kApplies = 7;

TEST(Statistics, nothingIsLostOnTheWayToTheCounters)
{
    FunctionStatistics statistics;
    statistics.keepApplies(kApplies);
    for (std::uint64_t i = 0; i < 10'000; ++i) {
        statistics.note(i % kApplies, Tier::Compiled, i);
        if (i == 6'000) statistics.beginSteadyState();
    }
    const auto totals = statistics.totals();
    statistics.settle();
    EXPECT_EQ(statistics.totals(), totals);
    ASSERT_EQ(totals.size(), kApplies);
    for (std::size_t apply = 0; apply < kApplies; ++apply) {
        std::uint64_t calls = 0, ticks = 0, warm = 0, classes = 0, least = ~std::uint64_t(0), most = 0;
        for (std::uint64_t i = apply; i < 10'000; i += kApplies) {
            ++calls, ticks += i;
            if (i <= 6'000) ++warm;
            else least = std::min(least, i), most = std::max(most, i);
        }
        EXPECT_EQ(totals[apply], std::make_pair(calls, ticks));
        const std::size_t counter = FunctionStatistics::counterOf(apply, Tier::Compiled);
        EXPECT_EQ(statistics.warmUp[counter].calls.get(), warm);
        const ApplyCounters &steady = statistics.steady[counter];
        EXPECT_EQ(steady.minTicks.get(), least);
        EXPECT_EQ(steady.maxTicks.get(), most);
        for (unsigned k = 0; k < TickHistogram::kClasses; ++k) classes += steady.histogram.load()->count(k);
        EXPECT_EQ(classes, calls - warm);
    }
}

TEST(Statistics, aReaderOnAnotherThreadSeesEveryNoteOnce)
{
    FunctionStatistics statistics;
    statistics.keepApplies(kApplies);
    constexpr std::uint64_t kRounds = 100'000, kSpent = 3;
    std::atomic<bool> done{false};
    int looks = 0;
    std::thread reader([&] {
        std::uint64_t before = 0;
        while (!done || looks == 0) {
            std::uint64_t calls = 0, ticks = 0;
            for (const auto &[c, t] : statistics.totals()) calls += c, ticks += t;
            EXPECT_EQ(ticks, calls * kSpent);
            EXPECT_GE(calls, before);
            before = calls;
            ++looks;
        }
    });
    for (std::uint64_t i = 0; i < kRounds; ++i) {
        const std::uint64_t begin = ticks();
        while (ticks() - begin < 2000) {
        } // the work of a call
        for (std::size_t apply = 0; apply < kApplies; ++apply) statistics.note(apply, Tier::Library, kSpent);
        if (i == kRounds / 2) statistics.beginSteadyState();
    }
    done = true;
    reader.join();
    for (const auto &[calls, ticks] : statistics.totals()) EXPECT_EQ(calls, kRounds);
}

} // namespace
