"""Sums, extremes and their places."""
import numpy

from croton import _core
from croton.configparser import config
from croton.tensor.functions.axes import normal_axes
from croton.tensor.functions.conversion import as_tensor_variable
from croton.tensor.functions.elementwise import cast, isclose, maximum, minimum
from croton.tensor.functions.joining import stack

largest = lambda *args: _fold("largest", maximum, args)  # noqa: E731
smallest = lambda *args: _fold("smallest", minimum, args)  # noqa: E731


def _fold(name, function, args):
    if len(args) == 0:
        raise TypeError("%s takes at least one argument" % name)
    if len(args) == 2:
        return function(*args)
    stacked = stack(args)
    return (max if name == "largest" else min)(stacked, axis=0)


def allclose(a, b, rtol=1.e-5, atol=1.e-8, equal_nan=False):
    return all(isclose(a, b, rtol, atol, equal_nan))


def _dtype(dtype):
    return None if dtype is None else config.floatX if dtype == "floatX" else str(numpy.dtype(dtype))


def _reduce(kind, x, axis, keepdims, dtype=None, acc_dtype=None):
    x = as_tensor_variable(x)
    axes, dtype, acc_dtype = normal_axes(axis, x.ndim), _dtype(dtype), _dtype(acc_dtype)
    if axes is not None and x.ndim == 0:
        axes = []
    if dtype is not None and acc_dtype is None and dtype[0] in "iub" and x.dtype[0] == "f":
        return cast(_core.reduce(kind, x, axes, bool(keepdims), None, None), dtype)
    return _core.reduce(kind, x, axes, bool(keepdims), dtype, acc_dtype)


def sum(input, axis=None, dtype=None, keepdims=False, acc_dtype=None):
    """Sum over the axes (None: all)."""
    return _reduce("sum", input, axis, keepdims, dtype, acc_dtype)


def prod(input, axis=None, dtype=None, keepdims=False, acc_dtype=None, no_zeros_in_input=False):
    return _reduce("prod", input, axis, keepdims, dtype, acc_dtype)


def max(x, axis=None, keepdims=False):
    return _reduce("max", x, axis, keepdims)


def min(x, axis=None, keepdims=False):
    return _reduce("min", x, axis, keepdims)


def any(x, axis=None, keepdims=False):
    return _reduce("any", x, axis, keepdims)


def all(x, axis=None, keepdims=False):
    return _reduce("all", x, axis, keepdims)


def mean(input, axis=None, dtype=None, op=False, keepdims=False, acc_dtype=None):
    """Mean over the axes; integers give floats."""
    input, dtype = as_tensor_variable(input), _dtype(dtype)
    if dtype is not None and numpy.dtype(dtype).kind in "iub":
        raise TypeError("the mean of numbers is no integer: dtype=%s cannot hold it" % dtype)
    return _core.mean(input, normal_axes(axis, input.ndim), bool(keepdims), dtype, _dtype(acc_dtype))


def _spread(function, input, axis, ddof, keepdims, corrected):
    input = as_tensor_variable(input)
    axes = list(range(input.ndim)) if axis is None else normal_axes(axis, input.ndim)
    return function(input, axes, bool(keepdims), int(ddof), bool(corrected))


def var(input, axis=None, ddof=0, keepdims=False, corrected=False):
    """Variance over the axes."""
    return _spread(_core.var, input, axis, ddof, keepdims, corrected)


def std(input, axis=None, ddof=0, keepdims=False, corrected=False):
    return _spread(_core.std, input, axis, ddof, keepdims, corrected)


def ptp(a, axis=None):
    """Largest minus smallest."""
    a = as_tensor_variable(a)
    return _core.ptp(a, normal_axes(axis, a.ndim))


def argmax(x, axis=None, keepdims=False):
    """Where the largest element is (the first of equal ones)."""
    x = as_tensor_variable(x)
    return _core.argmax(x, normal_axes(axis, x.ndim), bool(keepdims))


def argmin(x, axis=None, keepdims=False):
    x = as_tensor_variable(x)
    return _core.argmin(x, normal_axes(axis, x.ndim), bool(keepdims))


def max_and_argmax(a, axis=None, keepdims=False):
    a = as_tensor_variable(a)
    return _core.MaxAndArgmax(a, normal_axes(axis, a.ndim), bool(keepdims))


def makeKeepDims(x, y, axis):
    """y, which was reduced along these axes of x, with axes of size 1 in their places."""
    x, y = as_tensor_variable(x), as_tensor_variable(y)
    axes = range(x.ndim) if axis is None else normal_axes(axis, x.ndim)
    kept = iter(range(y.ndim))
    return y.dimshuffle(["x" if one in axes else next(kept) for one in range(x.ndim)])


def check_and_normalize_axes(x, axis):
    """The axes as numbers from the front; none for all of them."""
    return normal_axes(axis, as_tensor_variable(x).ndim) or []
