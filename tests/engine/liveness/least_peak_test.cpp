#include "engine/liveness/least_peak.h"
#include "tests/engine/liveness/random_task.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace liveness;

namespace {

// Bytes of the arena, in any order.
std::int64_t arenaPeak(const Task &task, const std::vector<int> &order)
{
    const Usage usage = usageOf(task, order);
    return usage.peak - usage.whole;
}

std::int64_t leastOfAll(const Task &task)
{
    std::vector<int> order = asItStands(task);
    std::int64_t least = -1;
    do {
        if (!isValid(task, order)) continue;
        const std::int64_t peak = arenaPeak(task, order);
        if (least < 0 || peak < least) least = peak;
    } while (std::next_permutation(order.begin(), order.end()));
    return least;
}

// Chains of large arrays that each end in a small one, a step of all of them after the other.
Task sideBySide(std::uint32_t chains, std::uint32_t length)
{
    TaskBuilder builder;
    builder.given(0);
    std::vector<std::uint32_t> last(chains, 0), ends;
    std::uint32_t next = 1;
    for (std::uint32_t step = 0; step < length; ++step)
        for (std::uint32_t chain = 0; chain < chains; ++chain) {
            const std::int64_t bytes = step + 1 == length ? 64 : 64'000;
            builder.add(std::vector<std::uint32_t>{last[chain]}, std::vector<Made>{{next, next, Sharing::Fresh, bytes}}, 1, true);
            last[chain] = next++;
        }
    builder.add(last, std::vector<Made>{{next, next, Sharing::Fresh, 64}}, 1, true);
    builder.returns(next);
    return builder.take();
}

TEST(LeastPeak, IsTheLeastOfAllOrders)
{
    int better = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        const Task task = randomTask(seed, 7, 8);
        const std::vector<int> now = asItStands(task);
        ASSERT_TRUE(isValid(task, now)) << seed;
        const FoundOrder found = leastPeak(task, now);
        EXPECT_TRUE(found.isLeast) << seed;
        EXPECT_TRUE(isValid(task, found.order)) << seed;
        EXPECT_EQ(found.peak, leastOfAll(task)) << seed;
        EXPECT_EQ(arenaPeak(task, found.order), found.peak) << seed;
        better += found.peak < arenaPeak(task, now);
    }
    EXPECT_GT(better, 5) << "no graph of these could be improved: they test nothing";
}

TEST(LeastPeak, ABeamHoldsNoMoreThanTheOrderThatStandsAndIsNearTheLeast)
{
    for (unsigned seed = 100; seed < 130; ++seed) {
        const Task task = randomTask(seed, 16, 12);
        const std::vector<int> now = asItStands(task);
        const FoundOrder exact = leastPeak(task, now);
        const FoundOrder beam = leastPeak(task, now, {0, 0, 64});
        EXPECT_TRUE(exact.isLeast);
        EXPECT_FALSE(beam.isLeast);
        EXPECT_TRUE(isValid(task, beam.order)) << seed;
        EXPECT_LE(beam.peak, arenaPeak(task, now)) << seed;
        EXPECT_LE(exact.peak, beam.peak) << seed;
        EXPECT_LE(static_cast<double>(beam.peak), 1.1 * static_cast<double>(exact.peak)) << seed;
    }
}

TEST(LeastPeak, ThousandsOfWorksAreOrderedByABeam)
{
    const Task task = sideBySide(60, 100);
    const std::vector<int> now = asItStands(task);
    const FoundOrder found = leastPeak(task, now);
    EXPECT_TRUE(isValid(task, found.order));
    EXPECT_LT(found.peak, arenaPeak(task, now) / 4) << "one chain after the other holds one large array at a time";
    EXPECT_EQ(found.order, leastPeak(task, now).order) << "the same question, another answer";
}

TEST(LeastPeak, NothingToOrder)
{
    EXPECT_TRUE(leastPeak({}, {}).isLeast);
    EXPECT_EQ(leastPeak({}, {}).peak, 0);
}

} // namespace
