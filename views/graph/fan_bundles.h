// Many edges that leave one node, or arrive at one, run together as far as they can: a trunk, a line across, and from there each by itself.
#pragma once

#include "views/graph/scene_layout.h"

namespace views {

// Bends the curves of fans in the outermost level and notes their bundles. Curves are finished, bounds of edges are made anew.
void bundleFans(const Scene &scene, Picture &picture, double px);

} // namespace views
