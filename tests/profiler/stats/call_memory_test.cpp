#include "profiler/stats/times/call_memory.h"

#include <gtest/gtest.h>

namespace profiler {
namespace {

BufferRow rowOf(std::uint32_t variable, int buffer, BufferKind kind, std::int64_t bytes, int from, int to, std::int64_t offset = -1)
{
    BufferRow row;
    row.function = FunctionId{0};
    row.graph = GraphId{1};
    row.variable = VariableId{variable};
    row.buffer = buffer;
    row.kind = kind;
    row.bytes = bytes;
    row.from = from;
    row.to = to;
    row.offset = offset;
    if (kind != BufferKind::Input) row.apply = ApplyId{variable};
    return row;
}

// x is viewed; 10 lives until 12 was written over it; 13 lies where 14 was.
ProfileData oneCall()
{
    ProfileData data;
    data.functions.push_back({});
    data.functions[0].id = FunctionId{0};
    data.functions[0].graph = GraphId{1};
    PlanInfo plan;
    plan.function = FunctionId{0};
    plan.uses = 3;
    plan.arenaBytes = 1100;
    plan.measuredPeakBytes = 1200;
    plan.peakNoGcBytes = 3000;
    data.plans.push_back(plan);
    data.buffers = {rowOf(1, 0, BufferKind::Input, 8000, 0, 4),         rowOf(2, 0, BufferKind::View, 8000, 1, 2),
                    rowOf(10, 1, BufferKind::Created, 1000, 0, 2, 0),   rowOf(12, 1, BufferKind::Inplace, 1000, 2, 4, 0),
                    rowOf(13, 2, BufferKind::Created, 100, 3, 4, 1000), rowOf(14, 3, BufferKind::Created, 50, 1, 2, 1000)};
    data.buffers[1].of = VariableId{1};
    data.buffers[3].of = VariableId{10};
    return data;
}

TEST(CallMemory, SharersAreOnePiece)
{
    const CallMemory memory = callMemory(oneCall(), FunctionId{0});
    ASSERT_EQ(memory.lifetimes.size(), 4u);
    const Lifetime &largest = memory.lifetimes[0];
    EXPECT_EQ(largest.variable, VariableId{10});
    EXPECT_EQ(largest.from, 0);
    EXPECT_EQ(largest.to, 4);
    EXPECT_EQ(largest.overwritten, std::vector<int>{2});
    EXPECT_EQ(memory.lifetimes[3].variable, VariableId{1}) << "what is not the call's own comes last";
    EXPECT_FALSE(memory.lifetimes[3].counted);
    EXPECT_EQ(memory.lifetimes[3].sharers, std::vector<VariableId>{VariableId{2}});
}

TEST(CallMemory, ThePeakHasItsHolders)
{
    const CallMemory memory = callMemory(oneCall(), FunctionId{0});
    EXPECT_EQ(memory.report.peak.bytes, 1100);
    EXPECT_EQ(memory.report.peak.position, 3);
    EXPECT_TRUE(memory.lifetimes[0].atPeak);
    EXPECT_NEAR(memory.lifetimes[0].shareOfPeak, 1000.0 / 1100, 1e-12);
    EXPECT_TRUE(memory.lifetimes[1].atPeak);
    EXPECT_FALSE(memory.lifetimes[2].atPeak);
    EXPECT_FALSE(memory.lifetimes[3].atPeak);
    EXPECT_EQ(memory.arenaUsed, 1100);
    EXPECT_EQ(memory.scaleBytes, 3000);
    ProfileData far = oneCall();
    far.plans[0].peakNoGcBytes = 900'000;
    EXPECT_EQ(callMemory(far, FunctionId{0}).scaleBytes, 3 * 1200) << "what is held can still be seen";
}

TEST(CallMemory, WithoutAPlanThereIsNone)
{
    EXPECT_TRUE(callMemory(oneCall(), FunctionId{1}).lifetimes.empty());
    EXPECT_TRUE(callMemory(ProfileData{}, FunctionId{0}).lifetimes.empty());
}

} // namespace
} // namespace profiler
