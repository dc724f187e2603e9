"""Diagonals and the triangles beside them."""
import numpy

from croton import _core
from croton.configparser import config
from croton.tensor.functions.axes import normal_axis
from croton.tensor.functions.conversion import as_tensor_variable
from croton.tensor.functions.creation import arange, zeros
from croton.tensor.functions.elementwise import abs_, maximum, minimum
from croton.tensor.functions.shapes import dimshuffle, shape_i
from croton.tensor.subtensor import set_subtensor


def eye(n, m=None, k=0, dtype=None):
    """Ones on a diagonal."""
    m = n if m is None else m
    dtype = config.floatX if dtype in (None, "floatX") else str(numpy.dtype(dtype))
    return _core.eye(n, m, k, dtype)


def identity_like(x):
    x = as_tensor_variable(x)
    return eye(shape_i(x, 0), shape_i(x, 1), 0, dtype=x.dtype)


def tri(N, M=None, k=0, dtype=None):
    """Ones at and below a diagonal."""
    M = N if M is None else M
    dtype = config.floatX if dtype in (None, "floatX") else str(numpy.dtype(dtype))
    return _core.tri(N, M, k, dtype)


def tril(m, k=0):
    return _core.tril(m, k)


def triu(m, k=0):
    return _core.triu(m, k)


def diagonal(a, offset=0, axis1=0, axis2=1):
    """The elements whose index along axis2 is that along axis1 plus offset; they come last."""
    a = as_tensor_variable(a)
    if a.ndim < 2:
        raise ValueError("diagonal needs at least two dimensions, got %d" % a.ndim)
    axis1, axis2 = normal_axis(axis1, a.ndim), normal_axis(axis2, a.ndim)
    if axis1 == axis2:
        raise ValueError("axis1 and axis2 are the same: %d" % axis1)
    if isinstance(offset, (int, numpy.integer)):
        return _core.diagonal(a, int(offset), axis1, axis2)
    rest = [axis for axis in range(a.ndim) if axis not in (axis1, axis2)]
    moved = dimshuffle(a, [axis1, axis2] + rest)
    rows, cols = shape_i(a, axis1), shape_i(a, axis2)
    offset = as_tensor_variable(offset)
    first, second_ = maximum(-offset, 0), maximum(offset, 0)
    length = maximum(minimum(rows - first, cols - second_), 0)
    steps = arange(length)
    picked = moved[steps + first, steps + second_]
    return dimshuffle(picked, list(range(1, picked.ndim)) + [0]) if rest else picked


def diag(v, k=0):
    """The diagonal of a matrix, or a matrix with a vector on its diagonal."""
    v = as_tensor_variable(v)
    if v.ndim in (1, 2) and isinstance(k, (int, numpy.integer)):
        return _core.diag(v, int(k))
    if v.ndim == 1:
        size = shape_i(v, 0) + (abs(k) if isinstance(k, int) else abs_(k))
        matrix_ = zeros((size, size), dtype=v.dtype)
        steps = arange(shape_i(v, 0))
        first = max(0, -k) if isinstance(k, int) else maximum(-k, 0)
        second_ = max(0, k) if isinstance(k, int) else maximum(k, 0)
        return set_subtensor(matrix_[steps + first, steps + second_], v)
    if v.ndim >= 2:
        return diagonal(v, offset=k)
    raise ValueError("Input must has v.ndim >= 1.")
