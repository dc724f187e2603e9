"""Shapes and the order of axes."""
import numpy

from croton import _core
from croton.gof.graph import Constant, Variable
from croton.gof.utils import listed
from croton.tensor.functions.axes import normal_axes, normal_axis
from croton.tensor.functions.conversion import holds_variables, as_tensor_variable
from croton.tensor.functions.elementwise import cast
from croton.tensor.functions.joining import stack
from croton.tensor.functions.known_values import NotScalarConstantError, get_scalar_constant_value, get_vector_length


def shape(x):
    """The sizes as an int64 vector."""
    return _core.shape(x)


def shape_i(x, i, fgraph=None):
    return _core.shape_i(x, int(i))


def specify_shape(x, shape):
    """x, whose shape must be this one when it runs."""
    sizes = listed(shape)
    if sizes is not None:
        shape = stack([cast(size, "int64") for size in sizes]) if holds_variables(sizes) else numpy.asarray(sizes, "int64")
    return _core.specify_shape(x, shape)


def dimshuffle(x, pattern):
    """The axes in another order; 'x' is a new one of size 1."""
    order = []
    x = as_tensor_variable(x)
    for part in pattern:
        if isinstance(part, str):
            if part != "x":
                raise TypeError("a pattern of dimshuffle is made of axes and 'x', got %r" % part)
            order.append(-1)
        else:
            if isinstance(part, Variable):
                part = get_scalar_constant_value(part)
            part = int(part)
            if not 0 <= part < x.ndim:
                raise ValueError("new_order[%d] is %d, but the input only has %d axes." % (len(order), part, x.ndim))
            order.append(part)
    return _core.dimshuffle(x, order)


def transpose(x, axes=None):
    """The axes in another order, reversed unless they are given."""
    x = as_tensor_variable(x)
    axes = list(range(x.ndim - 1, -1, -1)) if axes is None else [normal_axis(axis, x.ndim) for axis in axes]
    if sorted(axes) != list(range(x.ndim)):
        raise ValueError("transpose needs every axis of %d once, got %s" % (x.ndim, axes))
    result = dimshuffle(x, axes)
    if result is not x and x.name and axes == list(range(x.ndim - 1, -1, -1)):
        result.name = x.name + ".T"
    return result


def swapaxes(y, axis1, axis2):
    y = as_tensor_variable(y)
    return _core.swapaxes(y, normal_axis(axis1, y.ndim), normal_axis(axis2, y.ndim))


def moveaxis(x, source, destination):
    x = as_tensor_variable(x)
    source, destination = normal_axes(source, x.ndim), normal_axes(destination, x.ndim)
    if len(source) != len(destination):
        raise ValueError("moveaxis moves as many axes as it is given places, got %d for %d" % (len(source), len(destination)))
    order = [a for a in range(x.ndim) if a not in source]
    for target, origin in sorted(zip(destination, source)):
        order.insert(target, origin)
    return dimshuffle(x, order)


def _elements(sizes):
    """Those of a vector of known length; of vectors that are put together, each one's."""
    node = sizes.owner
    if node is not None and _core.op_name(node.op) == "Join" and all(_core.known_length(part) is not None for part in node.inputs[1:]):
        return [element for part in node.inputs[1:] for element in _elements(part)]
    return [sizes[place] for place in range(_core.known_length(sizes))]


def _is_one(size):
    try:
        return get_scalar_constant_value(size) == 1
    except NotScalarConstantError:
        return False


def reshape(x, newshape, ndim=None, name=None):
    """The same elements in another shape; one size may be -1."""
    x = as_tensor_variable(x)
    sizes = listed(newshape)
    if sizes is not None:
        pass
    elif isinstance(newshape, Variable) and newshape.ndim == 1:
        if ndim is None:
            try:
                ndim = get_vector_length(newshape)
            except ValueError:
                raise ValueError("The length of the provided shape (%s) cannot be automatically determined, so Theano is not able "
                                 "to know what the number of dimensions of the reshaped variable will be. You can provide the "
                                 "'ndim' keyword argument to 'reshape' to avoid this problem." % newshape) from None
        known = not isinstance(newshape, Constant) and _core.known_length(newshape) == ndim
        sizes = [1 if _is_one(size) else size for size in _elements(newshape)] if known else []
        if all(isinstance(size, Variable) for size in sizes):
            return _core.reshape(x, newshape, int(ndim))
    elif isinstance(newshape, numpy.ndarray) and newshape.ndim == 1:
        sizes = newshape.tolist()
    elif isinstance(newshape, Variable) and newshape.ndim > 1 or isinstance(newshape, (str, float)):
        raise TypeError("New shape in reshape must be a vector or a list/tuple of scalar. Got %s" % (newshape,))
    else:
        sizes = [newshape]
    if ndim is not None and ndim != len(sizes):
        raise ValueError("reshape was given %d sizes but ndim=%d" % (len(sizes), ndim))
    for size in sizes:
        if isinstance(size, (int, numpy.integer)) and size < -1:
            raise ValueError("a size is a number from 0 on, or -1 for what is left, got %s" % (size,))
        if isinstance(size, Variable) and (size.ndim != 0 or size.dtype[0] not in "iu"):
            raise TypeError("a size must be an integer scalar, got %s of type %s" % (size, size.type))
    return _core.reshape_sizes(x, sizes)


def flatten(x, ndim=None, outdim=None):
    """The first ndim - 1 axes stay, the others become one."""
    ndim = outdim if ndim is None else ndim
    ndim = 1 if ndim is None else int(ndim)
    x = as_tensor_variable(x)
    if ndim < 1 or (ndim > 1 and ndim > x.ndim):
        raise ValueError("ndim %s out of bound [1, %d)" % (ndim, x.ndim + 1))
    return _core.flatten(x, ndim)


def is_flat(var, ndim=None, outdim=None):
    """Has it this number of dimensions (1 unless another is given)?"""
    ndim = outdim if ndim is None else ndim
    return var.ndim == (1 if ndim is None else ndim)


def shape_padleft(t, n_ones=1):
    """New axes of size 1 in front."""
    return _core.pad_left(as_tensor_variable(t), n_ones)


def shape_padright(t, n_ones=1):
    t = as_tensor_variable(t)
    return dimshuffle(t, list(range(t.ndim)) + ["x"] * n_ones)


def shape_padaxis(t, axis):
    """A new axis of size 1 at this place."""
    t = as_tensor_variable(t)
    ndim = t.ndim + 1
    if not -ndim <= axis < ndim:
        raise IndexError("axis {0} is out of bounds [-{1}, {1})".format(axis, ndim))
    axis %= ndim
    order = list(range(t.ndim))
    order.insert(axis, "x")
    return dimshuffle(t, order)


def expand_dims(a, axis):
    return shape_padaxis(a, axis)


def addbroadcast(x, *axes):
    """The axes are known to have size 1."""
    x = as_tensor_variable(x)
    return _core.rebroadcast(x, [(normal_axis(axis, x.ndim), True) for axis in axes])


def unbroadcast(x, *axes):
    x = as_tensor_variable(x)
    return _core.rebroadcast(x, [(normal_axis(axis, x.ndim), False) for axis in axes])


def patternbroadcast(x, broadcastable):
    return _core.pattern_broadcast(x, [bool(one) for one in broadcastable])
