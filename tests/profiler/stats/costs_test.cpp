#include "profiler/session/store/reader.h"
#include "profiler/stats/machine/costs.h"

#include <gtest/gtest.h>

namespace profiler {
namespace {

// Function 0 calls a fast apply, a slow one and one that took no time; function 1 was never called.
ProfileData twoFunctions()
{
    ProfileData data;
    for (std::uint32_t id : {0u, 1u}) {
        FunctionInfo function;
        function.id = FunctionId{id};
        function.graph = GraphId{id + 1};
        function.run.calls = id == 0 ? 10 : 0;
        function.run.totalNs = id == 0 ? 1000 : 0;
        data.functions.push_back(function);
        data.graphs.push_back({function.graph, function.id});
    }
    const std::int64_t times[] = {100, 300, 0};
    for (std::uint32_t apply = 0; apply < 3; ++apply) {
        ApplyRow row;
        row.graph = GraphId{1};
        row.apply = ApplyId{apply};
        row.opClass = row.op = "Same";
        row.label = "apply " + std::to_string(apply);
        row.inOptimized = true;
        row.optimizedIndex = static_cast<int>(apply);
        data.applies.push_back(row);
        if (times[apply] == 0) continue;
        ApplyStats stats;
        stats.function = FunctionId{0};
        stats.graph = GraphId{1};
        stats.apply = row.apply;
        stats.calls = 10;
        stats.totalNs = times[apply];
        data.stats.push_back(stats);
    }
    data.sources.push_back({GraphId{1}, ApplyId{0}, {"a.py", 3}, 1});
    data.sources.push_back({GraphId{1}, ApplyId{1}, {"a.py", 7}, 1});
    return data;
}

TEST(Costs, AnApplyHasItsPlaceAmongThoseOfItsFunction)
{
    const ProfileData data = twoFunctions();
    const Costs costs(data);
    const ApplyShare *fast = costs.find({GraphId{1}, ApplyId{0}});
    const ApplyShare *slow = costs.find({GraphId{1}, ApplyId{1}});
    const ApplyShare *idle = costs.find({GraphId{1}, ApplyId{2}});
    ASSERT_TRUE(fast && slow && idle);
    EXPECT_DOUBLE_EQ(fast->share, 0.25);
    EXPECT_DOUBLE_EQ(slow->share, 0.75);
    EXPECT_DOUBLE_EQ(fast->shareOfSlowest, 1.0 / 3);
    EXPECT_DOUBLE_EQ(slow->shareOfSlowest, 1);
    EXPECT_DOUBLE_EQ(slow->row->nsPerCall, 30);
    EXPECT_DOUBLE_EQ(idle->share, 0);
    EXPECT_EQ(costs.find({GraphId{2}, ApplyId{0}}), nullptr);
}

TEST(Costs, EndsOfTheScaleAreThoseOfCalledApplies)
{
    const ProfileData data = twoFunctions();
    const Costs costs(data);
    EXPECT_DOUBLE_EQ(costs.of(FunctionId{0})->fastestNs, 0);
    EXPECT_DOUBLE_EQ(costs.of(FunctionId{0})->slowestNs, 30);
    EXPECT_DOUBLE_EQ(costs.of(FunctionId{0})->nsPerCall, 100);
    EXPECT_LT(costs.of(FunctionId{1})->fastestNs, 0);
    EXPECT_EQ(costs.of(FunctionId{9}), nullptr);
}

TEST(Costs, NodesOfARowStandByTime)
{
    const ProfileData data = twoFunctions();
    const Costs costs(data);
    const Table &ops = costs.of(kNoFunction)->ops;
    ASSERT_EQ(ops.rows.size(), 1u);
    ASSERT_EQ(ops.rows[0].nodes.size(), 3u);
    EXPECT_EQ(ops.rows[0].nodes[0].apply, ApplyId{1});
    EXPECT_EQ(ops.rows[0].nodes[1].apply, ApplyId{0});
}

TEST(Costs, LinesAreMeasuredByTheLongest)
{
    const ProfileData data = twoFunctions();
    const Costs costs(data);
    const auto &lines = costs.of(FunctionId{0})->lines;
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_DOUBLE_EQ(lines.at({"a.py", 3}).ofLongest, 1.0 / 3);
    EXPECT_DOUBLE_EQ(lines.at({"a.py", 7}).ofLongest, 1);
    EXPECT_DOUBLE_EQ(lines.at({"a.py", 7}).share, 0.75);
}

TEST(Costs, BarsAndLargestShares)
{
    const ProfileData data = twoFunctions();
    const Costs costs(data);
    const Table &applies = costs.of(kNoFunction)->applies;
    const std::vector<RowBars> bars = rowBars(applies);
    ASSERT_EQ(bars.size(), 3u);
    EXPECT_DOUBLE_EQ(bars[0].time, 1);
    EXPECT_DOUBLE_EQ(bars[1].time, 1.0 / 3);
    EXPECT_DOUBLE_EQ(bars[1].timePerCall, 1.0 / 3);
    const LargestShares shares = largestShares(applies, 1);
    ASSERT_EQ(shares.rows.size(), 1u);
    EXPECT_DOUBLE_EQ(shares.rows[0].second, 75);
    EXPECT_DOUBLE_EQ(shares.otherPercent, 25);
    EXPECT_TRUE(shares.others);
    EXPECT_FALSE(largestShares(applies, 3).others);
    EXPECT_TRUE(rowBars({}).empty());
}

TEST(Costs, FewCallsAreDoubtful)
{
    TableRow row;
    EXPECT_FALSE(isDoubtful(row)) << "what was never called has no times to doubt";
    row.calls = 4;
    EXPECT_TRUE(isDoubtful(row));
    row.calls = 5;
    EXPECT_FALSE(isDoubtful(row));
}

TEST(Costs, TheBestClockSpeaksForTheSession)
{
    ProfileData data = twoFunctions();
    EXPECT_EQ(Costs(data).clock(), ClockKind::Host);
    data.stats[0].blockingNs = data.stats[0].totalNs + 5; // of another run, beside its own
    EXPECT_EQ(Costs(data).clock(), ClockKind::Host);
    data.stats[0].blockingNs = data.stats[0].totalNs;
    EXPECT_EQ(Costs(data).clock(), ClockKind::Blocking);
    data.stats[1].deviceNs = 5;
    EXPECT_EQ(Costs(data).clock(), ClockKind::Device);
}

TEST(Costs, SharesOfASessionSumToAll)
{
    const ProfileData data = loadProfile(*SessionReader::open(CROTON_REAL_SESSION));
    const Costs costs(data);
    const FunctionInfo &train = data.functions.front();
    const Table &applies = costs.of(train.id)->applies;
    double sum = 0;
    for (const TableRow &row : applies.rows)
        for (const ApplyKey &node : row.nodes) sum += costs.find(node)->share;
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_EQ(static_cast<int>(applies.rows.size()), train.appliesOptimized);
}

} // namespace
} // namespace profiler
