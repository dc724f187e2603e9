// A nest of loops over several operands: axes sorted and merged until as few as possible remain.
#pragma once

#include "engine/tensor/dims.h"

#include <cstdint>
#include <span>
#include <vector>

namespace engine {

struct LoopLayout {
    Dims shape;                ///< outermost first; empty for one element
    std::vector<Dims> strides; ///< per operand, bytes, same length as shape
    std::int64_t size() const { return shape.product(); }
};

/// Where an operand is contiguous across the rows, so many rows are taken together: lines of the cache are read whole.
inline constexpr std::int64_t kSquareRows = 16;

/// All operands have the rank of `shape`; stride 0 where an operand is broadcast. Axes are ordered by the strides of
/// operand `leader` (the output), size-1 axes go, neighbours that every operand walks through evenly are merged.
LoopLayout collapseLoops(std::span<const std::int64_t> shape, std::span<const Dims> strides, std::size_t leader);

} // namespace engine
