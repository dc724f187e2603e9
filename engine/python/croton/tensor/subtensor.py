"""Indexing, and writing through an index."""
import numpy

from croton import _core
from croton.gof.graph import Constant, Variable
from croton.gof.type import NoneTypeT, SliceType
from croton.gof.utils import listed
from croton.tensor.functions.axes import normal_axis
from croton.tensor.functions.conversion import as_tensor_variable, constant
from croton.tensor.functions.elementwise import cast, clip, mod
from croton.tensor.functions.shapes import flatten, shape_i
from croton.tensor.opclasses import (AdvancedIncSubtensor, AdvancedIncSubtensor1, AdvancedSubtensor,  # noqa: F401
                                     AdvancedSubtensor1, IncSubtensor, Subtensor)
from croton.tensor.type_other import bounds_of


class AdvancedIndexingError(TypeError):
    """An index that cannot be used."""


def getitem(x, index):
    """x[index]: integers, slices, None, …, arrays, masks."""
    several = None if isinstance(index, tuple) else listed(index)
    if several is not None:
        # As old NumPy had it: a list with a slice in it is the tuple of its parts.
        index = tuple(several) if any(isinstance(part, slice) for part in several) else (_list_index(several),)
    elif not isinstance(index, tuple):
        index = (index,)
    parts = []
    for part in _with_bounds(x, index):
        if part is None or part is Ellipsis or isinstance(part, slice):
            if isinstance(part, slice):
                part = slice(*[_bound(edge) for edge in (part.start, part.stop, part.step)])
            parts.append(part)
        elif isinstance(part, (bool, numpy.bool_)):
            raise TypeError("TensorType does not support Python bools for indexing, such as tensor[[True, False]]. To use a "
                            "boolean mask, convert the mask to a NumPy array first, e.g., tensor[numpy.array([True, False])].")
        elif isinstance(part, (int, numpy.integer)):
            parts.append(int(part))
        elif (several := listed(part)) is not None:
            parts.append(_list_index(several))
        elif isinstance(part, (float, numpy.floating)) or getattr(part, "dtype", None) in _FLOATS:
            raise TypeError("an index must be an integer, a slice, None, Ellipsis or an array of integers or booleans, got %s" % (part,))
        else:
            parts.append(as_tensor_variable(part))
    if len(parts) == 1 and parts[0] is Ellipsis and x.ndim:
        parts = [slice(None)] * x.ndim  # a part that can be written to, as x[:] is
    count = sum(1 for part in parts if part is not None and part is not Ellipsis)
    masks = sum(part.ndim - 1 for part in parts if isinstance(part, Variable) and part.dtype == "bool" and part.ndim > 0)
    if count + masks > x.ndim:
        raise IndexError("too many indices for array")
    kinds = [_kind_of_part(part) for part in parts]
    if None in kinds and all(kind in (None, slice, int) for kind in kinds) and count < x.ndim and all(x.broadcastable[count:]):
        # As Theano has it: where an axis is added, those of one element that no part names are gone.
        axes = iter(range(count))
        x = x.dimshuffle(*["x" if part is None else next(axes) for part in parts])
        parts = [slice(None) if part is None else part for part in parts]
        if all(isinstance(part, slice) and part == slice(None) for part in parts):
            return x
    return _core.subtensor(x, tuple(parts))


def _kind_of_part(part):
    """None, slice, int (also of a variable), Ellipsis or, of an array, its class."""
    if part is None or part is Ellipsis:
        return part
    return int if isinstance(part, Variable) and part.ndim == 0 and part.dtype != "bool" else type(part)


def _with_bounds(x, index):
    """The index with what slice variables and NoneConst stand for."""
    parts, of_variables = [], []
    for part in index:
        kind = getattr(part, "type", None)
        if isinstance(kind, NoneTypeT):
            part = None
        elif isinstance(kind, SliceType):
            of_variables.append(len(parts))
        parts.append(part)
    for place in of_variables:
        before, after = parts[:place], parts[place + 1:]
        axis = x.ndim - _axes(after) if any(part is Ellipsis for part in before) else _axes(before) + 1
        if axis > x.ndim:
            raise IndexError("too many indices for array")
        parts[place] = bounds_of(parts[place], shape_i(x, axis - 1))
    return parts


def _axes(parts):
    """How many axes these parts of an index take."""
    return sum(max(getattr(part, "ndim", 1), 1) if getattr(part, "dtype", None) == "bool" else 1 for part in parts
               if part is not None and part is not Ellipsis)


_FLOATS = ("float16", "float32", "float64")


def _list_index(items):
    if any(isinstance(item, (bool, numpy.bool_)) for item in items):
        raise TypeError("TensorType does not support Python bools for indexing, such as tensor[[True, False]]. To use a "
                        "boolean mask, convert the mask to a NumPy array first, e.g., tensor[numpy.array([True, False])].")
    if len(items) == 0:
        return as_tensor_variable(numpy.asarray(items, dtype="int64"))
    return as_tensor_variable(items)


def _bound(edge):
    if edge is None or isinstance(edge, Variable):
        return edge
    if isinstance(edge, (int, numpy.integer)):
        return int(edge)
    if isinstance(edge, numpy.ndarray) and edge.ndim == 0 and edge.dtype.kind in "iu":
        return int(edge)
    raise TypeError("a bound of a slice must be an integer, got %r" % (edge,))


def _written(x, y, is_set):
    if not isinstance(x, Variable):
        raise TypeError("x must be a symbolic variable, indexed: set_subtensor(x[…], y)")
    if isinstance(y, (int, float)) and not isinstance(y, (bool, numpy.generic)):
        # A plain number takes the dtype of the array if that can hold it.
        if isinstance(y, float) and x.dtype[0] in "fc" or isinstance(y, int) and (x.dtype[0] in "fc" or x.dtype[0] in "iu" and
                                                                                 numpy.iinfo(x.dtype).min <= y <= numpy.iinfo(x.dtype).max):
            return constant(y, dtype=x.dtype)
        return as_tensor_variable(y)
    y = as_tensor_variable(y)
    # As NumPy has it: x[i] = y casts to what x holds, x[i] += y only within a kind.
    if y.dtype != x.dtype and "complex" not in y.dtype and (is_set or _kind(y) <= _kind(x)):
        y = cast(y, x.dtype)
    return y


def _kind(x):
    return "biufc".index(numpy.dtype(x.dtype).kind.replace("u", "i"))


def _write(x, y, inplace, is_set, name):
    y = _written(x, y, is_set)
    if x.owner is None:
        raise TypeError("x must be the result of a subtensor operation: %s(x[…], y)" % name)
    if y.ndim > x.ndim:
        raise TypeError("Trying to increment a %d-dimensional subtensor with a %d-dimensional value." % (x.ndim, y.ndim))
    return _core.inc_subtensor(x, y, is_set, bool(inplace))


def inc_subtensor(x, y, inplace=False, set_instead_of_inc=False, tolerate_inplace_aliasing=False):
    """The array that x is a part of, with that part increased by y. Repeated indices add up."""
    return _write(x, y, inplace, set_instead_of_inc, "inc_subtensor")


def set_subtensor(x, y, inplace=False, tolerate_inplace_aliasing=False):
    """The array that x is a part of, with that part replaced by y."""
    return _write(x, y, inplace, True, "set_subtensor")


def take(a, indices, axis=None, mode="raise"):
    """Elements (or slices along an axis) at the indices."""
    a, indices = as_tensor_variable(a), as_tensor_variable(indices)
    if axis is None:
        a, axis = flatten(a), 0
    axis = normal_axis(axis, a.ndim)
    size = shape_i(a, axis)
    if mode == "clip":
        indices = clip(indices, 0, size - 1)
    elif mode == "wrap":
        indices = mod(indices, size)
    elif mode != "raise":
        raise ValueError("take mode must be raise, clip or wrap")
    return _core.take(a, indices, axis)


def as_index_constant(a):
    return a if isinstance(a, Variable) or a is None else constant(a)
