// The values of shared variables, which any thread may set while functions that use them run.
#pragma once

#include "engine/graph/ir/expression.h"

namespace engine {

/// The value of now. Whoever holds it keeps its memory, whatever is set meanwhile.
Value sharedValue(const Container &container);
/// What was there before is let go of here, unless somebody holds it.
void setSharedValue(Container &container, Value value);

} // namespace engine
