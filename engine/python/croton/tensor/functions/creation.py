"""Tensors from nothing but a shape or a range."""
import numpy

from croton import _core
from croton.configparser import config
from croton.gof.graph import Variable
from croton.gof.utils import listed
from croton.tensor.functions.conversion import as_tensor_variable
from croton.tensor.functions.elementwise import cast, fill
from croton.tensor.functions.known_values import get_vector_length
from croton.tensor.functions.shapes import dimshuffle


def alloc(value, *shape):
    """`value` broadcast to the shape."""
    several = listed(shape[0]) if len(shape) == 1 else None
    return _core.alloc(value, list(shape) if several is None else several)


def _shape_list(shape):
    several = listed(shape)
    if several is not None:
        return several
    if isinstance(shape, Variable) and shape.ndim == 1:
        return [shape[i] for i in range(get_vector_length(shape))]
    if isinstance(shape, numpy.ndarray) and shape.ndim == 1:
        return [int(size) for size in shape]
    return [shape]


def zeros(shape, dtype=None):
    """Zeros of the shape (a number, or a sequence of numbers and scalars)."""
    dtype = config.floatX if dtype in (None, "floatX") else str(numpy.dtype(dtype))
    return _core.alloc(numpy.zeros((), dtype), _shape_list(shape))


def ones(shape, dtype=None):
    dtype = config.floatX if dtype in (None, "floatX") else str(numpy.dtype(dtype))
    return _core.alloc(numpy.ones((), dtype), _shape_list(shape))


def zeros_like(model, dtype=None, opt=False):
    return _like(model, 0, dtype)


def ones_like(model, dtype=None, opt=False):
    return _like(model, 1, dtype)


def _like(model, value, dtype):
    model = as_tensor_variable(model)
    dtype = model.dtype if dtype is None else config.floatX if dtype == "floatX" else str(numpy.dtype(dtype))
    return _core.fill(model, numpy.asarray(value, dtype))


def zeros_like_(model):
    return zeros_like(model)


def full_like(model, fill_value, dtype=None):
    model = as_tensor_variable(model)
    return fill(model, cast(fill_value, dtype or model.dtype))


def arange(start, stop=None, step=1, dtype=None):
    """start, start + step, … below stop."""
    if stop is None:
        start, stop = 0, start
    start, stop, step = as_tensor_variable(start), as_tensor_variable(stop), as_tensor_variable(step)
    for value in (start, stop, step):
        if value.ndim != 0:
            raise TypeError("arange takes scalars, got %s of type %s" % (value, value.type))
    if dtype is None:
        dtype = _core.promote([start.dtype, stop.dtype, step.dtype])
        if dtype[0] in "iub":
            dtype = "int64" if not dtype.startswith("uint") else "int64" if dtype != "uint64" else "uint64"
        elif config.cast_policy == "numpy+floatX" and config.floatX == "float32" and dtype == "float64" and \
                "float64" not in (start.dtype, stop.dtype, step.dtype):
            dtype = "float32"
    elif dtype == "floatX":
        dtype = config.floatX
    return _core.arange(start, stop, step, str(numpy.dtype(dtype)))


class _Grid:
    def __init__(self, sparse):
        self.sparse = sparse

    def __getitem__(self, slices):
        slices = slices if isinstance(slices, tuple) else (slices,)
        ranges = [arange(part.start or 0, part.stop, part.step or 1) for part in slices]
        n = len(ranges)
        open_ = [dimshuffle(r, ["x"] * i + [0] + ["x"] * (n - i - 1)) for i, r in enumerate(ranges)]
        if self.sparse:
            return open_
        return [alloc(one, *[r.shape[0] for r in ranges]) for one in open_]


mgrid, ogrid = _Grid(False), _Grid(True)
