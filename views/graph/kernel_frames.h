// The frames around nodes that one kernel runs together: pure geometry.
#pragma once

#include "views/graph/scene_layout.h"

namespace views {

// One for each frame of the scene, `padding` around each member; the picture has its boxes and their index. A member that
// cannot be reached past other nodes gets a frame of its own in the outline.
[[nodiscard]] std::vector<FrameShape> shapesOf(const Scene &scene, const Picture &picture, double padding);

} // namespace views
