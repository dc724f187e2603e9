// Connectionist temporal classification: how unlikely a sequence of labels is, when each step of a longer sequence says one of them or
// nothing (class 0).
#pragma once

#include "engine/graph/op/op_class.h"

namespace engine {

/// Costs of a batch, and their gradient; inputs activations (time × batch × classes, before softmax), labels (batch × most labels, padded
/// by negative numbers), lengths of the examples in time.
class Ctc final : public Op {
    OP_NAME("ConnectionistTemporalClassification", "theano.tensor.nnet.ctc");
    OP_RULES(outputTypes, inferShape, gradient, firstConnected, cost, perform);
};

/// The costs.
VarRef ctc(const VarRef &activations, const VarRef &labels, const VarRef &lengths);

} // namespace engine
