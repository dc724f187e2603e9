"""theano.shared"""
import copy

import numpy

from croton import _core
from croton.configparser import device_of as _device_of
from croton.gof.graph import Variable
from croton.gof.type import RandomStateType, generic
from croton.tensor.type import TensorType
from croton.tensor.var import SharedVariable

_constructors = []


def shared_constructor(constructor, remove=False):
    """Registers a function value → shared variable, tried before the built-in ones (TypeError: not mine)."""
    if remove:
        _constructors.remove(constructor)
    else:
        _constructors.append(constructor)
    return constructor


def _home(value, target, is_number):
    """The device that keeps it, as Theano does: arrays, also those without axes; whole numbers of these and plain numbers stay on the host,
    where sizes, places and rates are read."""
    if target is not None:
        return _device_of(target)
    stays = is_number or value.dtype.kind == "c" or (value.ndim == 0 and value.dtype.kind != "f")
    return "cpu" if stays else _core.chosen_device()


def shared(value, name=None, strict=False, allow_downcast=None, **kwargs):
    """A variable with a value that functions share and may update."""
    if isinstance(value, Variable):
        raise TypeError("Shared variable constructor needs numeric values and not symbolic variables.")
    for constructor in reversed(_constructors):
        try:
            return constructor(value, name=name, strict=strict, allow_downcast=allow_downcast, **kwargs)
        except TypeError:
            continue
    borrow = kwargs.pop("borrow", False)
    broadcastable = kwargs.pop("broadcastable", None)
    target = kwargs.pop("target", None)
    if kwargs:
        raise TypeError("shared() got an unexpected keyword argument %r" % next(iter(kwargs)))
    if target is not None and not _core.has_device(_device_of(target)):
        raise ValueError("there is no device %r in this process to keep a shared variable on" % (target,))
    label = name or ""
    if name is not None and not isinstance(name, str):
        raise TypeError("the name of a shared variable must be a string, got %r" % (name,))
    if isinstance(value, _core.DeviceArray):
        value = numpy.asarray(value)
    is_number = isinstance(value, (int, float, complex, numpy.generic)) and not isinstance(value, (str, bytes))
    if is_number:
        value = numpy.asarray(value)
    if isinstance(value, numpy.ndarray) and value.dtype.kind in "biufc" and value.dtype.itemsize <= 16 and \
            str(value.dtype) not in ("float128", "complex256", "longdouble", "clongdouble"):
        if type(value) is not numpy.ndarray:
            value = numpy.asarray(value)
        pattern = (False,) * value.ndim if broadcastable is None else tuple(broadcastable)
        type_ = TensorType(value.dtype, pattern)
        fitting = type_.filter(value, strict=strict, allow_downcast=allow_downcast)
        made = _core.shared(type_.on(_home(value, target, is_number)), fitting, label, bool(borrow))
        if strict or allow_downcast is not None:
            made._filter = dict(strict=bool(strict), allow_downcast=allow_downcast)
        return made
    if isinstance(value, numpy.random.RandomState):
        return _core.shared(RandomStateType(), value if borrow else copy.deepcopy(value), label, True)
    if broadcastable is not None:
        raise TypeError("broadcastable is for arrays, the value is a %s" % type(value).__name__)
    return _core.shared(generic, value, label, True)
