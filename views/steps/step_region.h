// The part of a graph that one step replaced, before and after it, with what it read as inputs.
#pragma once

#include "views/graph/scene_builder.h"

namespace views {

struct StepRegion {
    Scene before;
    Scene after;
    int in = 0;  // applies that went
    int out = 0; // applies that came
};

// The scenes hold what the step touched and who read what went, or all of the graph. Boundary nodes have the same keys on both sides, and
// stand in the same order. Build both scenes with inlineConstants = false: a step that only touches small constants would have nothing to
// show.
[[nodiscard]] StepRegion stepRegion(const Scene &before, const Scene &after, const StepMarks &marks);

} // namespace views
