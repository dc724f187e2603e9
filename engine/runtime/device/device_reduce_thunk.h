// Reductions over arrays of a device: the device's side of CAReduce and FusedReduce.
#pragma once

#include "engine/rt/rt.h"
#include "engine/runtime/thunks/thunk.h"
#include "engine/scalar/scalar_op.h"

#include <memory>
#include <span>
#include <string>

namespace engine {

/// As fusedReduceThunk; a null `function` takes the elements as they are. Throws UserError for what devices cannot do.
std::unique_ptr<Thunk> deviceReduceThunk(ScalarOpPtr function, DType element, RtReduce reduce, std::span<const int> axes, DType accumulator,
                                         const ThunkSpec &spec, const std::string &name);

} // namespace engine
