// How the times of one apply spread: worked out by hand.
#include "profiler/stats/times/apply_times.h"

#include <gtest/gtest.h>

namespace profiler {
namespace {

ApplyStats statsOf(const std::string &tier, bool steady, const std::vector<std::int64_t> &times)
{
    ApplyStats stats;
    stats.tier = tier;
    stats.steady = steady;
    stats.minNs = times.front();
    for (std::int64_t ns : times) {
        ++stats.calls;
        stats.totalNs += ns;
        stats.minNs = std::min(stats.minNs, ns);
        stats.maxNs = std::max(stats.maxNs, ns);
        stats.histogram.add(ns);
    }
    return stats;
}

TEST(ApplyTimes, ofSeveralTiers)
{
    const ApplyStats slow = statsOf("interpreter", false, {8000, 8000, 8000});
    const ApplyStats fast = statsOf("compiled", true, std::vector<std::int64_t>(97, 1000));
    const ApplyTimes times = applyTimes({&slow, &fast});
    EXPECT_EQ(times.calls, 100);
    EXPECT_EQ(times.minNs, 1000);
    EXPECT_EQ(times.maxNs, 8000);
    EXPECT_NEAR(times.medianNs, 1000, 100);
    EXPECT_NEAR(times.p95Ns, 1000, 100);
    EXPECT_NEAR(times.p99Ns, 8000, 800);
    ASSERT_EQ(times.tiers.size(), 2u);
    EXPECT_EQ(times.tiers[0].tier, "compiled");
    EXPECT_DOUBLE_EQ(times.tiers[0].meanNs, 1000);
    EXPECT_DOUBLE_EQ(times.tiers[1].meanNs, 8000);
    EXPECT_FALSE(times.tiers[1].steady);

    // From 1 to 8 us are three octaves of eight buckets, with those that are empty.
    ASSERT_EQ(times.buckets.size(), 25u);
    EXPECT_EQ(times.buckets.front().calls, 97u);
    EXPECT_EQ(times.buckets.back().calls, 3u);
    EXPECT_DOUBLE_EQ(times.buckets.front().ofFullest, 1);
    EXPECT_EQ(times.buckets[10].calls, 0u);
    for (std::size_t i = 0; i + 1 < times.buckets.size(); ++i) EXPECT_EQ(times.buckets[i].endNs, times.buckets[i + 1].startNs);
    EXPECT_EQ(times.placeOf(times.buckets.front().startNs), 0);
    EXPECT_EQ(times.placeOf(times.buckets.back().endNs), 1);
    EXPECT_LT(times.placeOf(1000), 0.05);
    EXPECT_GT(times.placeOf(8000), 0.9);
}

TEST(ApplyTimes, thatSpreadFarAreDrawnInFewBuckets)
{
    const ApplyStats far = statsOf("interpreter", true, {100, 1'000'000'000});
    const ApplyTimes times = applyTimes({&far});
    EXPECT_LE(times.buckets.size(), 48u);
    std::uint64_t calls = 0;
    for (const TimesBucket &bucket : times.buckets) calls += bucket.calls;
    EXPECT_EQ(calls, 2u);
}

TEST(ApplyTimes, ofNoCallAreEmpty)
{
    const ApplyStats none;
    const ApplyTimes times = applyTimes({&none});
    EXPECT_EQ(times.calls, 0);
    EXPECT_TRUE(times.buckets.empty());
    EXPECT_TRUE(times.tiers.empty());
    EXPECT_EQ(applyTimes({}).placeOf(5), 0);
}

} // namespace
} // namespace profiler
