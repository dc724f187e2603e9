"""The sigmoid family."""
from croton import _core
from croton.tensor import basic

sigmoid = scalar_sigmoid = _core.elemwise("sigmoid")
softplus = scalar_softplus = _core.elemwise("softplus")
ultra_fast_sigmoid = _core.elemwise("ultra_fast_sigmoid")


def hard_sigmoid(x):
    """A sigmoid of straight lines: 0.2 x + 0.5 between 0 and 1."""
    x = basic.as_tensor_variable(x)
    dtype = basic.float_dtype(x.dtype)
    return basic.clip(x * basic.constant(0.2, dtype=dtype) + basic.constant(0.5, dtype=dtype), 0, 1)
