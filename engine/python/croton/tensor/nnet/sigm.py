"""The sigmoid family."""
from croton import _core, scalar

sigmoid = scalar_sigmoid = _core.elemwise("sigmoid")
softplus = scalar_softplus = _core.elemwise("softplus")
ultra_fast_sigmoid = _core.elemwise("ultra_fast_sigmoid")


def hard_sigmoid(x):
    """A sigmoid of straight lines: 0.2 x + 0.5 between 0 and 1."""
    return _core.hard_sigmoid(x)


def __getattr__(name):
    if name in ("ScalarSigmoid", "ScalarSoftplus", "UltraFastScalarSigmoid"):
        return getattr(scalar, name)
    raise AttributeError("module 'theano.tensor.nnet.sigm' has no attribute %r" % name)
