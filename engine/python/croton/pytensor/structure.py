"""Ops that make, join, split, shape and check arrays."""
from pytensor.compile import ops as compile_ops
from pytensor.tensor import basic, extra_ops
from pytensor.tensor.reshape import JoinDims, SplitDims
from pytensor.tensor.shape import Reshape, Shape, Shape_i, SpecifyShape
from pytensor.tensor.sort import ArgSortOp, SortOp

import croton.tensor as T
from croton.pytensor.control import inlined
from croton.pytensor.table import NoConversion, conversion


@conversion(basic.TensorFromScalar, basic.ScalarFromTensor, compile_ops.ViewOp)
def unchanged(op, node, x):
    return x


@conversion(compile_ops.DeepCopyOp)
def copy(op, node, x):
    return T.tensor_copy(x) if isinstance(x.type, T.TensorType) else x


@conversion(basic.Alloc)
def alloc(op, node, value, *sizes):
    # PyTensor knows more sizes: those of values that have theirs already.
    known = node.outputs[0].type.shape
    return value if node.inputs[0].type.shape == known and None not in known else T.alloc(value, *sizes)


@conversion(basic.AllocEmpty)
def alloc_empty(op, node, *sizes):
    return T.AllocEmpty(op.dtype)(*sizes)


@conversion(basic.MakeVector)
def make_vector(op, node, *elements):
    if not elements:
        return T.zeros((0,), dtype=op.dtype)
    if len(elements) == 1:
        return T.cast(elements[0], op.dtype).dimshuffle("x")
    return T.stack([T.cast(element, op.dtype) for element in elements])


@conversion(basic.Join)
def join(op, node, axis, *parts):
    return T.join(_axis(axis, op), *parts)


def _axis(axis, op):
    """The number that an axis is, also where the graph computes it of constants."""
    try:
        return int(T.get_scalar_constant_value(axis))
    except T.NotScalarConstantError:
        raise NoConversion("%s along an axis that is known at run time only" % op) from None


@conversion(basic.Split)
def split(op, node, x, axis, sizes):
    return T.split(x, sizes, op.len_splits, axis=_axis(axis, op))


@conversion(basic.ARange)
def arange(op, node, start, stop, step):
    return T.arange(start, stop, step, dtype=op.dtype)


@conversion(basic.Eye)
def eye(op, node, n, m, k):
    return T.eye(n, m, k, dtype=op.dtype)


@conversion(basic.Nonzero)
def nonzero(op, node, x):
    return list(T.nonzero(x, return_matrix=False))


@conversion(basic.ExtractDiag)
def extract_diagonal(op, node, x):
    return T.diagonal(x, offset=op.offset, axis1=op.axis1, axis2=op.axis2)


@conversion(basic.AllocDiag)
def alloc_diagonal(op, node, x):
    if x.ndim != 1:
        return inlined(op, node, x)
    return T.AllocDiag(offset=op.offset, axis1=op.axis1, axis2=op.axis2)(x)


@conversion(Shape)
def shape_of(op, node, x):
    known = node.inputs[0].type.shape
    return T.constant(known, dtype="int64") if known and None not in known else T.shape(x)


@conversion(Shape_i)
def size_of(op, node, x):
    known = node.inputs[0].type.shape[op.i]
    return x.shape[op.i] if known is None else T.constant(known, dtype="int64")


@conversion(Reshape)
def reshaped(op, node, x, sizes):
    return T.reshape(x, T.cast(sizes, "int64"), ndim=op.ndim)  # no sizes at all are of PyTensor's floatX


@conversion(SpecifyShape)
def specify_shape(op, node, x, *sizes):
    known = [size if isinstance(getattr(size, "type", None), T.TensorType) else x.shape[axis] for axis, size in enumerate(sizes)]
    return T.specify_shape(x, T.stack([T.cast(size, "int64") for size in known]) if known else T.zeros((0,), dtype="int64"))


@conversion(JoinDims)
def join_dims(op, node, x):
    sizes = [x.shape[axis] for axis in range(x.ndim)]
    end = op.start_axis + op.n_axes
    return T.reshape(x, sizes[:op.start_axis] + [-1 if op.n_axes else 1] + sizes[end:], ndim=x.ndim - op.n_axes + 1)


@conversion(SplitDims)
def split_dims(op, node, x, sizes):
    ranks = node.outputs[0].ndim - x.ndim + 1
    parts = [x.shape[axis] for axis in range(op.axis)] + [sizes[k] for k in range(ranks)] + [x.shape[axis] for axis in range(op.axis + 1, x.ndim)]
    return T.reshape(x, parts, ndim=node.outputs[0].ndim)


@conversion(extra_ops.CumOp)
def cumulative(op, node, x):
    return (T.cumsum if op.mode == "add" else T.cumprod)(x, axis=op.axis)


@conversion(extra_ops.Repeat)
def repeat(op, node, x, times):
    return T.repeat(x, times, axis=op.axis)


@conversion(SortOp)
def sorted_(op, node, x, axis):
    return T.sort(x, axis=_axis(axis, op))


@conversion(ArgSortOp)
def argsort(op, node, x, axis):
    return T.argsort(x, axis=_axis(axis, op), kind="mergesort" if op.kind in ("mergesort", "stable") else "quicksort")
