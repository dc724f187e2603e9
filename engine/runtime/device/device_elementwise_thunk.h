// A scalar function over arrays of a device: the device's side of Elemwise.
#pragma once

#include "engine/runtime/thunks/thunk.h"
#include "engine/scalar/scalar_op.h"

#include <memory>

namespace engine {

/// Builds its kernel, or takes the one that another apply built. Throws UserError for what devices cannot do.
std::unique_ptr<Thunk> deviceElementwiseThunk(ScalarOpPtr function, const ThunkSpec &spec, const std::string &name);

} // namespace engine
