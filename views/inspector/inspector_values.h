#pragma once

#include "views/inspector/inspector_view.h"
#include "views/session/value_marks.h"

namespace views {

/// What the inspector says of the values of a node in the call that was looked at: one block for each result.
std::vector<InspectorContent::Values> valuesOf(const ValueMarks::OfNode &node);

} // namespace views
