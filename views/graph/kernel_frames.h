// The frame around nodes that one kernel runs together: pure geometry.
#pragma once

#include "views/graph/scene_layout.h"

#include <QPainterPath>

namespace views {

struct FrameShape {
    QPainterPath outline; // a rectangle where that holds no other node, else the members and free ways between them
    QRectF bounds;
    std::vector<QPointF> captionsAt; // upper left corner of each part: all carry the caption
};

// `padding` around each member. A member that cannot be reached past other nodes gets a frame of its own in the outline.
[[nodiscard]] FrameShape shapeOf(const SceneFrame &frame, const Scene &scene, const Picture &picture, double padding);

} // namespace views
