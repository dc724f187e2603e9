// Products and sums as people and gradients write them, opened to their factors and terms.
#pragma once

#include "engine/rewrite/build.h"

#include <vector>

namespace engine {

/// A product of floats seen through *, / and signs, equal factors cancelled. Looks only: nothing is opened for good.
struct Factors {
    std::vector<VarHandle> above, below;
    bool negative = false;
    /// Multiplies by v; divides where `below`.
    void take(VarHandle v, bool isBelow, int depth = 0);
};

/// The terms of a sum seen through additions, at most about eight.
void openSum(VarHandle v, ShortList<VarHandle, 16> &terms);

} // namespace engine
