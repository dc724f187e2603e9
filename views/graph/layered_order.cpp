#include "views/graph/layered_detail.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace views::layered {
namespace {

void renumber(Work &work, const std::vector<int> &layer)
{
    for (std::size_t i = 0; i < layer.size(); ++i) work.position[layer[i]] = static_cast<int>(i);
}

// Depth first from the sinks upwards, arguments in order: what belongs together starts together.
void initialOrder(Work &work)
{
    const int count = static_cast<int>(work.width.size());
    for (auto &links : work.up) // an up link's offset is minus its slot
        std::stable_sort(links.begin(), links.end(), [](const Link &a, const Link &b) { return a.offset > b.offset; });
    std::vector<char> seen(count, 0);
    std::vector<int> stack;
    auto visitFrom = [&](int start) {
        stack.push_back(start);
        while (!stack.empty()) {
            const int node = stack.back();
            stack.pop_back();
            if (seen[node]) continue;
            seen[node] = 1;
            work.layers[work.rank[node]].push_back(node);
            for (auto it = work.up[node].rbegin(); it != work.up[node].rend(); ++it) stack.push_back(it->node);
        }
    };
    for (int node : work.topological)
        if (work.down[node].empty()) visitFrom(node);
    for (int node = 0; node < count; ++node)
        if (!seen[node]) visitFrom(node);
}

// Slot offsets break ties between arguments of one node; they are small against the distance of neighbours.
double slotBias(double offset) { return std::clamp(offset / 400.0, -0.45, 0.45); }

// Counts inversions of where the edges between two layers end; two edges into one apply may cross by their slots too.
std::size_t crossingsBetween(const Work &work, int upper, std::vector<int> &tree, std::vector<std::pair<int, double>> &ends)
{
    using End = std::pair<int, double>;
    ends.clear();
    for (int node : work.layers[upper])
        for (const Link &link : work.down[node]) ends.emplace_back(work.position[link.node], link.offset);
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    tree.assign(ends.size() + 1, 0);
    std::size_t total = 0, inserted = 0;
    std::vector<std::size_t> mine;
    for (int node : work.layers[upper]) {
        mine.clear();
        for (const Link &link : work.down[node]) {
            const End end{work.position[link.node], link.offset};
            mine.push_back(std::lower_bound(ends.begin(), ends.end(), end) - ends.begin() + 1);
        }
        for (std::size_t place : mine) {
            std::size_t notRight = 0;
            for (std::size_t j = place; j > 0; j -= j & (~j + 1)) notRight += tree[j];
            total += inserted - notRight;
        }
        for (std::size_t place : mine)
            for (std::size_t j = place; j < tree.size(); j += j & (~j + 1)) ++tree[j];
        inserted += mine.size();
    }
    return total;
}

void sweep(Work &work, bool downwards, std::vector<double> &key)
{
    const int count = static_cast<int>(work.layers.size());
    for (int step = 0; step < count; ++step) {
        auto &layer = work.layers[downwards ? step : count - 1 - step];
        for (int node : layer) {
            const auto &links = downwards ? work.up[node] : work.down[node];
            if (links.empty()) {
                key[node] = work.position[node];
                continue;
            }
            double sum = 0;
            for (const Link &link : links) {
                const double size = static_cast<double>(work.layers[work.rank[link.node]].size());
                sum += (work.position[link.node] + 0.5 + slotBias(link.offset)) / size;
            }
            key[node] = sum / static_cast<double>(links.size()) * static_cast<double>(layer.size()) - 0.5;
        }
        std::stable_sort(layer.begin(), layer.end(), [&](int a, int b) { return key[a] < key[b]; });
        renumber(work, layer);
    }
}

// Crossings of the edges of a and b when a stands left of b.
long pairCrossings(const std::vector<std::pair<int, double>> &a, const std::vector<std::pair<int, double>> &b)
{
    long total = 0;
    for (const auto &left : a)
        for (const auto &right : b) total += left > right;
    return total;
}

// Exchanges neighbours while that takes crossings away; catches what averages cannot see.
void exchangeNeighbours(Work &work)
{
    constexpr std::size_t kTooManyLinks = 24;
    std::vector<std::pair<int, double>> ends[4];
    auto collect = [&](const std::vector<Link> &links, std::vector<std::pair<int, double>> &out) {
        out.clear();
        for (const Link &link : links) out.emplace_back(work.position[link.node], link.offset);
    };
    for (int round = 0; round < 6; ++round) {
        bool improved = false;
        for (auto &layer : work.layers) {
            for (std::size_t i = 0; i + 1 < layer.size(); ++i) {
                const int a = layer[i], b = layer[i + 1];
                if (work.up[a].size() + work.down[a].size() + work.up[b].size() + work.down[b].size() > kTooManyLinks) continue;
                collect(work.up[a], ends[0]);
                collect(work.up[b], ends[1]);
                collect(work.down[a], ends[2]);
                collect(work.down[b], ends[3]);
                const long now = pairCrossings(ends[0], ends[1]) + pairCrossings(ends[2], ends[3]);
                const long then = pairCrossings(ends[1], ends[0]) + pairCrossings(ends[3], ends[2]);
                if (then < now) {
                    std::swap(layer[i], layer[i + 1]);
                    renumber(work, layer);
                    improved = true;
                }
            }
        }
        if (!improved) break;
    }
}

// What is new leaves the layer and comes back where nothing has to make room for it, nearest to where it would like to be.
void standBeside(Work &work, std::vector<int> &layer)
{
    const auto isNew = [&](int node) { return !work.isLane(node) && std::isnan(work.anchorX[node]); };
    const auto firstNew = std::stable_partition(layer.begin(), layer.end(), [&](int node) { return !isNew(node); });
    const std::vector<int> fresh(firstNew, layer.end());
    layer.erase(firstNew, layer.end());
    for (int node : fresh) {
        const double wanted = work.x[node];
        const auto reach = [&](int left, int right) { return (work.width[left] + work.width[right]) / 2 + gapBetween(work, left, right); };
        double best = std::numeric_limits<double>::infinity();
        std::size_t place = 0;
        for (std::size_t at = 0; at <= layer.size(); ++at) {
            const double low = at == 0 ? -std::numeric_limits<double>::infinity() : work.x[layer[at - 1]] + reach(layer[at - 1], node);
            const double high = at == layer.size() ? std::numeric_limits<double>::infinity() : work.x[layer[at]] - reach(node, layer[at]);
            if (low > high) continue;
            const double x = std::clamp(wanted, low, high);
            if (std::abs(x - wanted) >= std::abs(best - wanted)) continue;
            best = x;
            place = at;
        }
        work.x[node] = best;
        layer.insert(layer.begin() + static_cast<std::ptrdiff_t>(place), node);
    }
}

// New nodes start at the mean of their placed neighbours; old ones keep their left-to-right order by their old x.
void orderByAnchors(Work &work)
{
    work.x = work.anchorX;
    for (int round = 0; round < 6; ++round) {
        for (std::size_t node = 0; node < work.x.size(); ++node) {
            if (!std::isnan(work.anchorX[node])) continue;
            double sum = 0;
            int count = 0;
            for (const auto *links : {&work.up[node], &work.down[node]})
                for (const Link &link : *links)
                    if (!std::isnan(work.x[link.node])) {
                        sum += work.x[link.node] + link.offset;
                        ++count;
                    }
            if (count > 0) work.x[node] = sum / count;
        }
    }
    for (double &x : work.x)
        if (std::isnan(x)) x = 0;
    for (auto &layer : work.layers) {
        std::stable_sort(layer.begin(), layer.end(), [&](int a, int b) { return work.x[a] < work.x[b]; });
        if (work.options.beside) standBeside(work, layer);
        renumber(work, layer);
    }
}

} // namespace

std::size_t crossings(const Work &work)
{
    std::vector<int> tree;
    std::vector<std::pair<int, double>> ends;
    std::size_t total = 0;
    for (int layer = 0; layer + 1 < static_cast<int>(work.layers.size()); ++layer) total += crossingsBetween(work, layer, tree, ends);
    return total;
}

void orderLayers(Work &work)
{
    int layerCount = 0;
    for (int rank : work.rank) layerCount = std::max(layerCount, rank + 1);
    work.layers.assign(layerCount, {});
    work.position.assign(work.width.size(), 0);
    initialOrder(work);
    for (const auto &layer : work.layers) renumber(work, layer);
    if (work.anchored) {
        orderByAnchors(work);
        if (work.options.reorder) {
            const std::vector<int> before = work.position;
            exchangeNeighbours(work);
            for (std::size_t node = 0; node < before.size(); ++node)
                if (before[node] != work.position[node]) // its old x belongs to somebody else now
                    work.anchorX[node] = std::numeric_limits<double>::quiet_NaN();
        }
        return;
    }
    constexpr std::size_t kExchangeLimit = 6000;
    const bool exchange = work.width.size() <= kExchangeLimit;
    std::vector<double> key(work.width.size(), 0);
    auto best = work.layers;
    std::size_t fewest = crossings(work);
    int stale = 0;
    for (int round = 0; round < work.options.orderSweeps && fewest > 0 && stale < 4; ++round) {
        sweep(work, round % 2 == 0, key);
        if (exchange) exchangeNeighbours(work);
        const std::size_t now = crossings(work);
        if (now < fewest) {
            fewest = now;
            best = work.layers;
            stale = 0;
        } else {
            ++stale;
        }
    }
    work.layers = std::move(best);
    work.x.assign(work.width.size(), 0);
    for (const auto &layer : work.layers) {
        renumber(work, layer);
        double at = 0;
        for (int node : layer) {
            work.x[node] = at + work.width[node] / 2;
            at += work.width[node] + work.options.gapX;
        }
        for (int node : layer) work.x[node] -= at / 2;
    }
}

} // namespace views::layered
