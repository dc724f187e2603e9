// What underflows to 0 while its logarithm is an ordinary number.
#pragma once

#include "engine/rewrite/machine/build.h"

namespace engine {

/// A positive function whose logarithm is arithmetic or softplus: exponentials, logistic functions, softmax, their sums and powers.
bool isLoggable(VarHandle v, int depth = 0);

} // namespace engine
