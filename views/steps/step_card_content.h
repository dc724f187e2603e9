#pragma once

#include "views/graph/graph_scenes.h"
#include "views/steps/step_card.h"

#include <optional>

namespace views {

/// What step n replaced; nothing for the graph as written.
std::optional<StepCardContent> stepCardContent(const SessionData &session, GraphScenes &scenes, int step);

} // namespace views
