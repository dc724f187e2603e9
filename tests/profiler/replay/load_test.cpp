#include "profiler/replay/load.h"

#include "profiler/replay/turns.h"

#include <gtest/gtest.h>

namespace profiler {
namespace {

Load quiet() { return {.seconds = 2, .waited = 0.01, .stolen = 0, .others = 0.3, .processors = 4}; }

TEST(Load, whatWaitsIsBusy)
{
    EXPECT_EQ(busyText(quiet()), "");
    Load load = quiet();
    load.waited = 0.8;
    EXPECT_EQ(busyText(load), "the machine was busy: calls waited 40% of the time for a processor");
    // One slice of another process is none, however short the time was.
    load = {.seconds = 0.05, .waited = 0.004, .stolen = 0, .others = 0, .processors = 4};
    EXPECT_EQ(busyText(load), "");
}

TEST(Load, whatOthersTakeIsBusy)
{
    Load load = quiet();
    load.others = 5; // of the 6 processor-seconds that we left
    EXPECT_EQ(busyText(load), "the machine was busy: other programs kept 2.5 of its 4 processors");
    load.others = 4;
    EXPECT_EQ(busyText(load), "");
    load = quiet();
    load.stolen = 0.8;
    EXPECT_EQ(busyText(load), "the machine was busy: 10% of its processors went to other virtual machines");
}

TEST(Load, aloneOnOneProcessorIsQuiet)
{
    EXPECT_EQ(busyText({.seconds = 2, .waited = 0, .stolen = 0, .others = 0.1, .processors = 1}), "");
}

TEST(Load, partsAddUp)
{
    Load load = quiet();
    Load more = quiet();
    more.waited = 1;
    load.add(more);
    EXPECT_DOUBLE_EQ(load.seconds, 4);
    EXPECT_DOUBLE_EQ(load.waited, 1.01);
    EXPECT_TRUE(isBusy(load));
}

TEST(Load, aBusyMachineIsJudgedOnRequestOnly)
{
    Load busy = quiet();
    busy.waited = 1;
    EXPECT_TRUE(isJudged(quiet(), {}));
    EXPECT_FALSE(isJudged(busy, {}));
    EXPECT_TRUE(isJudged(busy, {.judgesBusy = true}));
}

TEST(Load, theMeterCountsItsOwnTime)
{
    const LoadMeter meter;
    volatile double sum = 0;
    while (meter.load().seconds < 0.01) sum = sum + 1;
    const Load load = meter.load();
    EXPECT_GE(load.seconds, 0.01);
    EXPECT_GE(load.waited, 0);
    EXPECT_GE(load.others, 0);
    EXPECT_GE(load.processors, 1);
}

} // namespace
} // namespace profiler
