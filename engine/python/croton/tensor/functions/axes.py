"""Axes as a person names them, and as the engine wants them."""
import numpy

from croton.gof.graph import Constant, Variable
from croton.gof.utils import listed
from croton.tensor.functions.errors import AxisError


def normal_axes(axis, ndim):
    """A list of non-negative axes, or None for all."""
    if axis is None:
        return None
    if isinstance(axis, Variable):
        if isinstance(axis, Constant):
            if axis.data is None:
                return None
            axis = axis.data.tolist()
        else:
            raise TypeError("axis must be a number or a tuple of numbers known when the graph is built, got the variable %s" % axis)
    if isinstance(axis, numpy.ndarray):
        axis = axis.tolist()
    several = listed(axis)
    return [normal_axis(axis, ndim)] if several is None else list(dict.fromkeys(normal_axis(one, ndim) for one in several))


def normal_axis(axis, ndim):
    if isinstance(axis, Constant):
        axis = int(axis.data)
    if isinstance(axis, numpy.ndarray) and axis.ndim == 0:
        axis = axis.item()
    if isinstance(axis, bool) or not isinstance(axis, (int, numpy.integer)):
        if not (isinstance(axis, (float, numpy.floating)) and float(axis).is_integer()):
            raise TypeError("axis must be an integer, got %r" % (axis,))
    axis = int(axis)
    if not -max(ndim, 1) <= axis < max(ndim, 1):
        raise AxisError("axis %d is out of range for %d dimensions" % (axis, ndim))
    return axis % ndim if ndim else 0
