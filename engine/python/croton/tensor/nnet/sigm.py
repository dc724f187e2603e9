"""The sigmoid family."""
from croton import _above, _core, scalar

sigmoid = scalar_sigmoid = _core.elemwise("sigmoid")
softplus = scalar_softplus = _core.elemwise("softplus")
ultra_fast_sigmoid = ultra_fast_scalar_sigmoid = _core.elemwise("ultra_fast_sigmoid")


def hard_sigmoid(x):
    """A sigmoid of straight lines: 0.2 x + 0.5 between 0 and 1."""
    return _core.hard_sigmoid(x)


def __getattr__(name):
    if name in ("ScalarSigmoid", "ScalarSoftplus", "UltraFastScalarSigmoid"):
        return getattr(scalar, name)
    if name in ("sigmoid_inplace", "ultra_fast_sigmoid_inplace"):
        return _above.Elemwise(getattr(scalar, name[:-len("_inplace")]), {0: 0})
    return _above.engine_rewrite("theano.tensor.nnet.sigm", name)
