#include "profiler/session/store/reader.h"
#include "profiler/stats/times/flame.h"

#include <gtest/gtest.h>

#include <cmath>

namespace profiler {
namespace {

// train: exp (line 3 alone, 600 ns, half of it interpreted) and a fused apply of lines 3 and 5 (400 ns, 1 : 3); idle was not called.
ProfileData twoLines()
{
    ProfileData data;
    for (const char *name : {"train", "idle"}) {
        FunctionInfo function;
        function.id = FunctionId{static_cast<std::uint32_t>(data.functions.size())};
        function.graph = GraphId{1 + static_cast<std::uint32_t>(data.functions.size())};
        function.name = name;
        function.run.calls = data.functions.empty() ? 10 : 0;
        data.functions.push_back(function);
    }
    for (std::uint32_t id : {0u, 1u, 2u}) {
        ApplyRow row;
        row.graph = GraphId{1};
        row.apply = ApplyId{id};
        row.friendly = id == 0 ? "exp" : id == 1 ? "Composite" : "never";
        row.op = "Elemwise{" + row.friendly + "}";
        row.label = row.op + "(x)";
        row.inOptimized = true;
        data.applies.push_back(row);
    }
    const auto time = [&](std::uint32_t apply, const char *tier, std::int64_t ns) {
        ApplyStats stats;
        stats.function = FunctionId{0};
        stats.graph = GraphId{1};
        stats.apply = ApplyId{apply};
        stats.tier = tier;
        stats.calls = 5;
        stats.totalNs = ns;
        data.stats.push_back(stats);
    };
    time(0, "interpreter", 300);
    time(0, "compiled", 300);
    time(1, "compiled", 400);
    data.sources.push_back({GraphId{1}, ApplyId{0}, {"a.py", 3}, 1});
    data.sources.push_back({GraphId{1}, ApplyId{1}, {"a.py", 3}, 0.25, true});
    data.sources.push_back({GraphId{1}, ApplyId{1}, {"a.py", 5}, 0.75, true});
    return data;
}

TEST(Flame, TimeDescendsFromLinesToWhatRuns)
{
    const Flame flame = makeFlame(twoLines());
    std::vector<std::string> told;
    for (const FlameNode &node : flame.nodes)
        told.push_back(std::to_string(node.depth) + " " + node.name +
                       (node.source.line && node.kind == FlameKind::Line ? std::to_string(node.source.line) : "") + " " +
                       std::to_string(std::lround(node.startNs)) + "+" + std::to_string(std::lround(node.ns)) +
                       (node.estimated ? "~" : ""));
    EXPECT_EQ(told, (std::vector<std::string>{"0  0+1000", "1 train 0+1000", "2 3 0+700~", "3 exp 0+600", "4 compiled 0+300",
                                              "4 interpreter 300+300", "3 Composite 600+100~", "4 compiled 600+100~", "2 5 700+300~",
                                              "3 Composite 700+300~", "4 compiled 700+300~"}));
    EXPECT_DOUBLE_EQ(flame.nodes[2].share, 0.7);
    EXPECT_EQ(flame.nodes[2].end, 8u);
    EXPECT_EQ(flame.nodes[3].parent, 2u);
}

TEST(Flame, LinesStandUnderWhatCalledThem)
{
    ProfileData data = twoLines();
    StringTable texts;
    texts.set(StringId{1}, "a.py");
    texts.set(StringId{2}, "net.py");
    const auto chains = std::make_shared<Chains>();
    chains->add({ChainId{0}, kNoChain, StringId{2}, 9, kEmptyString}, texts);
    chains->add({ChainId{1}, ChainId{0}, StringId{1}, 3, kEmptyString}, texts);
    chains->add({ChainId{2}, ChainId{1}, StringId{1}, 3, kEmptyString}, texts); // calls itself
    chains->add({ChainId{3}, ChainId{0}, StringId{1}, 5, kEmptyString}, texts);
    data.chains.all = chains;
    data.chains.ofApplies.take({{GraphId{1}, ApplyId{0}, ChainId{2}, 1},
                                {GraphId{1}, ApplyId{1}, ChainId{1}, 0.125},
                                {GraphId{1}, ApplyId{1}, ChainId{2}, 0.125},
                                {GraphId{1}, ApplyId{1}, ChainId{3}, 0.75}});
    const Flame flame = makeFlame(data);
    std::vector<std::string> told;
    for (const FlameNode &node : flame.nodes)
        if (node.kind != FlameKind::Runner)
            told.push_back(std::to_string(node.depth) + " " + node.name +
                           (node.kind == FlameKind::Line ? node.source.file + std::to_string(node.source.line) : "") + " " +
                           std::to_string(std::lround(node.startNs)) + "+" + std::to_string(std::lround(node.ns)) +
                           (node.estimated ? "~" : "") + " " + std::to_string(node.calls));
    EXPECT_EQ(told, (std::vector<std::string>{"0  0+1000 10", "1 train 0+1000 10", "2 net.py9 0+1000 10", "3 a.py3 0+700~ 10",
                                              "4 exp 0+600 10", "4 Composite 600+100~ 5", "3 a.py5 700+300~ 5", "4 Composite 700+300~ 5"}));
}

TEST(Flame, ATransferIsACopy)
{
    ProfileData data = twoLines();
    data.applies[0].opClass = "theano.gpuarray.basic_ops.GpuFromHost";
    std::vector<std::string> runners;
    for (const FlameNode &node : makeFlame(data).nodes)
        if (node.kind == FlameKind::Runner && node.apply.apply == ApplyId{0}) runners.push_back(node.name);
    EXPECT_EQ(runners, (std::vector<std::string>{"copy", "copy"}));
}

TEST(Flame, APlaceIsFoundByWhatIsSelected)
{
    const Flame flame = makeFlame(twoLines());
    EXPECT_EQ(flame.findFunction(FunctionId{0}), 1u);
    EXPECT_EQ(flame.findFunction(FunctionId{1}), 0u);
    EXPECT_EQ(flame.findApply({GraphId{1}, ApplyId{1}}), 9u) << "in its longest line";
    EXPECT_EQ(flame.findLine(FunctionId{0}, {"a.py", 5}), 8u);
    EXPECT_EQ(flame.findLine(FunctionId{0}, {"a.py", 4}), 0u);
}

TEST(Flame, WhatIsFoundIsCountedOnce)
{
    const Flame flame = makeFlame(twoLines());
    const FlameHits hits = findInFlame(flame, "COMPOSITE");
    EXPECT_EQ(hits.count, 4u); // twice with what runs it, whose detail is the apply's
    EXPECT_DOUBLE_EQ(hits.ns, 400);
    EXPECT_DOUBLE_EQ(hits.share, 0.4);
    EXPECT_EQ(findInFlame(flame, "").count, 0u);
    std::vector<std::string> more(flame.nodes.size());
    more[8] = "cost = mean(loss)";
    EXPECT_DOUBLE_EQ(findInFlame(flame, "mean(", more).ns, 300);
}

TEST(Flame, NoTimeNoPicture) { EXPECT_TRUE(makeFlame(ProfileData{}).nodes.empty()); }

TEST(Flame, ASessionAddsUp)
{
    const ProfileData data = loadProfile(*SessionReader::open(CROTON_REAL_SESSION));
    const Flame flame = makeFlame(data);
    ASSERT_FALSE(flame.nodes.empty());
    EXPECT_NEAR(flame.nodes[0].ns, static_cast<double>(makeTable(data, TableKind::Apply).totalNs), 1);
    std::vector<double> ofChildren(flame.nodes.size(), 0);
    for (std::size_t i = 1; i < flame.nodes.size(); ++i) ofChildren[flame.nodes[i].parent] += flame.nodes[i].ns;
    for (std::size_t i = 0; i < flame.nodes.size(); ++i)
        EXPECT_TRUE(flame.nodes[i].kind == FlameKind::Runner || std::abs(ofChildren[i] - flame.nodes[i].ns) < 1) << i;
}

} // namespace
} // namespace profiler
