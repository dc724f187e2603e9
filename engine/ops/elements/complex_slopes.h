// Gradients through complex numbers.
#pragma once

#include "engine/graph/ir/expression.h"

#include <functional>
#include <span>
#include <vector>

namespace engine {

/// The gradient of a cost by a complex number is ∂/∂re + i·∂/∂im: it is multiplied by the conjugate of a slope, and a real input gets the
/// real part. `slopes` gives the terms as of real numbers.
std::vector<VarRef> throughConjugates(const Apply &node, std::span<const VarRef> outputGrads,
                                      const std::function<std::vector<VarRef>(std::span<const VarRef>)> &slopes);

} // namespace engine
