"""Sums, extremes and their places."""
import numpy

from croton import _core
from croton.configparser import config
from croton.tensor.functions.axes import normal_axes
from croton.tensor.functions.conversion import as_tensor_variable
from croton.tensor.functions.elementwise import cast, isclose, maximum, minimum, neq, sqr, sqrt, true_div
from croton.tensor.functions.joining import stack
from croton.tensor.functions.shapes import shape_i

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


def _reduce(kind, x, axis, keepdims, dtype=None, acc_dtype=None):
    x = as_tensor_variable(x)
    axes = normal_axes(axis, x.ndim)
    if axes is not None and x.ndim == 0:
        axes = []
    dtype = None if dtype is None else config.floatX if dtype == "floatX" else str(numpy.dtype(dtype))
    acc_dtype = None if acc_dtype is None else config.floatX if acc_dtype == "floatX" else str(numpy.dtype(acc_dtype))
    if axes == []:
        wide = {"b": "int64", "i": "int64", "u": "uint64"}.get(numpy.dtype(x.dtype).kind) if kind in ("sum", "prod") else None
        return cast(x, dtype or wide or x.dtype)
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
    return _reduce("any", neq(x, 0) if as_tensor_variable(x).dtype != "bool" else x, axis, keepdims)


def all(x, axis=None, keepdims=False):
    return _reduce("all", neq(x, 0) if as_tensor_variable(x).dtype != "bool" else x, axis, keepdims)


def mean(input, axis=None, dtype=None, op=False, keepdims=False, acc_dtype=None):
    """Mean over the axes; integers give floats."""
    input = as_tensor_variable(input)
    axes = normal_axes(axis, input.ndim)
    if dtype is None and acc_dtype is None:
        if axes != [] and not (input.ndim == 0):
            return _core.mean(input, axes, bool(keepdims))
    if dtype is not None and dtype != "floatX" and numpy.dtype(dtype).kind in "iub":
        raise TypeError("the mean of numbers is no integer: dtype=%s cannot hold it" % dtype)
    axes = list(range(input.ndim)) if axes is None else axes
    sum_dtype = dtype if dtype is not None else "float64" if input.dtype[0] in "iub" else None
    total = sum(input, axis=axes, dtype=sum_dtype, keepdims=keepdims, acc_dtype=acc_dtype)
    count_dtype = "float32" if total.dtype in ("float16", "float32", "complex64") else "float64"
    for axis_ in axes if input.ndim else []:
        total = true_div(total, cast(shape_i(input, axis_), count_dtype))
    if dtype is not None and total.dtype != dtype:
        total = cast(total, dtype)
    total.name = "mean"
    return total


def var(input, axis=None, ddof=0, keepdims=False, corrected=False):
    """Variance over the axes."""
    input = as_tensor_variable(input)
    axes = normal_axes(axis, input.ndim)
    axes = list(range(input.ndim)) if axes is None else axes
    centered = input - mean(input, axes, keepdims=True)
    squares = sqr(centered)
    if ddof == 0:
        result = mean(squares, axes, keepdims=keepdims)
    else:
        count = shape_i(input, axes[0]) - ddof if len(axes) == 1 else prod(stack([shape_i(input, a) for a in axes])) - ddof
        result = sum(squares, axes, keepdims=keepdims) / cast(count, centered.dtype)
    if corrected:
        shift = mean(centered, axes, keepdims=keepdims)
        result = result - sqr(shift)
    result.name = "var"
    return result


def std(input, axis=None, ddof=0, keepdims=False, corrected=False):
    result = sqrt(var(input, axis, ddof, keepdims, corrected))
    result.name = "std"
    return result


def ptp(a, axis=None):
    """Largest minus smallest."""
    a = as_tensor_variable(a)
    axes = normal_axes(axis, a.ndim)
    return max(a, axes) - min(a, axes)


def argmax(x, axis=None, keepdims=False):
    """Where the largest element is (the first of equal ones)."""
    x = as_tensor_variable(x)
    return _core.argmax(x, normal_axes(axis, x.ndim), bool(keepdims))


def argmin(x, axis=None, keepdims=False):
    x = as_tensor_variable(x)
    return _core.argmin(x, normal_axes(axis, x.ndim), bool(keepdims))


def max_and_argmax(a, axis=None, keepdims=False):
    a = as_tensor_variable(a)
    return _core.max_and_argmax(a, normal_axes(axis, a.ndim), bool(keepdims))
