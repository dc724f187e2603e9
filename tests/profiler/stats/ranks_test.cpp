// Ranks of a job side by side, with numbers worked out by hand.
#include "profiler/stats/machine/ranks.h"

#include <gtest/gtest.h>

using namespace profiler;

namespace {

constexpr std::int64_t kMs = 1'000'000;

// A rank that runs for 100 ms, calls `train` for `callMs`, and is in its collective calls for the times given.
RankInput rankOf(int rank, std::int64_t callMs, const std::vector<std::int64_t> &collectiveMs, const std::string &members = "0-2")
{
    RankInput input;
    input.info.rank = rank;
    input.info.path = "r" + std::to_string(rank);
    input.info.state = SessionState::Finished;
    input.info.durationNs = 100 * kMs;
    FunctionInfo train;
    train.id = FunctionId{1};
    train.name = "train";
    train.run.calls = 2;
    train.run.totalNs = callMs * kMs;
    input.functions = {train};
    Communication sum;
    sum.call = "Allreduce";
    sum.kind = kCollectiveCall;
    sum.source = {"s.py", 7};
    for (const std::int64_t ms : collectiveMs) {
        input.collectives.push_back({members, sum.count, sum.call, sum.source, 0, ms * kMs});
        ++sum.count;
        sum.totalNs += ms * kMs;
        sum.bytes += 800;
    }
    input.communication = {sum};
    return input;
}

TEST(Ranks, waitingIsWhatTheLastOneDoesNotNeed)
{
    // In the first call rank 2 came last, in the second rank 0.
    const std::vector<RankInput> inputs{rankOf(0, 30, {11, 2}), rankOf(1, 30, {12, 6}), rankOf(2, 60, {1, 7})};
    const Job job = jobOf(inputs);
    ASSERT_EQ(job.ranks.size(), 3u);
    EXPECT_EQ(job.ranks[0].waitingNs, (10 + 0) * kMs);
    EXPECT_EQ(job.ranks[1].waitingNs, (11 + 4) * kMs);
    EXPECT_EQ(job.ranks[2].waitingNs, (0 + 5) * kMs);
    EXPECT_EQ(job.ranks[0].communicationNs, 13 * kMs);
    EXPECT_EQ(job.ranks[0].ownNs(), 90 * kMs);
    EXPECT_EQ(job.ranks[0].otherNs(), (100 - 30 - 13) * kMs);
    const std::vector<CommunicationRow> rows = communicationTable(job);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].count, 6);
    EXPECT_EQ(rows[0].bytes, 4800);
    EXPECT_EQ(rows[0].totalNs, 39 * kMs);
    EXPECT_EQ(rows[0].waitingNs, 30 * kMs);
    EXPECT_EQ(rows[0].mostWaiting, 1);
}

TEST(Ranks, theSlowestIsNamedWithWhatKeepsIt)
{
    const Job job = jobOf(std::vector<RankInput>{rankOf(0, 30, {31}), rankOf(1, 32, {29}), rankOf(2, 61, {1})});
    const JobVerdict verdict = judge(job);
    ASSERT_EQ(verdict.slowest, 2);
    EXPECT_EQ(verdict.excessNs, (100 - (70 + 72) / 2) * kMs);
    EXPECT_EQ(verdict.part, "functions");
    EXPECT_EQ(verdict.function, "train");
    EXPECT_EQ(verdict.partNs, 30 * kMs);
}

TEST(Ranks, ranksThatNeedAsMuchNameNone)
{
    const Job job = jobOf(std::vector<RankInput>{rankOf(0, 50, {3}), rankOf(1, 50, {2}), rankOf(2, 51, {1})});
    EXPECT_TRUE(judge(job).knowsWaiting);
    EXPECT_EQ(judge(job).slowest, -1);
}

TEST(Ranks, aCallThatARankLacksLeavesWaitingUnknown)
{
    // Rank 2 died before its session had the call.
    std::vector<RankInput> inputs{rankOf(0, 30, {11}), rankOf(1, 30, {12}), rankOf(2, 10, {})};
    inputs[2].communication.clear();
    inputs[2].info.state = SessionState::CutOff;
    inputs[2].info.cutOffReason = "cut off in call 3 of train";
    const Job job = jobOf(inputs);
    EXPECT_EQ(job.ranks[0].waitingNs, -1);
    EXPECT_EQ(job.ranks[2].problem, "cut off in call 3 of train");
    EXPECT_FALSE(judge(job).knowsWaiting);
    EXPECT_EQ(communicationTable(job)[0].waitingNs, -1);
}

TEST(Ranks, groupsOfTheirOwnAreMatchedAmongThemselves)
{
    const Job job = jobOf(std::vector<RankInput>{rankOf(0, 10, {5}, "0,2"), rankOf(1, 10, {9}, "1"), rankOf(2, 10, {1}, "0,2")});
    EXPECT_EQ(job.ranks[0].waitingNs, 4 * kMs);
    EXPECT_EQ(job.ranks[1].waitingNs, 0);
    EXPECT_EQ(job.ranks[2].waitingNs, 0);
}

TEST(Ranks, messagesInsideOfFunctionsAreNotCountedTwice)
{
    std::vector<RankInput> inputs{rankOf(0, 40, {10}, "0")};
    inputs[0].communication[0].insideNs = 10 * kMs;
    const Job job = jobOf(inputs);
    EXPECT_EQ(job.ranks[0].callNs, 30 * kMs);
    EXPECT_EQ(job.ranks[0].otherNs(), 60 * kMs);
}

TEST(Ranks, functionsStandBesideEachOther)
{
    std::vector<RankInput> inputs{rankOf(0, 40, {1}), rankOf(1, 30, {1}), rankOf(2, 20, {1})};
    inputs[1].functions.clear();
    const std::vector<RankFunctionRow> rows = functionTable(jobOf(inputs));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].name, "train");
    EXPECT_EQ(rows[0].calls, 4);
    EXPECT_EQ(rows[0].ns, (std::vector<std::int64_t>{40 * kMs, -1, 20 * kMs}));
}

} // namespace
