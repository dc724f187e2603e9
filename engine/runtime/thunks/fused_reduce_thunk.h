// Reductions of elements that a scalar function makes: the interpreter's side of FusedReduce. The elements live in the
// first cache only; they are combined in the order in which CAReduce would combine an array of them.
#pragma once

#include "engine/rt/rt.h"
#include "engine/runtime/thunks/thunk.h"
#include "engine/scalar/scalar_op.h"

#include <memory>
#include <span>

namespace engine {

/// `element`: dtype of what `function` gives. `axes`: sorted axes of the broadcast inputs that vanish.
std::unique_ptr<Thunk> fusedReduceThunk(ScalarOpPtr function, DType element, RtReduce reduce, std::span<const int> axes, DType accumulator,
                                        const ThunkSpec &spec);

} // namespace engine
