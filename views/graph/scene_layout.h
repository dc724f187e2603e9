// Where everything of a scene stands: boxes, curves, stubs. Needs fonts to measure, but no widget.
#pragma once

#include "views/graph/dot_worker/protocol.h"
#include "views/graph/grid_index.h"
#include "views/graph/layered_layout.h"
#include "views/graph/scene.h"

#include <QPainterPath>
#include <QPointF>
#include <QRectF>

#include <vector>

namespace views {

class Theme;

struct PictureNode {
    QRectF rect;
    QString title; // elided to the box
    QString subtitle;
};

struct PictureEdge {
    std::vector<QPointF> curve; // 3i + 1 Bezier points from base to slot; of a stub: two points, top and slot
    bool stub = false;
    bool upward = false; // until the whole is laid out anew
    QString stubText;
    double stubWidth = 0; // room for the text
    int ownFrom = 0;      // of the curve: what is before runs in a bundle
    int ownTo = -1;       // … and what is behind; -1: it is its own to the end
    QRectF bounds;        // with head and text
};

// What the next picture needs to stay close to this one. Positions are those of the node's own level.
struct PictureMemory {
    QHash<SceneKey, LayoutAnchor> nodes;
    QHash<QPair<quint64, quint64>, std::vector<LayoutAnchor>> routes; // by edge identity

    [[nodiscard]] bool isEmpty() const { return nodes.isEmpty(); }
};

// The frame around nodes that one kernel runs together.
struct FrameShape {
    QPainterPath outline; // a rectangle where that holds no other node, else the members and free ways between them
    QRectF bounds;
    bool whole = true;               // holds no other node
    std::vector<QPointF> captionsAt; // upper left corner of each part: all carry the caption
    QRectF closeAt;                  // of an opened group: its caption, which closes it
    QPointF anchor;                  // centre of the first member: where that moves, the frame goes along
};

// Edges that leave a node, or arrive at one, as far as they run together.
struct FanShape {
    int node = 0;
    bool out = true; // they leave it
    SceneEdgeKind kind = SceneEdgeKind::Data;
    int count = 0;
    QPointF root;        // at the node
    QPointF left, right; // of the line across
    QRectF bounds;
};

struct Picture {
    std::vector<PictureNode> nodes; // as in the scene
    std::vector<PictureEdge> edges;
    std::vector<FanShape> fans;
    std::vector<FrameShape> frames;
    QRectF bounds;
    PictureMemory memory;
    GridIndex nodeIndex, edgeIndex; // of what each covers, with rings and heads
};

struct PictureOptions {
    int stubSpan = 0;       // longer edges are drawn as stubs with a name; 0: by the size of the graph
    bool follow = false;    // `before` is advice (Graphviz's), not a picture that somebody looks at
    bool keepOrder = false; // with follow: left-to-right order is not advice but wanted
    bool apart = false;     // without follow: what is new stands in layers of its own
    bool beside = false;    // without follow: what is new stands where it pushes nothing aside
    bool keepLayers = true; // with follow: what stands in which layer is advice, too
};

// heirs: key of a gone node → key of the one that takes its place, so that it starts there.
[[nodiscard]] Picture layoutScene(const Scene &scene, const Theme &theme, const PictureMemory &before = {},
                                  const QHash<SceneKey, SceneKey> &heirs = {}, const PictureOptions &options = {});

// The outermost level as a question for Graphviz, and its answer as a memory for layoutScene.
struct DotQuestion {
    dot::Request request;
    std::vector<int> nodes; // scene index of each node asked for
    std::vector<int> edges;
};
[[nodiscard]] DotQuestion askDot(const Scene &scene, const Picture &picture, const Theme &theme);
[[nodiscard]] PictureMemory memoryOf(const Scene &scene, const DotQuestion &question, const dot::Answer &answer);

[[nodiscard]] QPointF pointOnCurve(const std::vector<QPointF> &curve, std::size_t segment, double t);
// Mean length of the edges drawn in full, px: long ones make a picture untidy.
[[nodiscard]] double meanEdgeLength(const Picture &picture);

} // namespace views
