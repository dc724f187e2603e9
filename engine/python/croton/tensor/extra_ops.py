"""Further functions on tensors: repeat, cumsum, diff, squeeze …"""
import numpy

from croton import _core
from croton.configparser import config
from croton.gof.graph import Apply, Constant
from croton.gof.op import Op
from croton.tensor import basic
from croton.tensor.opclasses import (Bartlett, CpuContiguous, CumOp, DiffOp, FillDiagonal, FillDiagonalOffset,  # noqa: F401
                                     RepeatOp, SearchsortedOp, Unique)
from croton.tensor.functions.axes import normal_axes, normal_axis
from croton.tensor.opt import Assert
from croton.tensor.subtensor import inc_subtensor, set_subtensor
from croton.tensor.type import TensorType


def squeeze(x, axis=None):
    """Drops axes that are known to have size 1."""
    x = basic.as_tensor_variable(x)
    return _core.squeeze(x, normal_axes(axis, x.ndim))


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
    if repeats.ndim == 0 and isinstance(repeats, Constant) and repeats.data == 1:
        return x
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


def CumsumOp(axis=None):
    return CumOp(axis, "add")


def CumprodOp(axis=None):
    return CumOp(axis, "mul")


def searchsorted(x, v, side="left", sorter=None):
    """Where v would be inserted into the sorted vector x."""
    x, v = basic.as_tensor_variable(x), basic.as_tensor_variable(v)
    if side not in ("left", "right"):
        raise ValueError("side must be left or right, got %r" % (side,))
    if sorter is not None:
        sorter = basic.as_tensor_variable(sorter)
        if sorter.ndim != 1:
            raise ValueError("sorter must be a vector, got %s" % sorter.type)
        if sorter.dtype[0] not in "iu":
            raise TypeError("sorter must hold integers, got %s" % sorter.type)
        x = x[sorter]
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
    if x.dtype[0] not in "iu":
        raise TypeError("bincount counts integers, got %s" % x.type)
    if assert_nonneg:
        x = Assert("Input to bincount has negative values!")(x, basic.all(x >= 0))
    size = basic.switch(basic.eq(basic.shape_i(x, 0), 0), 0, basic.max(basic.concatenate([basic.cast(x, "int64"), numpy.zeros(1, "int64")])) + 1)
    if minlength is not None:
        size = basic.maximum(size, minlength)
    if weights is not None:
        weights = basic.as_tensor_variable(weights)
        return inc_subtensor(basic.zeros([size], dtype=weights.dtype)[x], weights)
    return inc_subtensor(basic.zeros([size], dtype="int64")[x], 1)


def _refuse_narrowing(a, val):
    if _core.promote([a.dtype, val.dtype])[0] != a.dtype[0]:
        raise TypeError("%s on the diagonal of %s would lose something: cast it first" % (val.type, a.type))


def fill_diagonal(a, val):
    """a with val on its main diagonal."""
    a, val = basic.as_tensor_variable(a), basic.as_tensor_variable(val)
    if a.ndim < 2:
        raise TypeError("fill_diagonal needs at least two dimensions, got %s" % a.type)
    _refuse_narrowing(a, val)
    steps = basic.arange(basic.minimum(basic.shape_i(a, 0), basic.shape_i(a, 1))) if a.ndim == 2 else basic.arange(basic.shape_i(a, 0))
    return set_subtensor(a[(steps,) * a.ndim], basic.cast(val, a.dtype))


def fill_diagonal_offset(a, val, offset):
    a, val = basic.as_tensor_variable(a), basic.as_tensor_variable(val)
    _refuse_narrowing(a, val)
    offset = basic.as_tensor_variable(offset)
    first, second = basic.maximum(-offset, 0), basic.maximum(offset, 0)
    length = basic.maximum(basic.minimum(basic.shape_i(a, 0) - first, basic.shape_i(a, 1) - second), 0)
    steps = basic.arange(length)
    return set_subtensor(a[steps + first, steps + second], basic.cast(val, a.dtype))


def to_one_hot(y, nb_class, dtype=None):
    """A matrix with a one in the column that y names."""
    y = basic.as_tensor_variable(y)
    ret = basic.zeros((basic.shape_i(y, 0), nb_class), dtype=dtype or config.floatX)
    return set_subtensor(ret[basic.arange(basic.shape_i(y, 0)), y], 1)


class UniqueAlong(Op):
    """The different slices along an axis, where each is first, which one each is, how often each occurs."""
    __props__ = ("axis",)

    def __init__(self, axis):
        self.axis = axis

    def make_node(self, x):
        pattern = [one and axis != self.axis for axis, one in enumerate(x.broadcastable)]
        places = TensorType("int64", (False,))
        return Apply(self, [x], [TensorType(x.dtype, pattern)(), places(), places(), places()])

    def perform(self, node, inputs, output_storage, params=None):
        found = numpy.unique(inputs[0], return_index=True, return_inverse=True, return_counts=True, axis=self.axis)
        output_storage[0][0] = found[0]
        for storage, places in zip(output_storage[1:], found[1:]):
            storage[0] = places.astype("int64", copy=False).ravel()


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
    """The sorted different elements, or the different slices along an axis."""
    if axis is None:
        outputs = _core.unique(ar)
    else:
        ar = basic.as_tensor_variable(ar)
        outputs = UniqueAlong(normal_axis(axis, ar.ndim))(ar, return_list=True)
    wanted = [outputs[0]] + [output for output, asked in zip(outputs[1:], (return_index, return_inverse, return_counts)) if asked]
    return wanted[0] if len(wanted) == 1 else wanted


class UnravelIndex(Op):
    __props__ = ("ndim", "order")

    def __init__(self, ndim, order="C"):
        self.ndim, self.order = ndim, _known_order(order)

    def make_node(self, indices, dims):
        indices, dims = _whole(indices), _whole(dims)
        return Apply(self, [indices, dims], [TensorType("int64", indices.broadcastable)() for _ in range(self.ndim)])

    def perform(self, node, inputs, output_storage, params=None):
        indices, dims = inputs
        for storage, index in zip(output_storage, numpy.unravel_index(indices, tuple(dims), order=self.order)):
            storage[0] = numpy.array(index, "int64")

    def infer_shape(self, node, shapes):
        return [shapes[0]] * self.ndim

    def connection_pattern(self, node):
        return [[False] * self.ndim] * 2


class RavelMultiIndex(Op):
    __props__ = ("mode", "order")

    def __init__(self, mode="raise", order="C"):
        if mode not in ("raise", "wrap", "clip"):
            raise ValueError("mode must be raise, wrap or clip, got %r" % (mode,))
        self.mode, self.order = mode, _known_order(order)

    def make_node(self, *inputs):
        parts, dims = [_whole(part) for part in inputs[:-1]], _whole(inputs[-1])
        return Apply(self, parts + [dims], [basic.add(*parts).astype("int64").type()])

    def perform(self, node, inputs, output_storage, params=None):
        flat = numpy.ravel_multi_index(inputs[:-1], tuple(inputs[-1]), mode=self.mode, order=self.order)
        output_storage[0][0] = numpy.array(flat, "int64")

    def infer_shape(self, node, shapes):
        parts = node.inputs[:-1]
        if len({part.ndim for part in parts}) > 1:
            raise basic.ShapeError()
        stretched = [[shape[axis] for part, shape in zip(parts, shapes) if not part.broadcastable[axis]] for axis in range(parts[0].ndim)]
        return [tuple(sizes[0] if sizes else 1 for sizes in stretched)]

    def connection_pattern(self, node):
        return [[False]] * node.nin


def _known_order(order):
    if order not in ("C", "F"):
        raise ValueError("order must be C or F, got %r" % (order,))
    return order


def _whole(x):
    x = basic.as_tensor_variable(x)
    if x.dtype[0] not in "iu":
        raise TypeError("indices and sizes are integers, got %s" % x.type)
    return x


def unravel_index(indices, dims, order="C", ndim=None):
    """Positions in a flat array as indices along its axes."""
    dims = basic.as_tensor_variable(dims)
    outputs = UnravelIndex(basic.get_vector_length(dims) if ndim is None else ndim, order)(indices, dims, return_list=True)
    return tuple(outputs)


def ravel_multi_index(multi_index, dims, mode="raise", order="C"):
    """Indices along the axes as positions in a flat array."""
    return RavelMultiIndex(mode, order)(*(list(multi_index) + [dims]))


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
