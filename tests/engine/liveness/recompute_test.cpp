#include "engine/liveness/recompute.h"
#include "tests/engine/liveness/random_task.h"

#include <gtest/gtest.h>

#include <map>

using namespace liveness;

namespace {

// Runs a task: each work makes a number from what it reads, arrays hold the number that was written last. What the works of the
// first task read and make, by work.
std::vector<std::uint64_t> run(const Task &task, const std::vector<int> &order, const std::map<int, int> &repeats)
{
    std::vector<std::uint64_t> content(task.arrays.size(), 1), made(task.works.size(), 0);
    for (int number : order) {
        const Work &work = task.works[static_cast<std::size_t>(number)];
        int original = number;
        for (auto found = repeats.find(original); found != repeats.end(); found = repeats.find(original)) original = found->second;
        std::uint64_t result = static_cast<std::uint64_t>(original) * 0x9e3779b97f4a7c15u + 1;
        for (int value : work.reads)
            result = (result ^ content[static_cast<std::size_t>(task.values[static_cast<std::size_t>(value)].array)]) * 0xbf58476d1ce4e5b9u;
        for (int value : work.makes) {
            const Value &out = task.values[static_cast<std::size_t>(value)];
            bool looks = false; // a view leaves what is there
            for (int read : work.reads) looks = looks || task.values[static_cast<std::size_t>(read)].state == out.state;
            if (!looks) content[static_cast<std::size_t>(out.array)] = result;
        }
        made[static_cast<std::size_t>(number)] = result;
    }
    return made;
}

TEST(Recompute, GivesTheSameWithinTheBudget)
{
    int repeated = 0, failed = 0;
    for (unsigned seed = 0; seed < 150; ++seed) {
        const Task task = randomTask(seed, 40, 25);
        const std::vector<int> now = asItStands(task);
        const std::int64_t before = usageOf(task, now).bytes();
        const std::vector<std::uint64_t> expected = run(task, now, {});
        for (const double share : {0.9, 0.7, 0.5}) {
            const auto budget = static_cast<std::int64_t>(share * static_cast<double>(before));
            const Schedule schedule = fitBudget(task, now, budget);
            ASSERT_TRUE(isValid(schedule.task, schedule.order)) << seed;
            EXPECT_EQ(usageOf(schedule.task, schedule.order).bytes(), schedule.usage.bytes()) << seed;
            EXPECT_LE(schedule.usage.bytes(), before) << seed;
            failed += schedule.usage.bytes() > budget;
            repeated += !schedule.repeats.empty();
            std::map<int, int> repeats;
            for (const Repeat &repeat : schedule.repeats) repeats[repeat.again] = repeat.work;
            const std::vector<std::uint64_t> got = run(schedule.task, schedule.order, repeats);
            for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(got[i], expected[i]) << seed << ", work " << i;
        }
    }
    EXPECT_GT(repeated, 50);
    EXPECT_GT(failed, 0) << "a budget of half of it should be too little for some";
}

// Forwards eight large values, backwards they are read again: kept, all live at once.
TEST(Recompute, AChainThatIsReadBackwardsNeedsFarLess)
{
    TaskBuilder builder;
    builder.given(0);
    constexpr std::uint32_t kLayers = 8;
    const auto add = [&](std::uint32_t variable, std::vector<std::uint32_t> reads, std::int64_t bytes) {
        builder.add(reads, std::vector<Made>{{variable, variable, Sharing::Fresh, bytes}}, 10, true);
    };
    for (std::uint32_t i = 1; i <= kLayers; ++i) add(i, {i - 1}, 64'000);
    std::uint32_t last = kLayers;
    for (std::uint32_t i = kLayers; i-- > 1; last = 100 + i) add(100 + i, {i, last}, 64'000);
    builder.returns(last);
    const Task task = builder.take();
    const std::vector<int> now = asItStands(task);
    const std::int64_t before = usageOf(task, now).bytes();
    const Schedule half = fitBudget(task, now, before * 6 / 10);
    EXPECT_LE(half.usage.bytes(), before * 6 / 10);
    EXPECT_FALSE(half.repeats.empty());
    EXPECT_GT(half.cost, 0);
    ScheduleLimits onlyOrder;
    onlyOrder.repeats = false;
    EXPECT_EQ(fitBudget(task, now, 0, onlyOrder).usage.bytes(), before) << "another order cannot help here";
    EXPECT_LT(fitBudget(task, now, 0).usage.bytes(), half.usage.bytes() + 1);
    EXPECT_TRUE(fitBudget(task, now, before).repeats.empty());
}

TEST(Recompute, WhatMayNotBeDoneAgainIsKept)
{
    Task task = randomTask(5, 40, 25);
    for (Work &work : task.works) work.canRepeat = false;
    EXPECT_TRUE(fitBudget(task, asItStands(task), 0).repeats.empty());
}

TEST(Recompute, ThousandsOfWorksEnd)
{
    const Task task = randomTask(9, 3000, 80);
    const std::vector<int> now = asItStands(task);
    const Schedule schedule = fitBudget(task, now, usageOf(task, now).bytes() * 8 / 10);
    EXPECT_TRUE(isValid(schedule.task, schedule.order));
    EXPECT_LE(schedule.usage.bytes(), usageOf(task, now).bytes());
}

} // namespace
