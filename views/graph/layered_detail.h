// The working state of layeredLayout, shared by its stages; nobody else includes this.
#pragma once

#include "views/graph/layered_layout.h"

namespace views::layered {

// What a node sees of a neighbour in the next layer: it would like to stand at x[node] + offset.
struct Link {
    int node = 0;
    double offset = 0;
    double weight = 1;
};

struct Work {
    const LayoutInput &input;
    const LayoutOptions &options;
    int realCount = 0; // nodes from here on are lanes of edges that pass a layer
    bool anchored = false;
    std::vector<int> topological;
    std::vector<int> rank;
    std::vector<double> width;
    std::vector<double> x;
    std::vector<double> anchorX; // NaN where there is none
    std::vector<std::vector<Link>> up, down;
    std::vector<std::vector<int>> layers;
    std::vector<int> position;           // in its layer
    std::vector<std::vector<int>> lanes; // by edge
    std::vector<char> stub, backward;    // by edge
    std::vector<char> thin;              // by edge: it takes no room
    std::vector<char> upward;            // by edge: ends no lower than it starts, for survivors stay where they are
    // In a picture that continues another: where each layer would like to be, and how many survivors stand there.
    std::vector<double> layerY, layerVotes;

    [[nodiscard]] bool isLane(int node) const { return node >= realCount; }
};

// Edges by their ends, as indices into the input's.
struct EdgesOf {
    std::vector<std::vector<int>> in, out;
};

// Weighted isotonic regression: positions with at least spacing[i] between i-1 and i, nearest to the targets.
std::vector<double> placeInOrder(const std::vector<double> &target, const std::vector<double> &weight, const std::vector<double> &spacing);

// What neighbours in a layer keep between them.
double gapBetween(const Work &work, int left, int right);

void assignRanks(Work &work);
void rankByHeight(Work &work, const EdgesOf &edges);
void buildLanes(Work &work);
void orderLayers(Work &work);
void placeX(Work &work);
void straightenLanes(Work &work);
std::vector<LayoutPoint> placeLayers(const Work &work);
[[nodiscard]] std::size_t crossings(const Work &work);

} // namespace views::layered
