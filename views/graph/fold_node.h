#pragma once

#include "views/graph/scene.h"

namespace views {

/// A closed group as a node: what it repeats and how often, or which line asked for it. Without numbers of the run.
[[nodiscard]] SceneNode foldNode(std::uint32_t graph, const profiler::Folding &folding, int group);

} // namespace views
