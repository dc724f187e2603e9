// Counters that one thread writes and others read meanwhile.
#include "engine/runtime/plan/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <thread>
#include <vector>

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
        steady.visitClasses([&](unsigned, std::uint32_t count) { classes += count; });
        EXPECT_EQ(classes, calls - warm);
    }
}

// A function of 60,000 applies is often called once: what then is kept of each must be small.
TEST(Statistics, aCallOrTwoOfManyAppliesTakeLittleMemory)
{
    constexpr std::size_t kMany = 5'000;
    FunctionStatistics statistics;
    statistics.keepApplies(kMany);
    for (std::size_t i = 0; i < kMany; ++i) statistics.note(i, Tier::Compiled, 100 + i);
    statistics.settle();
    const auto histogramOf = [&](std::size_t i) {
        return statistics.steady[FunctionStatistics::counterOf(i, Tier::Compiled)].histogram.load();
    };
    for (std::size_t i = 0; i < kMany; ++i) ASSERT_EQ(histogramOf(i), nullptr);
    for (std::size_t i = 0; i < kMany; ++i) statistics.note(i, Tier::Compiled, 130 + i);
    statistics.settle();
    EXPECT_LE(sizeof(*histogramOf(0)), 320u);
    for (std::size_t i = 0; i < kMany; ++i) {
        std::vector<unsigned> classes;
        statistics.steady[FunctionStatistics::counterOf(i, Tier::Compiled)].visitClasses(
            [&](unsigned index, std::uint32_t count) { classes.insert(classes.end(), count, index); });
        std::vector<unsigned> expected{TickHistogram::classOf(100 + i), TickHistogram::classOf(130 + i)};
        ASSERT_EQ(classes, expected);
    }
}

TEST(Statistics, timesFarApartAreCountedWhereTheyBelong)
{
    ApplyCounters counters, other;
    std::map<unsigned, std::uint32_t> expected, found;
    std::uint64_t ticks = 0;
    for (const int octave : {20, 20, 3, 39, 19, 22, 23, 18, 0, 50}) {
        counters.note(std::uint64_t(1) << octave);
        ticks += std::uint64_t(1) << octave;
        ++expected[TickHistogram::classOf(std::uint64_t(1) << octave)];
    }
    other.note(7);
    other.add(counters); // into one that has counted a single call
    ++expected[7];
    other.visitClasses([&](unsigned index, std::uint32_t count) { found[index] += count; });
    EXPECT_EQ(found, expected);
    EXPECT_EQ(other.calls.get(), 11u);
    EXPECT_EQ(other.ticks.get(), ticks + 7);
    EXPECT_EQ(other.minTicks.get(), 1u);
    EXPECT_EQ(other.maxTicks.get(), std::uint64_t(1) << 50);
    other.clear();
    other.note(5);
    found.clear();
    other.visitClasses([&](unsigned index, std::uint32_t count) { found[index] += count; });
    EXPECT_EQ(found, (std::map<unsigned, std::uint32_t>{{5, 1}}));
    EXPECT_EQ(other.minTicks.get(), 5u);
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
