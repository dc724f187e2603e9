"""The sigmoid family."""
from croton import _core, scalar
from croton.compile.rewriting import engine_rewrite
from croton.tensor.opclasses import Elemwise

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
        return Elemwise(getattr(scalar, name[:-len("_inplace")]), {0: 0})
    return engine_rewrite("theano.tensor.nnet.sigm", name)
