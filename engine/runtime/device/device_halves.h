// float16 on devices where kernels and libraries compute in float32 and more only.
#pragma once

#include "engine/runtime/thunks/thunk.h"

#include <functional>
#include <memory>
#include <string>

namespace engine {

/// What `prepare` makes; where arrays of the device are float16, for copies of them in float32, which are rounded once at the end.
std::unique_ptr<Thunk> inSingles(const ThunkSpec &spec, const std::function<std::unique_ptr<Thunk>(const ThunkSpec &)> &prepare,
                                 const std::string &name);

} // namespace engine
