// Ops that carry a graph, with more digits.
#pragma once

#include "engine/values/reference.h"

namespace engine {

struct NestedReference {
    Reference worst = Reference::Precise;
    std::vector<std::string> notes; ///< of what is inside
};

/// Of a Scan, and of an op that runs its graph once. Throw NotPrecise.
NestedReference preciseScan(PreciseCall &call, ReferenceBudget &budget);
NestedReference preciseInner(PreciseCall &call, ReferenceBudget &budget);

} // namespace engine
