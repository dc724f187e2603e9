"""Sorting, joining and splitting along an axis that is known only when the function runs."""
import numpy

from croton import _core
from croton.gof.graph import Apply, Variable
from croton.gof.op import Op
from croton.gof.type import DisconnectedType
from croton.tensor.functions.conversion import as_tensor_variable, stacked
from croton.tensor.functions.elementwise import add, cast, eq, switch
from croton.tensor.functions.errors import AxisError
from croton.tensor.functions.known_values import NotScalarConstantError, get_scalar_constant_value
from croton.tensor.type import TensorType


def known_or_variable(axis, dtypes="iu"):
    """An axis as a number if it can be known now, else as the scalar that it is."""
    if not isinstance(axis, Variable):
        return axis
    try:
        return int(get_scalar_constant_value(axis))
    except NotScalarConstantError:
        if axis.ndim != 0 or axis.dtype[0] not in dtypes:
            raise TypeError("axis must be an integer scalar, got %s of type %s" % (axis, axis.type)) from None
        return axis


def _checked(axis, ndim):
    if axis != int(axis):
        raise ValueError("axis %s is not a whole number" % axis)
    axis = int(axis)
    if not -ndim <= axis < ndim:
        raise AxisError("axis %d is out of range for %d dimensions" % (axis, ndim))
    return axis % ndim


def _zeros(model):
    return _core.fill(model, numpy.asarray(0, model.dtype))


def _none_connected(count):
    return [DisconnectedType()() for _ in range(count)]


class SortAlong(Op):
    """sort(x, axis)"""
    __props__ = ()

    def make_node(self, x, axis):
        return Apply(self, [x, axis], [x.type()])

    def perform(self, node, inputs, output_storage, params=None):
        x, axis = inputs
        output_storage[0][0] = numpy.sort(x, _checked(axis, x.ndim), kind="stable")

    def infer_shape(self, node, shapes):
        return [shapes[0]]

    def connection_pattern(self, node):
        return [[True], [False]]

    def grad(self, inputs, output_grads):
        x, axis = inputs
        return [PutAlong()(output_grads[0], ArgSortAlong()(x, axis), axis), DisconnectedType()()]

    def R_op(self, inputs, eval_points):
        if eval_points[0] is None:
            return [None]
        x, axis = inputs
        return [PutAlong()(eval_points[0], ArgSortAlong()(ArgSortAlong()(x, axis), axis), axis)]


class ArgSortAlong(Op):
    """argsort(x, axis)"""
    __props__ = ()

    def make_node(self, x, axis):
        return Apply(self, [x, axis], [TensorType("int64", x.broadcastable)()])

    def perform(self, node, inputs, output_storage, params=None):
        x, axis = inputs
        output_storage[0][0] = numpy.argsort(x, _checked(axis, x.ndim), kind="stable").astype("int64", copy=False)

    def infer_shape(self, node, shapes):
        return [shapes[0]]

    def connection_pattern(self, node):
        return [[False], [False]]

    def grad(self, inputs, output_grads):
        return _none_connected(2)


class PutAlong(Op):
    """values at their places along an axis: what undoes take_along_axis by a permutation."""
    __props__ = ()

    def make_node(self, values, places, axis):
        return Apply(self, [values, places, axis], [values.type()])

    def perform(self, node, inputs, output_storage, params=None):
        values, places, axis = inputs
        out = numpy.empty_like(values)
        numpy.put_along_axis(out, places, values, _checked(axis, values.ndim))
        output_storage[0][0] = out

    def infer_shape(self, node, shapes):
        return [shapes[0]]

    def connection_pattern(self, node):
        return [[True], [False], [False]]

    def grad(self, inputs, output_grads):
        values, places, axis = inputs
        back = ArgSortAlong()(places, axis)
        return [PutAlong()(output_grads[0], back, axis), DisconnectedType()(), DisconnectedType()()]


class JoinAlong(Op):
    """join(axis, *tensors)"""
    __props__ = ()

    def make_node(self, axis, *tensors):
        tensors = [as_tensor_variable(tensor) for tensor in tensors]
        if len({tensor.ndim for tensor in tensors}) != 1 or tensors[0].ndim == 0:
            raise TypeError("join needs tensors of one number of dimensions, at least 1, got %s" % [tensor.ndim for tensor in tensors])
        dtype = _core.promote([tensor.dtype for tensor in tensors])
        tensors = [cast(tensor, dtype) for tensor in tensors]
        return Apply(self, [axis] + tensors, [TensorType(dtype, [False] * tensors[0].ndim)()])

    def perform(self, node, inputs, output_storage, params=None):
        output_storage[0][0] = numpy.concatenate(inputs[1:], _checked(inputs[0], inputs[1].ndim))

    def infer_shape(self, node, shapes):
        axis, first = node.inputs[0], shapes[1]
        axis = switch(axis < 0, axis + len(first), axis)
        return [tuple(switch(eq(axis, place), add(*[shape[place] for shape in shapes[1:]]), size)
                      for place, size in enumerate(first))]

    def connection_pattern(self, node):
        return [[False]] + [[True]] * (node.nin - 1)

    def grad(self, inputs, output_grads):
        axis, tensors = inputs[0], inputs[1:]
        sizes = stacked([_core.shape(tensor)[axis] for tensor in tensors], 0)
        parts = SplitAlong(len(tensors))(output_grads[0], sizes, axis, return_list=True)
        return [DisconnectedType()()] + [_core.pattern_broadcast(part, list(tensor.broadcastable)) for part, tensor in zip(parts, tensors)]

    def R_op(self, inputs, eval_points):
        points = [_zeros(tensor) if point is None else point for tensor, point in zip(inputs[1:], eval_points[1:])]
        return [self(inputs[0], *points)]


class SplitAlong(Op):
    """split(x, sizes, n_splits, axis)"""
    __props__ = ("n_splits",)

    def __init__(self, n_splits):
        self.n_splits = n_splits

    def make_node(self, x, sizes, axis):
        part = TensorType(x.dtype, [False] * x.ndim)
        return Apply(self, [x, sizes, axis], [part() for _ in range(self.n_splits)])

    def perform(self, node, inputs, output_storage, params=None):
        x, sizes, axis = inputs
        axis = _checked(axis, x.ndim)
        if len(sizes) != self.n_splits:
            raise ValueError("split into %d parts was given %d sizes" % (self.n_splits, len(sizes)))
        if (sizes < 0).any():
            raise ValueError("split was given a negative size: %s" % (sizes,))
        if sizes.sum() != x.shape[axis]:
            raise ValueError("the sizes %s add up to %d, but axis %d has size %d" % (sizes, sizes.sum(), axis, x.shape[axis]))
        for storage, part in zip(output_storage, numpy.split(x, numpy.cumsum(sizes)[:-1], axis)):
            storage[0] = part.copy()

    def infer_shape(self, node, shapes):
        axis, whole = node.inputs[2], shapes[0]
        axis = switch(axis < 0, axis + len(whole), axis)
        return [tuple(switch(eq(axis, place), node.inputs[1][number], size) for place, size in enumerate(whole))
                for number in range(self.n_splits)]

    def connection_pattern(self, node):
        return [[True] * self.n_splits, [False] * self.n_splits, [False] * self.n_splits]

    def L_op(self, inputs, outputs, output_grads):
        parts = [_zeros(part) if isinstance(g.type, DisconnectedType) else g for part, g in zip(outputs, output_grads)]
        whole = JoinAlong()(inputs[2], *parts)
        return [_core.pattern_broadcast(whole, list(inputs[0].broadcastable)), DisconnectedType()(), DisconnectedType()()]

    def R_op(self, inputs, eval_points):
        if eval_points[0] is None:
            return [None] * self.n_splits
        return self(eval_points[0], inputs[1], inputs[2], return_list=True)
