"""Products and sums of products."""
import numpy

from croton import _core
from croton.gof.graph import Variable
from croton.gof.utils import listed
from croton.tensor.functions.axes import normal_axis
from croton.tensor.functions.conversion import as_tensor_variable, constant
from croton.tensor.functions.elementwise import cast
from croton.tensor.functions.joining import concatenate, stack
from croton.tensor.functions.reductions import mean, prod
from croton.tensor.functions.shapes import dimshuffle, reshape, shape_i, shape_padleft, transpose
from croton.tensor.type import TensorType


def dot(l, r):
    """Product of vectors, matrices and more, with NumPy's rules; one may be sparse."""
    for one, other, method in ((l, r, "__dot__"), (r, l, "__rdot__")):
        if isinstance(one, Variable) and not isinstance(one.type, TensorType) and hasattr(one, method):
            return getattr(one, method)(other)
    return _core.dot(l, r)


def outer(x, y):
    """x_i · y_j of two vectors (more dimensions are flattened)."""
    return _core.outer(x, y)


def tensordot(a, b, axes=2):
    """Sums products over axes: a number (the last of a with the first of b) or a pair of lists."""
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    if isinstance(axes, (int, numpy.integer)) and not isinstance(axes, bool):
        if axes < 0 or axes > a.ndim or axes > b.ndim:
            raise ValueError("axes %d should be between 0 and the number of dimensions of both inputs (%d and %d)"
                             % (axes, a.ndim, b.ndim))
        left, right = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        left, right = _pair_of_axes(axes)
    if len(left) != len(right):
        raise ValueError("tensordot sums over %d axes of a but %d of b" % (len(left), len(right)))
    return _core.tensordot(a, b, [normal_axis(axis, a.ndim) for axis in left], [normal_axis(axis, b.ndim) for axis in right])


def _pair_of_axes(axes):
    pair = axes.tolist() if isinstance(axes, numpy.ndarray) else listed(axes)
    if pair is None or len(pair) != 2:
        raise ValueError("axes should be an integer or a pair of lists, got %r" % (axes,))
    return [[one] if isinstance(one, (int, numpy.integer)) else list(one) for one in pair]


def batched_dot(a, b):
    """dot of a[i] and b[i] for every i."""
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    if a.ndim == 0 or b.ndim == 0:
        raise TypeError("a and b must have at least one dimension")
    if a.ndim == 1:
        return dimshuffle(a, (0,) + ("x",) * (b.ndim - 1)) * b
    if b.ndim == 1:
        return a * dimshuffle(b, (0,) + ("x",) * (a.ndim - 1))
    if a.ndim > 3 or b.ndim > 3:
        return batched_tensordot(a, b, [[a.ndim - 1], [max(1, b.ndim - 2)]])
    return _core.batched_dot(a, b)


def batched_tensordot(x, y, axes=2):
    """tensordot of x[i] and y[i] for every i; axes count from 1 then."""
    x, y = as_tensor_variable(x), as_tensor_variable(y)
    if isinstance(axes, (int, numpy.integer)):
        left = list(range(x.ndim - axes, x.ndim))
        right = list(range(1, axes + 1))
    else:
        left, right = _pair_of_axes(axes)
    rest_x = [axis for axis in range(1, x.ndim) if axis not in left]
    rest_y = [axis for axis in range(1, y.ndim) if axis not in right]
    order_x = [0] + rest_x + left
    order_y = [0] + right + rest_y
    xs, ys = dimshuffle(x, order_x), dimshuffle(y, order_y)
    many = prod(stack([xs.shape[1 + i] for i in range(len(rest_x))])) if rest_x else constant(1, dtype="int64")
    summed = prod(stack([shape_i(x, axis) for axis in left])) if left else constant(1, dtype="int64")
    other = prod(stack([shape_i(y, axis) for axis in rest_y])) if rest_y else constant(1, dtype="int64")
    product = batched_dot(reshape(xs, [shape_i(x, 0), many, summed], ndim=3), reshape(ys, [shape_i(x, 0), summed, other], ndim=3))
    sizes = [shape_i(x, 0)] + [shape_i(x, axis) for axis in rest_x] + [shape_i(y, axis) for axis in rest_y]
    return reshape(product, sizes, ndim=len(sizes))


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    """Covariance of the rows (or columns) of m."""
    if fweights is not None or aweights is not None:
        raise NotImplementedError("cov does not support weights")
    m = as_tensor_variable(m)
    m = m if rowvar or m.ndim == 1 else transpose(m)
    m = shape_padleft(m) if m.ndim == 1 else m
    if y is not None:
        y = as_tensor_variable(y)
        y = y if rowvar or y.ndim == 1 else transpose(y)
        m = concatenate([m, shape_padleft(y) if y.ndim == 1 else y], axis=0)
    ddof = (0 if bias else 1) if ddof is None else ddof
    centered = m - mean(m, axis=1, keepdims=True)
    return dot(centered, transpose(centered)) / cast(shape_i(m, 1) - ddof, centered.dtype)
