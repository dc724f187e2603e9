"""Further functions on tensors: repeat, cumsum, diff, squeeze …"""
import numpy

from croton import _core
from croton.gof.graph import Constant, Variable
from croton.tensor import basic
from croton.tensor.functions.axes import normal_axes, normal_axis


def squeeze(x, axis=None):
    """Drops axes that are known to have size 1."""
    x = basic.as_tensor_variable(x)
    if axis is None:
        axes = [axis for axis in range(x.ndim) if x.broadcastable[axis]]
    else:
        axes = normal_axes(axis, x.ndim)
    return basic.dimshuffle(x, [axis for axis in range(x.ndim) if axis not in axes])


def diff(x, n=1, axis=-1):
    """Differences of neighbours along an axis, n times."""
    x = basic.as_tensor_variable(x)
    axis = normal_axis(axis, x.ndim)
    front = (slice(None),) * axis
    for _ in range(n):
        x = x[front + (slice(1, None),)] - x[front + (slice(None, -1),)]
    return x


def repeat(x, repeats, axis=None):
    """Every element (slice along an axis) several times."""
    x, repeats = basic.as_tensor_variable(x), basic.as_tensor_variable(repeats)
    if repeats.dtype[0] not in "iub":
        raise TypeError("repeats must be integers, got %s" % repeats.type)
    if repeats.ndim > 1:
        raise ValueError("The dimension of repeats should not exceed 1.")
    if axis is None:
        x, axis = basic.flatten(x), 0
    axis = normal_axis(axis, x.ndim)
    if repeats.ndim == 1 and repeats.broadcastable[0]:
        repeats = repeats[0]
    return _core.repeat(x, repeats, axis)


def _cumulative(x, axis, mode):
    x = basic.as_tensor_variable(x)
    if axis is None:
        x, axis = basic.flatten(x), 0
    return (_core.cumsum if mode == "add" else _core.cumprod)(x, normal_axis(axis, x.ndim))


def cumsum(x, axis=None):
    """Sums of the elements so far."""
    return _cumulative(x, axis, "add")


def cumprod(x, axis=None):
    return _cumulative(x, axis, "mul")


def searchsorted(x, v, side="left", sorter=None):
    """Where v would be inserted into the sorted vector x."""
    x, v = basic.as_tensor_variable(x), basic.as_tensor_variable(v)
    if side not in ("left", "right"):
        raise ValueError("side must be left or right, got %r" % (side,))
    if sorter is not None:
        x = x[basic.as_tensor_variable(sorter)]
    return _core.searchsorted(x, v, side == "right")


def compress(condition, x, axis=None):
    """The slices for which the condition holds."""
    x = basic.as_tensor_variable(x)
    indices = basic.flatnonzero(basic.as_tensor_variable(condition))
    return x.take(indices, axis=axis)


def bincount(x, weights=None, minlength=None, assert_nonneg=False):
    """How often each number from 0 on occurs in an integer vector."""
    x = basic.as_tensor_variable(x)
    if x.ndim != 1:
        raise TypeError("Inputs must be of dimension 1.")
    from croton.tensor.subtensor import inc_subtensor
    size = basic.switch(basic.eq(basic.shape_i(x, 0), 0), 0, basic.max(basic.concatenate([basic.cast(x, "int64"), numpy.zeros(1, "int64")])) + 1)
    if minlength is not None:
        size = basic.maximum(size, minlength)
    if weights is not None:
        weights = basic.as_tensor_variable(weights)
        return inc_subtensor(basic.zeros([size], dtype=weights.dtype)[x], weights)
    return inc_subtensor(basic.zeros([size], dtype="int64")[x], 1)


def fill_diagonal(a, val):
    """a with val on its main diagonal."""
    a = basic.as_tensor_variable(a)
    from croton.tensor.subtensor import set_subtensor
    steps = basic.arange(basic.minimum(basic.shape_i(a, 0), basic.shape_i(a, 1))) if a.ndim == 2 else basic.arange(basic.shape_i(a, 0))
    return set_subtensor(a[(steps,) * a.ndim], basic.cast(val, a.dtype))


def fill_diagonal_offset(a, val, offset):
    a = basic.as_tensor_variable(a)
    from croton.tensor.subtensor import set_subtensor
    offset = basic.as_tensor_variable(offset)
    first, second = basic.maximum(-offset, 0), basic.maximum(offset, 0)
    length = basic.maximum(basic.minimum(basic.shape_i(a, 0) - first, basic.shape_i(a, 1) - second), 0)
    steps = basic.arange(length)
    return set_subtensor(a[steps + first, steps + second], basic.cast(val, a.dtype))


def to_one_hot(y, nb_class, dtype=None):
    """A matrix with a one in the column that y names."""
    from croton.configparser import config
    from croton.tensor.subtensor import set_subtensor
    y = basic.as_tensor_variable(y)
    ret = basic.zeros((basic.shape_i(y, 0), nb_class), dtype=dtype or config.floatX)
    return set_subtensor(ret[basic.arange(basic.shape_i(y, 0)), y], 1)


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
    """The sorted different elements of a vector."""
    if axis is not None:
        raise NotImplementedError("unique works on all elements; it takes no axis")
    outputs = _core.unique(ar)
    wanted = [outputs[0]] + [output for output, asked in zip(outputs[1:], (return_index, return_inverse, return_counts)) if asked]
    return wanted[0] if len(wanted) == 1 else wanted


def unravel_index(indices, dims, order="C", ndim=None):
    """Positions in a flat array as indices along its axes."""
    if order not in ("C", "F"):
        raise ValueError("order must be C or F")
    indices = basic.as_tensor_variable(indices)
    dims = list(dims) if isinstance(dims, (list, tuple)) else [dims[i] for i in range(ndim or basic.get_vector_length(dims))]
    result, rest = [], indices
    for size in (reversed(dims) if order == "C" else dims):
        result.append(basic.mod(rest, size))
        rest = basic.int_div(rest, size)
    return tuple(reversed(result)) if order == "C" else tuple(result)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    parts = list(multi_index)
    sizes = list(dims) if isinstance(dims, (list, tuple)) else [dims[i] for i in range(len(parts))]
    if mode == "wrap":
        parts = [basic.mod(part, size) for part, size in zip(parts, sizes)]
    elif mode == "clip":
        parts = [basic.clip(part, 0, size - 1) for part, size in zip(parts, sizes)]
    pairs = list(zip(parts, sizes)) if order == "C" else list(zip(reversed(parts), reversed(sizes)))
    result = None
    for part, size in pairs:
        part = basic.as_tensor_variable(part)
        result = part if result is None else result * size + part
    return result


def bartlett(M):
    """The triangular window with M points."""
    M = basic.as_tensor_variable(M)
    if M.ndim != 0:
        raise TypeError("bartlett takes a scalar, got %s" % M.type)
    n = basic.arange(M)
    half = basic.true_div(M - 1, 2.0)
    window = basic.switch(basic.le(n, half), basic.true_div(n, half), 2.0 - basic.true_div(n, half))
    return basic.switch(basic.eq(M, 1), basic.ones_like(window), window)


def cpu_contiguous(x):
    return basic.as_tensor_variable(x)
