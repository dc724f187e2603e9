// What a kernel in the C dialect is, once it is compiled.
#pragma once

#include "engine/rt/rt.h"

namespace engine {

/// `operands`: inputs (contiguous, or one element), then outputs; n elements. `math` are the primitives that its text was written for, in
/// their order.
using KernelFunction = void (*)(void *const *operands, const RtLoop *math, long n);

} // namespace engine
