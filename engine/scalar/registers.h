// How dtypes of memory map to the interpreter's registers, and the scratch memory that thunks of a thread share.
#pragma once

#include "engine/rt/rt.h"
#include "engine/scalar/scalar_op.h"
#include "engine/tensor/dtype.h"

#include <cstddef>
#include <optional>

namespace engine {

/// Elements that one pass of the interpreter works on: a handful of blocks fits into the first cache.
inline constexpr long kBlockElements = 512;

RtKind registerKind(DType dtype);
/// Is memory of that dtype a register as it stands (no conversion on load and store)?
bool isNativeRegister(DType dtype);
/// What memory of a register's own kind holds.
DType nativeDType(RtKind kind);
std::size_t registerBytes(RtKind kind);
inline RtDType rtDType(DType dtype) { return static_cast<RtDType>(dtype); }
/// From a register to that of `to`; what it can hold beyond `to` is left to wraps[] and stores[].
RtLoop castLoop(RtKind from, DType to);

/// The primitive for a scalar function; nothing for Cast, Second and Composite.
std::optional<RtOp> primitiveOf(ScalarCode code);
/// Is the result a bool whatever the arguments are?
bool isTest(RtOp op);
/// Is the result among the arguments (or a bool), so that a narrow dtype cannot overflow?
bool staysInRange(RtOp op);

/// At least `bytes` of 64-byte aligned memory of this thread; valid until the next call on the thread.
void *threadScratch(std::size_t bytes);

} // namespace engine
