#include "views/graph/layered_layout.h"

#include "views/graph/layered_detail.h"

#include <algorithm>
#include <limits>

namespace views {

LayoutResult layeredLayout(const LayoutInput &input, const LayoutOptions &options)
{
    layered::Work work{input, options};
    work.realCount = static_cast<int>(input.nodes.size());
    work.stub.assign(input.edges.size(), 0);
    work.backward.assign(input.edges.size(), 0);
    work.upward.assign(input.edges.size(), 0);
    work.thin.assign(input.edges.size(), 0);
    work.lanes.assign(input.edges.size(), {});
    for (const LayoutNode &node : input.nodes) {
        work.width.push_back(node.width);
        work.anchorX.push_back(node.anchor ? node.anchor->x : std::numeric_limits<double>::quiet_NaN());
        work.anchored = work.anchored || node.anchor.has_value();
    }
    layered::assignRanks(work);
    layered::buildLanes(work);
    layered::orderLayers(work);
    layered::placeX(work);
    layered::straightenLanes(work);

    LayoutResult result;
    result.layers = layered::placeLayers(work);
    auto point = [&](int node) {
        const LayoutPoint &layer = result.layers[work.rank[node]];
        return LayoutPoint{work.x[node], (layer.x + layer.y) / 2};
    };
    result.ranks.assign(work.rank.begin(), work.rank.begin() + work.realCount);
    result.centers.reserve(work.realCount);
    for (int node = 0; node < work.realCount; ++node) result.centers.push_back(point(node));
    result.routes.resize(input.edges.size());
    for (std::size_t i = 0; i < input.edges.size(); ++i) {
        LayoutRoute &route = result.routes[i];
        route.stub = work.stub[i];
        route.backward = work.backward[i];
        route.upward = work.upward[i];
        route.thin = work.thin[i];
        result.cyclic = result.cyclic || route.backward;
        for (int lane : work.lanes[i]) route.via.push_back(point(lane));
    }
    return result;
}

} // namespace views
