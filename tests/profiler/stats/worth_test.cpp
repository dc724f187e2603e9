#include "profiler/stats/machine/worth.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace profiler;

namespace {

AblationRow row(int position, AblationKind kind, std::vector<std::string> leftOut, double ns, std::int64_t bytes, double ulp,
                bool counts = true)
{
    AblationRow one;
    one.function = FunctionId{3};
    one.call = 10;
    one.by = "rewrite";
    one.position = position;
    one.kind = kind;
    one.leftOut = std::move(leftOut);
    one.ns = ns;
    one.peakBytes = bytes;
    one.ulp = ulp;
    one.counts = counts;
    return one;
}

// Without fusion 400 ns more, without inplace 100 more, without both 700 more, without all of them 900 more.
std::vector<AblationRow> rows()
{
    std::vector<AblationRow> made{row(0, AblationKind::Nothing, {}, 1000, 64, 2),
                                  row(1, AblationKind::Single, {"fusion"}, 1400, 96, 2),
                                  row(2, AblationKind::Single, {"inplace"}, 1100, 128, 2, false),
                                  row(3, AblationKind::Single, {"stable"}, 900, 64, 4000),
                                  row(4, AblationKind::Single, {"idle"}, 1000, 64, 2),
                                  row(5, AblationKind::Single, {"broken"}, 0, 0, 0),
                                  row(6, AblationKind::Pair, {"fusion", "inplace"}, 1700, 160, 2),
                                  row(7, AblationKind::All, {"fusion", "inplace", "stable", "idle", "broken"}, 1900, 160, 2)};
    made[4].sameAs = 0;
    made[5].error = "no op can do that";
    made[7].notFinite = 3;
    return made;
}

TEST(Worth, ARewriteIsWorthWhatLeavingItOutCosts)
{
    const std::vector<AblationRow> all = rows();
    EXPECT_EQ(worthOf(all, all[1]), 400);
    EXPECT_EQ(worthOf(all, all[3]), -100);
    EXPECT_EQ(worthOf(all, all[2], WorthMeasure::Memory), 64);
    EXPECT_EQ(worthOf(all, all[3], WorthMeasure::Error), 3998);
    EXPECT_TRUE(std::isinf(worthOf(all, all[7], WorthMeasure::Error)));
    EXPECT_EQ(sumOfSingles(all), 400 + 100 - 100 + 0); // what cannot be run says nothing
    EXPECT_EQ(worthOfAll(all), 900);
    EXPECT_EQ(interactionOf(all, all[6]), 700 - 400 - 100);
    EXPECT_EQ(interactionOf(all, all[6], WorthMeasure::Memory), 96 - 32 - 64);
}

TEST(Worth, WhatIsApartByLessThanCountsHasOnePlace)
{
    std::vector<AblationRow> all = rows();
    EXPECT_EQ(placesOf(all), (std::vector<int>{0, 1, 0, 0, 0, 0, 0, 0})) << "chance, a gain, and what changes nothing have none";
    all[2].counts = true;
    EXPECT_EQ(placesOf(all), (std::vector<int>{0, 1, 2, 0, 0, 0, 0, 0}));
    all[2].ns = all[1].ns - 29;
    EXPECT_EQ(placesOf(all), (std::vector<int>{0, 1, 1, 0, 0, 0, 0, 0}));
    all[3].ns = all[1].ns - 31; // near the second, but not the first of them
    EXPECT_EQ(placesOf(all), (std::vector<int>{0, 1, 1, 3, 0, 0, 0, 0}));
}

TEST(Worth, OnlyTimesMayBeChance)
{
    const std::vector<AblationRow> all = rows();
    EXPECT_TRUE(isSure(all, all[1], WorthMeasure::Time));
    EXPECT_FALSE(isSure(all, all[2], WorthMeasure::Time));
    EXPECT_TRUE(isSure(all, all[2], WorthMeasure::Memory));
    EXPECT_FALSE(isSure(all, all[3], WorthMeasure::Memory)); // there is no difference
    EXPECT_FALSE(isSure(all, all[1], WorthMeasure::Compile));
    EXPECT_FALSE(isSure(all, all[5], WorthMeasure::Memory));
}

TEST(Worth, ThoseThatMatterMostComeFirst)
{
    const WorthTable table = worthTables(rows()).at(0);
    const auto names = [&](WorthMeasure measure) {
        std::string text;
        for (const AblationRow *one : table.singles(measure)) text += one->leftOut[0] + " ";
        return text;
    };
    EXPECT_EQ(names(WorthMeasure::Time), "fusion inplace stable idle broken ");
    EXPECT_EQ(names(WorthMeasure::Memory), "inplace fusion stable idle broken ");
    EXPECT_EQ(names(WorthMeasure::Error), "stable fusion inplace idle broken ");
    EXPECT_TRUE(table.hasPairs());
    EXPECT_EQ(table.all()->position, 7);
}

TEST(Worth, RowsOfSeveralRunsAreKeptApart)
{
    std::vector<AblationRow> two = rows();
    for (AblationRow one : rows()) {
        one.by = "pass";
        two.push_back(one);
    }
    AblationRow damaged = row(1, AblationKind::Single, {"alone"}, 1, 1, 1);
    damaged.by = "tag";
    two.push_back(damaged);
    const auto tables = worthTables(two);
    ASSERT_EQ(tables.size(), 2U);
    EXPECT_EQ(tables[0].by, "rewrite");
    EXPECT_EQ(tables[1].rows.size(), 8U);
    EXPECT_TRUE(worthTables({}).empty());
}

AlongRow step(int number, double ns, std::int64_t bytes, double ulp, std::int64_t notFinite = 0)
{
    AlongRow one;
    one.function = FunctionId{3};
    one.step = number;
    one.ns = ns;
    one.peakBytes = bytes;
    one.ulp = ulp;
    one.notFinite = notFinite;
    return one;
}

TEST(Along, WhatAStepDidIsMarked)
{
    AlongRow broken = step(9, 0, 0, 0);
    broken.error = "cannot be run";
    const AlongTable table = alongTables({step(0, 1000, 100, 2, 5), step(4, 1020, 100, 6000), step(7, 1020, 100, 3), broken,
                                          step(12, 400, 140, 3), step(20, 900, 80, 40)})
                                 .at(0);
    ASSERT_EQ(table.marks.size(), 7U);
    const auto is = [&](std::size_t mark, std::size_t row, AlongTurn turn) {
        return table.marks[mark].row == row && table.marks[mark].turn == turn;
    };
    EXPECT_TRUE(is(0, 1, AlongTurn::Stabler)); // fewer that are not finite, whatever the others
    EXPECT_TRUE(is(1, 2, AlongTurn::Stabler));
    EXPECT_TRUE(is(2, 4, AlongTurn::Faster)); // compared with the last one that could be run
    EXPECT_EQ(table.marks[2].before, 1020);
    EXPECT_EQ(table.marks[2].after, 400);
    EXPECT_TRUE(is(3, 4, AlongTurn::MoreMemory));
    EXPECT_TRUE(is(4, 5, AlongTurn::Slower));
    EXPECT_TRUE(is(5, 5, AlongTurn::LessStable));
    EXPECT_TRUE(is(6, 5, AlongTurn::LessMemory));
    EXPECT_EQ(table.at(6)->step, 4);
    EXPECT_EQ(table.at(100)->step, 20);
}

TEST(Along, WhatScattersIsNotMarked)
{
    const auto tables = alongTables({step(0, 1000, 1000, 0.5), step(1, 1080, 1030, 3.5), step(2, 1000, 1000, 0.5)});
    EXPECT_TRUE(tables.at(0).marks.empty());
    EXPECT_TRUE(alongTables({}).empty());
    // What is a large part of a small time is nothing beside the slowest graph.
    EXPECT_EQ(alongTables({step(0, 100'000, 1, 0), step(1, 1000, 1, 0), step(2, 1500, 1, 0)}).at(0).marks.size(), 1U);
}

} // namespace
