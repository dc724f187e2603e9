"""Pooling: the largest, the sum or the mean of each window."""
import warnings

import numpy

from croton import _core
from croton.gof.graph import Variable
from croton.gof.utils import listed
from croton.tensor import basic
from croton.tensor.opclasses import AveragePoolGrad, MaxPoolGrad, Pool  # noqa: F401

MODES = ("max", "sum", "average_inc_pad", "average_exc_pad")
_FORWARD, _GRADIENT = range(2)


def _sizes(value, axes, name):
    """A vector of `axes` integers."""
    if isinstance(value, (int, float)) and int(value) == value:
        value = (int(value),) * axes
    sizes = basic.as_tensor_variable(value)
    if sizes.ndim != 1:
        raise TypeError("%s is a number or has one an axis, got %s" % (name, sizes.type))
    if "int" not in sizes.dtype:
        raise TypeError("%s holds whole numbers, got %s" % (name, sizes.dtype))
    return basic.cast(sizes, "int64")


def pool(axes, input, ws, ignore_border, stride, pad, mode, ds=None, st=None, padding=None):
    """One number for each window of the last axes, that many of them."""
    for old, new, given, taken in (("ds", "ws", ds, ws), ("st", "stride", st, stride), ("padding", "pad", padding, pad)):
        if given is not None:
            if taken not in (None, 0, (0,) * axes):
                raise ValueError("You can't provide a tuple value to both %r and %r." % (new, old))
            warnings.warn("DEPRECATION: the %r parameter is not going to exist anymore as it is going to be replaced by the parameter %r."
                          % (old, new), stacklevel=3)
    ws, stride, pad = (given if given is not None else taken for given, taken in ((ds, ws), (st, stride), (padding, pad)))
    if ws is None:
        raise ValueError("ws must be a list of %d ints" % axes)
    input = basic.as_tensor_variable(input)
    if input.ndim < axes:
        raise NotImplementedError("pool_%dd requires a dimension >= %d" % (axes, axes))
    if mode not in MODES:
        raise ValueError("Pool mode parameter only support 'max', 'sum', 'average_inc_pad' and 'average_exc_pad'. Got %s" % mode)
    if ignore_border is None:
        warnings.warn("pool_%dd() will have the parameter ignore_border default value changed to True (currently False). To have consistent "
                      "behavior with all Theano version, explicitly add the parameter ignore_border=True." % axes, stacklevel=3)
        ignore_border = False
    ws = _sizes(ws, axes, "ws")
    stride = ws if stride is None else _sizes(stride, axes, "stride")
    return _core.pooling(_FORWARD, MODES.index(mode), axes, bool(ignore_border), [input, ws, stride, _sizes(pad, axes, "pad")])


def pool_2d(input, ws=None, ignore_border=None, stride=None, pad=(0, 0), mode="max", ds=None, st=None, padding=None):
    """One number for each window of the last two axes."""
    return pool(2, input, ws, ignore_border, stride, pad, mode, ds, st, padding)


def pool_3d(input, ws=None, ignore_border=None, stride=None, pad=(0, 0, 0), mode="max", ds=None, st=None, padding=None):
    """One number for each window of the last three axes."""
    return pool(3, input, ws, ignore_border, stride, pad, mode, ds, st, padding)


def max_pool_2d_same_size(input, patch_size):
    """The input, all but the largest of each patch set to zero."""
    input, patch = basic.as_tensor_variable(input), _sizes(patch_size, 2, "patch_size")
    none = _sizes(0, 2, "pad")
    largest = _core.pooling(_FORWARD, 0, 2, True, [input, patch, patch, none])
    return _core.pooling(_GRADIENT, 0, 2, True, [input, largest, largest, patch, patch, none])


def out_shape(imgshape, ws=None, ignore_border=False, stride=None, pad=None, ndim=2, ds=None, st=None, padding=None):
    """The sizes of what pooling gives, of those of its input: numbers where these are numbers, else variables."""
    ws, stride, pad = (old if new is None else new for new, old in ((ws, ds), (stride, st), (pad, padding)))
    if ws is None:
        raise ValueError("You must provide a tuple value for the window size.")
    if len(imgshape) < ndim:
        raise TypeError("imgshape must have at least %d dimensions, got %d" % (ndim, len(imgshape)))
    windows, steps, pads = (_of_axes(given, ndim, name) for given, name in
                            ((ws, "ws"), (ws if stride is None else stride, "stride"), (0 if pad is None else pad, "pad")))
    own = len(imgshape) - ndim
    return list(imgshape[:own]) + [_count(size + 2 * wide, window, step, ignore_border)
                                   for size, window, step, wide in zip(imgshape[own:], windows, steps, pads)]


def _of_axes(given, ndim, name):
    several = listed(given)
    several = [given] * ndim if several is None else several
    if len(several) != ndim:
        raise ValueError("%s has %d sizes, the pooling goes over %d dimensions" % (name, len(several), ndim))
    return several


def _count(size, window, step, ignore_border):
    """How many windows begin within the size: only whole ones, or up to the first that reaches the end."""
    after = (size - window) // step if ignore_border else (size - 1 - window + step) // step
    if ignore_border:
        return _at_least(after + 1, 0)
    if all(isinstance(one, (int, numpy.integer)) for one in (window, step)):
        return (size - 1) // step + 1 if step >= window else _at_least(after, 0) + 1
    return basic.switch(basic.ge(step, window), (size - 1) // step + 1, _at_least(after, 0) + 1)


def _at_least(value, least):
    return basic.maximum(value, least) if isinstance(value, Variable) else max(value, least)


for _class in (Pool, MaxPoolGrad, AveragePoolGrad):
    _class.out_shape = staticmethod(out_shape)
