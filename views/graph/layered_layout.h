// A layered drawing of a directed graph, top to bottom: pure geometry, no Qt, any thread.
// Given anchors (where nodes were in the picture before) the result stays close to them, so that stepping does not jump.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace views {

struct LayoutPoint {
    double x = 0;
    double y = 0;
    bool operator==(const LayoutPoint &) const = default;
};

// Where a node was before; rank is the layer it was in.
struct LayoutAnchor {
    double x = 0;
    double y = 0;
    int rank = 0;
    bool thin = false; // of a route: it was squeezed through where nothing made room for it
};

struct LayoutNode {
    double width = 0;
    double height = 0;
    bool top = false; // pinned to the first layer: inputs
    std::optional<LayoutAnchor> anchor;
};

struct LayoutEdge {
    int from = 0;
    int to = 0;
    double slot = 0;               // where it arrives, as x offset from the centre of `to`
    std::vector<LayoutAnchor> via; // of an earlier route, by layer; empty when there was none
};

struct LayoutInput {
    std::vector<LayoutNode> nodes;
    std::vector<LayoutEdge> edges;
};

struct LayoutOptions {
    int maxSpan = 12; // longer edges become stubs and do not shape the picture
    double gapX = 16;
    double gapY = 28;
    double laneWidth = 8; // room that a passing edge takes in a layer
    double stubRoom = 20; // extra height above a layer in which a stub arrives
    int orderSweeps = 12;
    int xSweeps = 14;
    double stay = 6;      // how strongly an anchored node keeps its x
    bool keepY = true;    // anchored nodes keep their height as well
    bool keepRank = true; // with keepY off: anchored nodes keep their layer; else only their order is kept
    bool apart = false;   // with keepY: what is new shares no layer with what was there, and new edges get no room
    bool beside = false;  // with keepY: what is new stands in gaps of its layer, or at its ends, and new edges get no room
    bool reorder = false; // anchored neighbours may still change places where that takes crossings away
};

struct LayoutRoute {
    bool stub = false;
    bool backward = false;        // closes a cycle; always a stub
    bool thin = false;            // passes where nothing made room for it
    bool upward = false;          // in a picture that continues another: passes no layer
    std::vector<LayoutPoint> via; // centres of the lanes it passes, top to bottom
};

struct LayoutResult {
    std::vector<LayoutPoint> centers;
    std::vector<int> ranks;
    std::vector<LayoutRoute> routes;
    std::vector<LayoutPoint> layers; // top (x) and bottom (y) of every layer
    bool cyclic = false;
};

// Never fails: a cyclic graph is laid out with its backward edges as stubs. Same input, same result.
[[nodiscard]] LayoutResult layeredLayout(const LayoutInput &input, const LayoutOptions &options = {});

} // namespace views
