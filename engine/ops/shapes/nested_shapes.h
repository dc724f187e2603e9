// Shapes of an expression, derived with the shape builder of the apply that contains it (OpFromGraph).
#pragma once

#include "engine/graph/op/op.h"

#include <optional>

namespace engine {

/// Sizes of `graph.outputs` where the inputs have the sizes and values that `outer` knows of the apply's inputs.
std::optional<std::vector<SymShape>> nestedShapes(const InnerGraph &graph, ShapeBuilder &outer);

/// Values of 0-d integer `expressions` of the apply's own `inputs` and of variables whose values are symbols.
std::optional<std::vector<Sym>> nestedValues(const std::vector<VarRef> &inputs, const std::vector<std::pair<VarRef, Sym>> &known,
                                             const std::vector<VarRef> &expressions, ShapeBuilder &outer);

} // namespace engine
