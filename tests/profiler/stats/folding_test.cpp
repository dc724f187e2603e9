#include "profiler/stats/advice/repetition.h"
#include "profiler/stats/machine/condense.h"
#include "profiler/stats/times/folding.h"

#include <gtest/gtest.h>

using namespace profiler;

namespace {

// A chain of `count` parts: two nodes from outside each, then one that also reads the part before.
RepeatGraph chain(int count)
{
    RepeatGraph graph;
    graph.firstInput.push_back(0);
    const auto add = [&](std::uint32_t kind, std::vector<int> reads) {
        graph.kinds.push_back(kind);
        for (int node : reads) graph.inputs.push_back({node, 0});
        graph.firstInput.push_back(graph.inputs.size());
        return graph.size() - 1;
    };
    int last = -1;
    for (int i = 0; i < count; ++i) {
        const int a = add(1, {-1}), b = add(2, {a, -1});
        last = add(3, {b, last});
    }
    return graph;
}

TEST(Repeats, aChainHasItsPartsInOrder)
{
    const std::vector<Repeat> repeats = findRepeats(chain(40));
    ASSERT_EQ(repeats.size(), 1u);
    EXPECT_EQ(repeats[0].count, 40);
    EXPECT_TRUE(repeats[0].chained);
    ASSERT_EQ(repeats[0].nodes.size(), 120u);
    for (std::size_t i = 0; i < repeats[0].nodes.size(); ++i) EXPECT_EQ(repeats[0].instanceOf[i], repeats[0].nodes[i] / 3) << i;
}

TEST(Repeats, fewerThanAskedForAreNone) { EXPECT_TRUE(findRepeats(chain(2)).empty()); }

TEST(Repeats, partsBesideOneAnotherAreCopies)
{
    RepeatGraph graph;
    graph.firstInput.push_back(0);
    for (int copy = 0; copy < 5; ++copy)
        for (std::uint32_t kind = 1; kind <= 4; ++kind) {
            graph.kinds.push_back(kind);
            graph.inputs.push_back({kind == 1 ? -1 : graph.size() - 2, 0});
            graph.firstInput.push_back(graph.inputs.size());
        }
    const std::vector<Repeat> repeats = findRepeats(graph);
    ASSERT_EQ(repeats.size(), 1u);
    EXPECT_EQ(repeats[0].count, 5);
    EXPECT_FALSE(repeats[0].chained);
    for (std::size_t i = 0; i < repeats[0].nodes.size(); ++i) EXPECT_EQ(repeats[0].instanceOf[i], repeats[0].nodes[i] / 4);
}

TEST(Repeats, anEmptyGraphHasNone)
{
    RepeatGraph graph;
    graph.firstInput.push_back(0);
    EXPECT_TRUE(findRepeats(graph).empty());
}

TEST(Condense, whatNeedsOneAnotherInTurnIsOne)
{
    const Condensed condensed = condense(6, {{0, 1}, {1, 2}, {2, 1}, {2, 3}, {4, 4}, {5, 0}});
    EXPECT_EQ(condensed.count, 5);
    EXPECT_EQ(condensed.of[1], condensed.of[2]);
    std::vector<int> place(5);
    for (std::size_t i = 0; i < condensed.order.size(); ++i) place[condensed.order[i]] = static_cast<int>(i);
    EXPECT_LT(place[condensed.of[5]], place[condensed.of[0]]);
    EXPECT_LT(place[condensed.of[0]], place[condensed.of[1]]);
    EXPECT_LT(place[condensed.of[1]], place[condensed.of[3]]);
}

TEST(Condense, aLongChainNeedsNoStack)
{
    constexpr int kLong = 400'000;
    std::vector<std::pair<int, int>> edges;
    for (int i = 1; i < kLong; ++i) edges.emplace_back(i - 1, i);
    EXPECT_EQ(condense(kLong, edges).count, kLong);
}

TEST(Scopes, functionsAndLoopsAroundEachLine)
{
    const auto scopes = scopesOfText("a = 1\n"
                                     "def step(x):\n"
                                     "    # not a line of it\n"
                                     "    for k in range(3):\n"
                                     "        x = x + 1\n"
                                     "\n"
                                     "    return x\n"
                                     "b = 2\n");
    using Names = std::vector<std::string>;
    EXPECT_EQ(scopes.at(0), Names{});
    EXPECT_EQ(scopes.at(4), (Names{"2 def step", "4 for k in range(3)"}));
    EXPECT_EQ(scopes.at(6), Names{"2 def step"});
    EXPECT_EQ(scopes.at(7), Names{});
}

} // namespace
