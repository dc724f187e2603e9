#include "views/graph/layered_detail.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace views::layered {
namespace {

// Kahn's order; where only cycles are left, the lowest node is forced and its open in-edges count as backward.
void sortTopologically(Work &work, const std::vector<std::vector<int>> &outEdges)
{
    const auto &edges = work.input.edges;
    std::vector<int> open(work.realCount, 0);
    for (const LayoutEdge &edge : edges)
        if (edge.from != edge.to) ++open[edge.to];
    std::vector<char> done(work.realCount, 0);
    auto &order = work.topological;
    order.reserve(work.realCount);
    std::size_t head = 0;
    int forced = 0;
    for (int node = 0; node < work.realCount; ++node)
        if (open[node] == 0) {
            order.push_back(node);
            done[node] = 1;
        }
    while (static_cast<int>(order.size()) < work.realCount || head < order.size()) {
        if (head == order.size()) {
            while (done[forced]) ++forced;
            order.push_back(forced);
            done[forced] = 1;
        }
        const int node = order[head++];
        for (int index : outEdges[node]) {
            const int to = edges[index].to;
            if (to == node || done[to]) continue;
            if (--open[to] == 0) {
                order.push_back(to);
                done[to] = 1;
            }
        }
    }
    std::vector<int> place(work.realCount, 0);
    for (int i = 0; i < work.realCount; ++i) place[order[i]] = i;
    for (std::size_t i = 0; i < edges.size(); ++i) work.backward[i] = place[edges[i].from] >= place[edges[i].to];
}

void rankByEdges(Work &work, const EdgesOf &edgesOf)
{
    const auto &nodes = work.input.nodes;
    const auto &edges = work.input.edges;
    const auto &[inEdges, outEdges] = edgesOf;
    const auto isKept = [&](int node) { return nodes[node].anchor && work.options.keepRank; };
    auto &rank = work.rank;
    for (int node : work.topological) {
        for (int index : inEdges[node]) rank[node] = std::max(rank[node], rank[edges[index].from] + 1);
        if (isKept(node)) rank[node] = std::max(rank[node], nodes[node].anchor->rank);
    }
    // What could stand lower without lengthening more edges than it shortens, does.
    for (auto it = work.topological.rbegin(); it != work.topological.rend(); ++it) {
        const int node = *it;
        if (nodes[node].top || isKept(node)) continue;
        int lowest = std::numeric_limits<int>::max();
        int outCount = 0;
        for (int index : outEdges[node]) {
            if (work.backward[index]) continue;
            lowest = std::min(lowest, rank[edges[index].to] - 1);
            ++outCount;
        }
        if (outCount == 0) continue;
        int inCount = 0;
        for (int index : inEdges[node]) inCount += inEdges[edges[index].from].empty() && outEdges[edges[index].from].size() == 1 ? 0 : 1;
        if (outCount >= inCount) rank[node] = std::max(rank[node], lowest);
    }
}

} // namespace

void assignRanks(Work &work)
{
    const auto &edges = work.input.edges;
    EdgesOf edgesOf{std::vector<std::vector<int>>(work.realCount), std::vector<std::vector<int>>(work.realCount)};
    for (std::size_t i = 0; i < edges.size(); ++i) edgesOf.out[edges[i].from].push_back(static_cast<int>(i));
    sortTopologically(work, edgesOf.out);
    for (std::size_t i = 0; i < edges.size(); ++i)
        if (!work.backward[i]) edgesOf.in[edges[i].to].push_back(static_cast<int>(i));
    auto &rank = work.rank;
    rank.assign(work.realCount, 0);
    if (work.anchored && work.options.keepY) rankByHeight(work, edgesOf);
    else rankByEdges(work, edgesOf);
    // A picture that was stepped through has empty layers: they make no edge long.
    std::vector<int> filled(work.realCount + 1, 0);
    for (int node = 0; node < work.realCount; ++node) {
        filled.resize(std::max<std::size_t>(filled.size(), rank[node] + 2), 0);
        filled[rank[node] + 1] = 1;
    }
    for (std::size_t layer = 1; layer < filled.size(); ++layer) filled[layer] += filled[layer - 1];
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const int span = filled[rank[edges[i].to]] - filled[rank[edges[i].from]];
        work.upward[i] = !work.backward[i] && rank[edges[i].to] <= rank[edges[i].from];
        work.stub[i] = work.backward[i] || span > work.options.maxSpan;
    }
}

// Whether an earlier route passed this layer there.
static bool isAt(const Work &work, const LayoutAnchor &point, int layer)
{
    constexpr double kNear = 12; // px: layers shift a little
    return work.layerY.empty() ? point.rank == layer : std::abs(point.y - work.layerY[static_cast<std::size_t>(layer)]) < kNear;
}

void buildLanes(Work &work)
{
    const auto &edges = work.input.edges;
    const int n = work.realCount;
    work.up.assign(n, {});
    work.down.assign(n, {});
    std::vector<int> inCount(n, 0), outCount(n, 0);
    for (std::size_t i = 0; i < edges.size(); ++i)
        if (!work.stub[i] && !work.upward[i]) {
            ++outCount[edges[i].from];
            ++inCount[edges[i].to];
        }
    auto link = [&](int above, int below, double slot, double weight) {
        work.down[above].push_back({below, slot, weight});
        work.up[below].push_back({above, -slot, weight});
    };
    for (std::size_t i = 0; i < edges.size(); ++i) {
        if (work.stub[i] || work.upward[i]) continue;
        const LayoutEdge &edge = edges[i];
        const int first = work.rank[edge.from], last = work.rank[edge.to];
        const auto &anchorFrom = work.input.nodes[edge.from].anchor;
        const auto &anchorTo = work.input.nodes[edge.to].anchor;
        int above = edge.from;
        work.thin[i] = edge.via.empty() ? work.options.apart || work.options.beside : edge.via.front().thin;
        for (int layer = first + 1; layer < last; ++layer) {
            const int lane = static_cast<int>(work.width.size());
            work.width.push_back(work.thin[i] ? 0 : work.options.laneWidth);
            work.rank.push_back(layer);
            double at = std::numeric_limits<double>::quiet_NaN();
            for (const LayoutAnchor &point : edge.via)
                if (isAt(work, point, layer)) at = point.x;
            if (std::isnan(at) && anchorFrom && anchorTo)
                at = anchorFrom->x + (anchorTo->x + edge.slot - anchorFrom->x) * (layer - first) / (last - first);
            work.anchorX.push_back(at);
            work.up.emplace_back();
            work.down.emplace_back();
            link(above, lane, 0, above >= n ? 8 : 2);
            work.lanes[i].push_back(lane);
            above = lane;
        }
        const bool chain = outCount[edge.from] == 1 && inCount[edge.to] == 1;
        link(above, edge.to, edge.slot, above >= n ? 2 : chain ? 6 : 1);
    }
}

} // namespace views::layered
