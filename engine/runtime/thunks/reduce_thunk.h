// Reductions over some axes: the interpreter's side of CAReduce.
#pragma once

#include "engine/rt/rt.h"
#include "engine/runtime/thunks/thunk.h"
#include "engine/scalar/row_parts.h"

#include <cstdint>
#include <memory>
#include <span>

namespace engine {

/// One result of very many elements, this many chunks at least: each is summed up by itself, the last one longer, and they are
/// combined in their order, whoever did them.
inline constexpr std::int64_t kChunk = std::int64_t(1) << 17, kLeastChunks = 4;

/// One input, one output. `axes`: sorted input axes that vanish; `accumulator`: dtype in which elements are combined.
std::unique_ptr<Thunk> reduceThunk(RtReduce kind, std::span<const int> axes, DType accumulator, const ThunkSpec &spec);

/// The kind in which elements are combined, and the value that changes nothing.
RtKind accumulatorKind(RtReduce reduce, DType accumulator);
void writeIdentity(RtReduce reduce, RtKind kind, void *place);
/// These axes as those of a row, if what they leave of so many lies together. Else none.
RowAxes rowAxesAmong(std::span<const int> axes, std::size_t rank);
/// `count` accumulators of that many bytes (1, 4, 8 or 16), one behind the other.
void fillIdentities(const void *identity, std::size_t bytes, void *accumulators, std::int64_t count);

} // namespace engine
