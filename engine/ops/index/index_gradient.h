// Gradients of every op that reads or writes at an index: what is read there is written there, and the other way.
// Inputs of a reading op: x, the indices; of a writing one: x, y, the indices.
#pragma once

#include "engine/graph/op/op.h"

namespace engine {

/// `increase` adds its second input into its first at the same indices.
std::vector<VarRef> gradientOfRead(const Apply &node, const VarRef &outputGrad, const OpRef &increase);
/// `read` reads at the same indices, `erase` writes zeros there; null: the op increases and erases nothing.
std::vector<VarRef> gradientOfWrite(const Apply &node, const VarRef &outputGrad, const OpRef &read, const OpRef &erase);
/// The op at the directions of its first `values` inputs; the others are indices.
std::vector<VarRef> directionAtIndex(const Apply &node, std::span<const VarRef> evalPoints, std::size_t values);

} // namespace engine
