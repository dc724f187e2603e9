"""The sigmoid family."""
from croton import _core
from croton.tensor import basic

sigmoid = scalar_sigmoid = _core.elemwise("sigmoid")
softplus = scalar_softplus = _core.elemwise("softplus")
ultra_fast_sigmoid = _core.elemwise("ultra_fast_sigmoid")


def hard_sigmoid(x):
    """A sigmoid of straight lines: 0.2 x + 0.5 between 0 and 1."""
    x = basic.as_tensor_variable(x)
    return basic.clip(basic.cast(0.2, x.dtype if x.dtype.startswith("float") else "float64") * x
                      + basic.cast(0.5, x.dtype if x.dtype.startswith("float") else "float64"), 0.0, 1.0)
