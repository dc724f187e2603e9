// Fourier transforms of real arrays, forth and back, over all axes but the first (which counts examples). Real and imaginary parts are a
// last axis of size 2.
#pragma once

#include "engine/graph/op/op_class.h"

namespace engine {

/// Half of the spectrum along the last axis: s[-1] / 2 + 1 frequencies. Inputs x and the sizes s of the transformed axes, to which x is cut
/// or filled up with zeros.
class RealFourier final : public Op {
    OP_NAME("RFFTOp", "theano.tensor.fft");
    OP_RULES(outputTypes, inferShape, gradient, rop, firstConnected, cost, perform);
};

/// The array of sizes s with that half of a spectrum, times its number of elements: no transform here divides.
class InverseRealFourier final : public Op {
    OP_NAME("IRFFTOp", "theano.tensor.fft");
    OP_RULES(outputTypes, inferShape, gradient, rop, firstConnected, cost, perform);
};

VarRef rfft(const VarRef &x, const VarRef &sizes);
VarRef irfft(const VarRef &x, const VarRef &sizes);

} // namespace engine
