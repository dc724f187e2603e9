#include "views/graph/layered_detail.h"

#include <algorithm>
#include <cmath>

namespace views::layered {

std::vector<double> placeInOrder(const std::vector<double> &target, const std::vector<double> &weight, const std::vector<double> &spacing)
{
    struct Block {
        double sum, weight;
        std::size_t count;
    };
    // Taking the accumulated spacing off turns "in order, with distances" into plain monotone regression;
    // pooling adjacent violators solves that exactly in linear time.
    std::vector<double> shift(target.size(), 0);
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < target.size(); ++i) {
        shift[i] = i == 0 ? 0 : shift[i - 1] + spacing[i];
        Block block{(target[i] - shift[i]) * weight[i], weight[i], 1};
        while (!blocks.empty() && blocks.back().sum * block.weight > block.sum * blocks.back().weight) {
            block.sum += blocks.back().sum;
            block.weight += blocks.back().weight;
            block.count += blocks.back().count;
            blocks.pop_back();
        }
        blocks.push_back(block);
    }
    std::vector<double> result(target.size(), 0);
    std::size_t i = 0;
    for (const Block &block : blocks)
        for (std::size_t k = 0; k < block.count; ++k, ++i) result[i] = block.sum / block.weight + shift[i];
    return result;
}

double gapBetween(const Work &work, int left, int right)
{
    const bool lanes = work.isLane(left) && work.isLane(right);
    const bool thin = (work.isLane(left) && work.width[left] <= 0) || (work.isLane(right) && work.width[right] <= 0);
    if (thin) return lanes ? 0 : work.options.gapX / 2; // between two nodes they are as far apart as without it
    return lanes ? work.options.laneWidth / 2 : work.options.gapX;
}

namespace {

void solveLayer(Work &work, const std::vector<int> &layer, bool useUp, bool useDown)
{
    std::vector<double> target(layer.size()), weight(layer.size()), spacing(layer.size(), 0);
    for (std::size_t i = 0; i < layer.size(); ++i) {
        const int node = layer[i];
        if (i > 0) spacing[i] = (work.width[layer[i - 1]] + work.width[node]) / 2 + gapBetween(work, layer[i - 1], node);
        double sum = 0, total = 0;
        auto pull = [&](const std::vector<Link> &links) {
            for (const Link &link : links) {
                sum += (work.x[link.node] + link.offset) * link.weight;
                total += link.weight;
            }
        };
        if (useUp) pull(work.up[node]);
        if (useDown) pull(work.down[node]);
        if (!std::isnan(work.anchorX[node])) {
            const double stay = work.options.stay * (work.isLane(node) ? 1 : 8);
            sum += work.anchorX[node] * stay;
            total += stay;
        }
        if (total == 0) { // nothing pulls: it yields to everybody
            total = 0.05;
            sum = work.x[node] * total;
        }
        target[i] = sum / total;
        weight[i] = total;
    }
    const std::vector<double> placed = placeInOrder(target, weight, spacing);
    for (std::size_t i = 0; i < layer.size(); ++i) work.x[layer[i]] = placed[i];
}

} // namespace

void placeX(Work &work)
{
    const int count = static_cast<int>(work.layers.size());
    const int sweeps = work.options.xSweeps;
    for (int round = 0; round < sweeps; ++round) {
        const bool both = round + 3 >= sweeps;
        const bool downwards = round % 2 == 0;
        for (int step = 0; step < count; ++step) {
            const auto &layer = work.layers[downwards ? step : count - 1 - step];
            solveLayer(work, layer, both || downwards, both || !downwards);
        }
    }
}

// A passing edge goes straight down as far as its neighbours leave room, and turns only where it must.
void straightenLanes(Work &work)
{
    std::vector<double> low, high;
    for (std::size_t edge = 0; edge < work.lanes.size(); ++edge) {
        const auto &lanes = work.lanes[edge];
        if (lanes.empty()) continue;
        low.assign(lanes.size(), -1e18);
        high.assign(lanes.size(), 1e18);
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            const int lane = lanes[i];
            const auto &layer = work.layers[work.rank[lane]];
            const int at = work.position[lane];
            auto reach = [&](int left, int right) { return (work.width[left] + work.width[right]) / 2 + gapBetween(work, left, right); };
            if (at > 0) low[i] = work.x[layer[at - 1]] + reach(layer[at - 1], lane);
            if (at + 1 < static_cast<int>(layer.size())) high[i] = work.x[layer[at + 1]] - reach(lane, layer[at + 1]);
            // Rounding in the sweeps may leave a hair less than the room asked for.
            low[i] = std::min(low[i], work.x[lane]);
            high[i] = std::max(high[i], work.x[lane]);
        }
        const LayoutEdge &ends = work.input.edges[edge];
        double prefer = work.x[ends.from];
        for (std::size_t first = 0; first < lanes.size();) {
            double from = low[first], to = high[first];
            std::size_t last = first + 1;
            for (; last < lanes.size() && std::max(from, low[last]) <= std::min(to, high[last]); ++last) {
                from = std::max(from, low[last]);
                to = std::min(to, high[last]);
            }
            // The last run aims at the slot, unless it can also come straight from above.
            if (last == lanes.size() && (first > 0 || prefer < from || prefer > to)) prefer = work.x[ends.to] + ends.slot;
            prefer = std::clamp(prefer, from, to);
            for (; first < last; ++first) work.x[lanes[first]] = prefer;
        }
    }
}

std::vector<LayoutPoint> placeLayers(const Work &work)
{
    const std::size_t count = work.layers.size();
    const auto &options = work.options;
    std::vector<double> height(count, 0), gap(count, options.gapY), reach(count, 0);
    std::vector<double> wanted(count, 0), weight(count, 1e-6);
    for (int node = 0; node < work.realCount; ++node) {
        const int rank = work.rank[node];
        height[rank] = std::max(height[rank], work.input.nodes[node].height);
    }
    for (int node = 0; node < static_cast<int>(work.width.size()); ++node)
        for (const Link &link : work.up[node])
            reach[work.rank[node]] = std::max(reach[work.rank[node]], std::abs(work.x[link.node] + link.offset - work.x[node]));
    for (std::size_t i = 0; i < work.input.edges.size(); ++i)
        if (work.stub[i]) {
            double &room = gap[work.rank[work.input.edges[i].to]];
            room = std::max(room, options.gapY + options.stubRoom);
        }
    // Flat curves are hard to follow: layers that far edges cross stand further apart.
    for (std::size_t layer = 0; layer < count; ++layer) gap[layer] += std::min(options.gapY * 1.5, std::max(0.0, reach[layer] - 80) * 0.07);

    // In a picture that continues another, closer is allowed: nothing else moves for what is new.
    const bool continued = !work.layerY.empty();
    constexpr double kCloser = 0.4;
    std::vector<double> spacing(count, 0);
    double at = 0;
    for (std::size_t layer = 0; layer < count; ++layer) {
        if (layer > 0) {
            const double room = continued ? options.gapY * kCloser : gap[layer];
            spacing[layer] = (height[layer - 1] + height[layer]) / 2 + (height[layer] > 0 ? room : 0);
        }
        at += spacing[layer];
        wanted[layer] = continued ? work.layerY[layer] : at;
        if (continued) weight[layer] = std::max(work.layerVotes[layer], 0.01);
    }
    const std::vector<double> middle = continued ? placeInOrder(wanted, weight, spacing) : wanted;
    std::vector<LayoutPoint> layers(count);
    for (std::size_t layer = 0; layer < count; ++layer)
        layers[layer] = {middle[layer] - height[layer] / 2, middle[layer] + height[layer] / 2};
    return layers;
}

} // namespace views::layered
