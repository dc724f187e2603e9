// Runs a scalar function over arrays: the interpreter's side of Elemwise.
#pragma once

#include "engine/runtime/thunks/thunk.h"
#include "engine/scalar/scalar_op.h"

#include <memory>

namespace engine {

/// Output shape of broadcasting; throws ShapeMismatch in Theano's words. Without declared types every size of 1
/// stretches; with them only axes that are declared broadcastable.
Dims broadcastShape(std::span<const SlotOperand> inputs);

/// Checks the shapes and binds the function to them. An output may be the memory of an input with the same layout.
std::unique_ptr<Thunk> elementwiseThunk(ScalarOpPtr function, const ThunkSpec &spec);

} // namespace engine
