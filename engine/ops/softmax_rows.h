// Softmax and its kin as steps on rows, for kernels that hold a row from its first step to its last one.
#pragma once

#include "engine/graph/op.h"
#include "engine/graph/thunk.h"

#include <memory>

namespace engine {

enum class SoftmaxSteps : std::uint8_t { Softmax, LogSoftmax, SoftmaxGrad, SoftmaxWithBias };

/// perform() of the op, and the same as steps.
std::unique_ptr<Thunk> softmaxRows(SoftmaxSteps steps, OpRef op, const ThunkSpec &spec);

} // namespace engine
