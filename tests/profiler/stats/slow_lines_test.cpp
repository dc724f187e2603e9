#include "profiler/stats/times/slow_lines.h"

#include <gtest/gtest.h>

namespace profiler {
namespace {

// Three applies of one function: two of line 3, where one is a Python op, and a part of the second is line 4's; one of no line.
ProfileData threeApplies()
{
    ProfileData data;
    FunctionInfo function;
    function.id = FunctionId{0};
    function.graph = GraphId{1};
    function.run.calls = 10;
    data.functions.push_back(function);
    data.graphs.push_back({GraphId{1}, FunctionId{0}});
    const std::pair<const char *, std::int64_t> ops[] = {{"SlowClip", 700}, {"Elemwise{exp,no_inplace}", 200}, {"Alloc", 100}};
    for (std::uint32_t i = 0; i < 3; ++i) {
        ApplyRow row;
        row.graph = GraphId{1};
        row.apply = ApplyId{i};
        row.op = ops[i].first;
        row.opClass = "a.B";
        row.implementation = i == 0 ? "Py" : "C";
        row.inOptimized = true;
        row.optimizedIndex = static_cast<int>(i);
        data.applies.push_back(row);
        ApplyStats stats;
        stats.function = FunctionId{0};
        stats.graph = GraphId{1};
        stats.apply = row.apply;
        stats.calls = 10;
        stats.totalNs = ops[i].second;
        data.stats.push_back(stats);
    }
    data.sources.push_back({GraphId{1}, ApplyId{0}, {"own.py", 3}, 1, false});
    data.sources.push_back({GraphId{1}, ApplyId{1}, {"own.py", 3}, 0.5, true});
    data.sources.push_back({GraphId{1}, ApplyId{1}, {"own.py", 4}, 0.5, true});
    return data;
}

Advice about(const char *id, std::vector<ApplyKey> nodes, SourceLine place, double gain, const char *of)
{
    Advice one;
    one.id = id;
    one.nodes = std::move(nodes);
    one.place = place;
    one.gain = gain;
    one.of = of;
    return one;
}

TEST(SlowLines, haveTheirOpsByShareAndNothingOfNoLine)
{
    const ProfileData data = threeApplies();
    const std::vector<SlowLine> lines = slowLines(data, {}, {}, 5);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0].row.source.line, 3);
    EXPECT_EQ(lines[0].row.ns, 800);
    EXPECT_DOUBLE_EQ(lines[0].nsPerCall, 80);
    ASSERT_EQ(lines[0].ops.size(), 2u);
    EXPECT_EQ(lines[0].ops[0].name, "SlowClip");
    EXPECT_TRUE(lines[0].ops[0].isPython);
    EXPECT_DOUBLE_EQ(lines[0].ops[0].share, 0.875);
    EXPECT_DOUBLE_EQ(lines[0].ops[1].share, 0.125) << "of the half that is this line's";
    EXPECT_FALSE(lines[0].ops[1].isPython);
    EXPECT_EQ(slowLines(data, {}, {}, 1).size(), 1u);
}

TEST(SlowLines, theReasonIsTheAdviceAboutTheLine)
{
    const ProfileData data = threeApplies();
    const ApplyKey clip{GraphId{1}, ApplyId{0}}, exp{GraphId{1}, ApplyId{1}}, alloc{GraphId{1}, ApplyId{2}};
    const std::vector<Advice> advice{
        about("elsewhere", {alloc}, {"own.py", 9}, 0.99, "the time in ops"), about("memory", {clip}, {"own.py", 3}, 0.9, "the memory peak"),
        about("an-apply", {exp}, {"own.py", 7}, 0.6, "the time in ops"), about("small", {clip}, {"own.py", 3}, 0.1, "the time in ops"),
        about("the-line", {clip}, {"own.py", 3}, 0.5, "the time in ops")};
    const std::vector<SlowLine> lines = slowLines(data, {}, advice, 5);
    ASSERT_TRUE(lines[0].reason && lines[1].reason);
    EXPECT_EQ(lines[0].reason->id, "the-line") << "what names the line, and of that what saves most";
    EXPECT_EQ(lines[1].reason->id, "an-apply");
    EXPECT_EQ(slowLines(data, {}, std::span(advice).first(2), 5)[0].reason, nullptr);
}

} // namespace
} // namespace profiler
