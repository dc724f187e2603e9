// Softmax and its kin as steps on rows, for kernels that hold a row from its first step to its last one.
#pragma once

#include "engine/graph/op/thunk.h"
#include "engine/ops/reductions/softmax.h"

#include <memory>

namespace engine {

enum class SoftmaxSteps : std::uint8_t { Softmax, LogSoftmax, SoftmaxGrad, SoftmaxWithBias, Crossentropy, CrossentropyGrad };

/// perform() of the op, and the same as steps. Of the cross-entropies where each row has a class: which ones `classes` says, and the
/// sizes.
std::unique_ptr<Thunk> softmaxRows(SoftmaxSteps steps, const OpRef &op, const ThunkSpec &spec, Classes classes = Classes::EachRow);

} // namespace engine
