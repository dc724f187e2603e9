// Copies of expressions with some variables replaced.
#pragma once

#include "engine/graph/ir/expression.h"

#include <span>
#include <vector>

namespace engine {

/// `outputs` with from[i] replaced by to[i]; what does not depend on a replaced variable is shared, not copied.
/// Replacements happen at once: none looks into another. Output types follow the new inputs (the op's rule).
/// Null outputs stay null.
std::vector<VarRef> substitute(std::span<const VarRef> outputs, std::span<const VarRef> from, std::span<const VarRef> to);

} // namespace engine
