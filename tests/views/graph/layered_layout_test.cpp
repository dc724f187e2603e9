#include "views/graph/layered_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <random>

namespace {

using namespace views;

LayoutInput randomGraph(int count, unsigned seed, int window = 8, double longEdges = 0.01)
{
    std::mt19937 random(seed);
    LayoutInput input;
    for (int i = 0; i < count; ++i) {
        input.nodes.push_back({72.0 + static_cast<double>(random() % 168), random() % 2 ? 24.0 : 36.0});
        if (i < 4) {
            input.nodes.back().top = true;
            continue;
        }
        const int fanIn = 1 + static_cast<int>(random() % 3);
        for (int k = 0; k < fanIn; ++k) {
            const bool far = (random() % 1000) < longEdges * 1000;
            const int reach = far ? i : std::min(i, window);
            const int from = i - 1 - static_cast<int>(random() % reach);
            input.edges.push_back({from, i, (k - (fanIn - 1) / 2.0) * 18});
        }
    }
    return input;
}

// No two boxes of a layer overlap, layers stand below one another, edges go down, lanes lie between their ends.
void expectSound(const LayoutInput &input, const LayoutResult &result, double gap)
{
    ASSERT_EQ(result.centers.size(), input.nodes.size());
    std::map<int, std::vector<int>> layers;
    for (std::size_t i = 0; i < input.nodes.size(); ++i) {
        ASSERT_TRUE(std::isfinite(result.centers[i].x) && std::isfinite(result.centers[i].y)) << i;
        layers[result.ranks[i]].push_back(static_cast<int>(i));
    }
    double bottom = -1e300;
    for (auto &[rank, nodes] : layers) {
        std::sort(nodes.begin(), nodes.end(), [&](int a, int b) { return result.centers[a].x < result.centers[b].x; });
        double top = 1e300, low = -1e300;
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            const int node = nodes[k];
            top = std::min(top, result.centers[node].y - input.nodes[node].height / 2);
            low = std::max(low, result.centers[node].y + input.nodes[node].height / 2);
            if (k > 0) {
                const int before = nodes[k - 1];
                const double free =
                    result.centers[node].x - input.nodes[node].width / 2 - (result.centers[before].x + input.nodes[before].width / 2);
                ASSERT_GE(free, gap - 1e-6) << "nodes " << before << " and " << node << " in layer " << rank;
            }
        }
        ASSERT_GT(top, bottom) << "layer " << rank;
        bottom = low;
    }
    for (std::size_t i = 0; i < input.edges.size(); ++i) {
        const LayoutEdge &edge = input.edges[i];
        const LayoutRoute &route = result.routes[i];
        if (route.backward) continue;
        ASSERT_LT(result.ranks[edge.from], result.ranks[edge.to]) << "edge " << i;
        double y = result.centers[edge.from].y;
        for (const LayoutPoint &lane : route.via) {
            ASSERT_GT(lane.y, y);
            y = lane.y;
        }
        if (!route.stub) {
            ASSERT_EQ(static_cast<int>(route.via.size()), result.ranks[edge.to] - result.ranks[edge.from] - 1);
        }
        ASSERT_LT(y, result.centers[edge.to].y);
    }
}

TEST(LayeredLayout, EmptyAndOneNode)
{
    EXPECT_TRUE(layeredLayout({}).centers.empty());
    LayoutInput one;
    one.nodes.push_back({100, 24});
    const LayoutResult result = layeredLayout(one);
    ASSERT_EQ(result.centers.size(), 1u);
    EXPECT_EQ(result.ranks[0], 0);
    EXPECT_DOUBLE_EQ(result.layers[0].y - result.layers[0].x, 24);
}

TEST(LayeredLayout, ChainIsStraight)
{
    LayoutInput chain;
    for (int i = 0; i < 30; ++i) {
        chain.nodes.push_back({80.0 + 5 * (i % 3), 24});
        if (i > 0) chain.edges.push_back({i - 1, i, 0});
    }
    const LayoutResult result = layeredLayout(chain);
    for (int i = 1; i < 30; ++i) {
        EXPECT_EQ(result.ranks[i], i);
        EXPECT_NEAR(result.centers[i].x, result.centers[0].x, 1);
    }
}

TEST(LayeredLayout, ArgumentsStandInOrderAboveTheirApply)
{
    LayoutInput input;
    for (int i = 0; i < 5; ++i) input.nodes.push_back({72, 24});
    // Declared in the wrong order on purpose: slots decide.
    input.edges = {{0, 4, 27}, {1, 4, -27}, {2, 4, 9}, {3, 4, -9}};
    const LayoutResult result = layeredLayout(input);
    EXPECT_LT(result.centers[1].x, result.centers[3].x);
    EXPECT_LT(result.centers[3].x, result.centers[2].x);
    EXPECT_LT(result.centers[2].x, result.centers[0].x);
    EXPECT_NEAR(result.centers[4].x, (result.centers[1].x + result.centers[0].x) / 2, 20);
}

TEST(LayeredLayout, CyclesBecomeBackwardStubs)
{
    LayoutInput input;
    for (int i = 0; i < 4; ++i) input.nodes.push_back({80, 24});
    input.edges = {{0, 1, 0}, {1, 2, 0}, {2, 0, 0}, {2, 3, 0}, {3, 3, 0}};
    const LayoutResult result = layeredLayout(input);
    EXPECT_TRUE(result.cyclic);
    expectSound(input, result, 16);
    EXPECT_EQ(std::count_if(result.routes.begin(), result.routes.end(), [](const auto &r) { return r.backward; }), 2);
    for (const LayoutRoute &route : result.routes) EXPECT_TRUE(!route.backward || route.stub);
}

TEST(LayeredLayout, LongEdgesAreStubsAndTakeNoRoom)
{
    LayoutInput input;
    for (int i = 0; i < 20; ++i) {
        input.nodes.push_back({80, 24});
        if (i > 0) input.edges.push_back({i - 1, i, 0});
    }
    input.edges.push_back({0, 19, 9});
    input.edges.push_back({0, 12, 9});
    const LayoutResult result = layeredLayout(input);
    EXPECT_TRUE(result.routes[19].stub);
    EXPECT_TRUE(result.routes[19].via.empty());
    EXPECT_FALSE(result.routes[20].stub);
    EXPECT_EQ(result.routes[20].via.size(), 11u);
}

TEST(LayeredLayout, PinnedNodesStayInTheFirstLayer)
{
    const LayoutInput input = randomGraph(300, 7);
    const LayoutResult result = layeredLayout(input);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(result.ranks[i], 0);
    expectSound(input, result, 16);
}

TEST(LayeredLayout, SameInputSameResult)
{
    const LayoutInput input = randomGraph(500, 11);
    const LayoutResult a = layeredLayout(input), b = layeredLayout(input);
    EXPECT_EQ(a.centers, b.centers);
    EXPECT_EQ(a.ranks, b.ranks);
}

TEST(LayeredLayout, RandomGraphsAreSound)
{
    for (unsigned seed = 0; seed < 40; ++seed) {
        const LayoutInput input = randomGraph(1 + static_cast<int>(seed) * 9, seed, 3 + static_cast<int>(seed % 20), 0.05);
        expectSound(input, layeredLayout(input), 16);
    }
}

LayoutInput anchoredTo(LayoutInput input, const LayoutResult &before, const std::vector<int> &oldIndex)
{
    for (std::size_t i = 0; i < input.nodes.size(); ++i)
        if (oldIndex[i] >= 0)
            input.nodes[i].anchor = LayoutAnchor{before.centers[oldIndex[i]].x, before.centers[oldIndex[i]].y, before.ranks[oldIndex[i]]};
    return input;
}

// A rewrite as compilers do it: the nodes of an edge become one new node that reads what both read.
LayoutInput fuse(const LayoutInput &input, std::size_t edge, std::vector<int> &oldIndex)
{
    const int gone = input.edges[edge].from, kept = input.edges[edge].to;
    std::vector<int> newIndex(input.nodes.size(), -1);
    LayoutInput next;
    for (int i = 0; i < static_cast<int>(input.nodes.size()); ++i) {
        if (i == gone) continue;
        newIndex[i] = static_cast<int>(next.nodes.size());
        next.nodes.push_back(input.nodes[i]);
        oldIndex.push_back(i == kept ? -1 : i);
    }
    newIndex[gone] = newIndex[kept];
    for (const LayoutEdge &old : input.edges)
        if (newIndex[old.from] != newIndex[old.to]) next.edges.push_back({newIndex[old.from], newIndex[old.to], old.slot});
    return next;
}

TEST(LayeredLayout, AnchoredStepsBarelyMoveSurvivors)
{
    double total = 0;
    int survivors = 0, far = 0;
    for (unsigned seed = 0; seed < 10; ++seed) {
        const LayoutInput before = randomGraph(200, seed);
        const LayoutResult first = layeredLayout(before);
        std::size_t edge = 0;
        std::mt19937 random(seed);
        std::vector<int> fanOut(before.nodes.size(), 0);
        for (const LayoutEdge &e : before.edges) ++fanOut[e.from];
        do edge = random() % before.edges.size();
        while (fanOut[before.edges[edge].from] != 1 || before.edges[edge].from < 4);
        std::vector<int> oldIndex;
        const LayoutInput after = anchoredTo(fuse(before, edge, oldIndex), first, oldIndex);
        const LayoutResult second = layeredLayout(after);
        expectSound(after, second, 16);
        for (std::size_t i = 0; i < oldIndex.size(); ++i)
            if (oldIndex[i] >= 0) {
                const double moved =
                    std::hypot(second.centers[i].x - first.centers[oldIndex[i]].x, second.centers[i].y - first.centers[oldIndex[i]].y);
                total += moved;
                far += moved > 50;
                ++survivors;
            }
    }
    EXPECT_LT(total / survivors, 15) << "px, mean move of a survivor";
    EXPECT_LT(far, survivors / 20) << "of " << survivors << " moved more than 50 px";
}

TEST(LayeredLayout, AnchoredToItselfDoesNotMove)
{
    const LayoutInput input = randomGraph(200, 3);
    const LayoutResult first = layeredLayout(input);
    std::vector<int> same(input.nodes.size());
    for (std::size_t i = 0; i < same.size(); ++i) same[i] = static_cast<int>(i);
    LayoutInput again = anchoredTo(input, first, same);
    for (std::size_t i = 0; i < again.edges.size(); ++i)
        for (std::size_t k = 0; k < first.routes[i].via.size(); ++k)
            again.edges[i].via.push_back(
                {first.routes[i].via[k].x, first.routes[i].via[k].y, first.ranks[again.edges[i].from] + 1 + static_cast<int>(k)});
    const LayoutResult second = layeredLayout(again);
    EXPECT_EQ(first.ranks, second.ranks);
    for (std::size_t i = 0; i < input.nodes.size(); ++i) {
        EXPECT_NEAR(first.centers[i].x, second.centers[i].x, 6) << i;
        EXPECT_NEAR(first.centers[i].y, second.centers[i].y, 0.01) << i;
    }
}

TEST(LayeredLayout, FiveThousandNodes)
{
    const LayoutInput input = randomGraph(5000, 5);
    expectSound(input, layeredLayout(input), 16);
}

TEST(LayeredLayout, TimeGrowsWithTheNodes)
{
    // Process time, not wall time: other programs share the machine; and the best of some, they share its caches, too.
    const auto secondsFor = [](const LayoutInput &input) {
        const std::clock_t start = std::clock();
        EXPECT_EQ(layeredLayout(input).centers.size(), input.nodes.size());
        return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    };
    const LayoutInput few = randomGraph(5000, 1), many = randomGraph(20000, 1);
    double ofFew = 1e9, ofMany = 1e9;
    for (int round = 0; round < 10 && (round < 2 || ofMany > 8 * ofFew); ++round) { // 4 where it grows as they do, 16 with their square
        ofFew = std::min(ofFew, secondsFor(few));
        ofMany = std::min(ofMany, secondsFor(many));
    }
    EXPECT_LT(ofMany, 8 * ofFew);
}

} // namespace
