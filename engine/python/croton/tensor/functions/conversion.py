"""From numbers, arrays and lists to variables."""
import numbers

import numpy

from croton import _core
from croton.configparser import config
from croton.gof.graph import Apply, Variable
from croton.gof.utils import array_of, listed, unrolled
from croton.tensor.number import tensor_from_scalar
from croton.tensor.type import TensorType
from croton.tensor.var import AsTensorError, TensorConstant


def _as_tensor_fallback(x):
    """as_tensor_variable for what the engine does not convert by itself."""
    if hasattr(x, "_as_TensorVariable"):
        return x._as_TensorVariable()
    if isinstance(x, Apply):
        outputs = x.outputs
        if x.op.default_output is None and len(outputs) != 1:
            raise ValueError("It is ambiguous which output of a multi-output Op has to be fetched.", x)
        return _core.as_variable(x.default_output())
    if isinstance(x, Variable):
        raise AsTensorError("Variable type field must be a TensorType.", x, x.type)
    if isinstance(x, (bool, type(None))):
        raise AsTensorError("Cannot cast %r as a tensor variable. Please use numpy.asarray(True) or numpy.asarray(False) if you "
                            "need these constants" % (x,))
    if isinstance(x, numpy.generic):
        return _constant_of_array(numpy.asarray(x))
    several = listed(x)
    if several is not None:
        several = unrolled(several)
        if holds_variables(several):
            return stacked(several, 0)
        try:
            return constant(several)
        except (TypeError, ValueError) as error:  # of uneven rows NumPy says ValueError
            raise AsTensorError("Cannot convert %s to TensorType" % _shown(several), type(x)) from error
    if isinstance(x, numpy.ndarray):
        return _constant_of_array(x)
    if isinstance(x, int):
        return _core.as_variable(int(x))
    if isinstance(x, float):
        return _core.as_variable(float(x))
    if isinstance(x, (complex, numbers.Complex)):
        return _constant_of_array(numpy.asarray(complex(x)))
    if hasattr(x, "__array__"):
        return _constant_of_array(numpy.asarray(x))
    raise AsTensorError("Cannot convert %s to TensorType" % _shown(x), type(x))


def stacked(items, axis):
    """The items along a new axis."""
    items = [as_tensor_variable(item) for item in items]
    ndim = items[0].ndim
    for item in items:
        if item.ndim != ndim:
            raise TypeError("stack needs tensors of one number of dimensions, got %s" % [item.ndim for item in items])
    if not -(ndim + 1) <= axis <= ndim:
        raise IndexError("axis {0} is out of bounds [-{1}, {1})".format(axis, ndim + 1))
    return _core.stack(items, axis % (ndim + 1))


def holds_variables(items):
    return any(isinstance(item, Variable) or (isinstance(item, (list, tuple)) and holds_variables(item)) for item in items)


def _shown(x):
    try:
        text = str(x)
    except Exception:
        text = repr(x)
    return text if len(text) < 200 else text[:200] + " …"


def _constant_of_array(array, name=None):
    array = numpy.asarray(array)
    if array.dtype.kind not in "biufc" or array.dtype.itemsize > 16 or str(array.dtype) in ("float128", "complex256", "longdouble"):
        what = "its rows have different lengths, or it holds objects" if array.dtype.kind == "O" else "dtype %s" % array.dtype
        raise AsTensorError("Cannot convert %s to TensorType: %s" % (_shown(array), what))
    type_ = TensorType(array.dtype, [size == 1 for size in array.shape])
    return _core.constant(type_, array, name or "")


_core.register_fallback(_as_tensor_fallback)


def as_tensor_variable(x, name=None, ndim=None):
    """x as a tensor variable: variables as they are, numbers, arrays and lists as constants."""
    result = tensor_from_scalar(_core.as_variable(x))
    if ndim is not None and result.ndim != ndim:
        if result.ndim > ndim:
            first = result.broadcastable[:result.ndim - ndim]
            if not all(first):
                raise ValueError("TensorType could not be cast to have %i dimensions" % ndim, result.type)
            return _core.dimshuffle(result, list(range(result.ndim - ndim, result.ndim)))
        result = _core.pad_left(result, ndim - result.ndim)
    if name is not None:
        if isinstance(x, Variable) and result is x:
            return result
        result.name = name
    return result


as_tensor = as_tensor_variable


def constant(x, name=None, ndim=None, dtype=None):
    """A constant of the value x."""
    if isinstance(x, TensorConstant):
        if (name is None or x.name == name) and (ndim is None or x.ndim == ndim) and (dtype is None or x.dtype == dtype):
            return x
        x = x.data
    if isinstance(x, Variable):
        raise TypeError("a constant needs a value, got the variable %s" % x)
    if dtype is not None:
        array = array_of(x, dtype=config.floatX if dtype == "floatX" else dtype)
    elif isinstance(x, (bool, int, float)) and not isinstance(x, (numpy.generic, bool)):
        made = _core.as_variable(x)
        if ndim is None and name is None:
            return made
        array = numpy.asarray(made.data)
    elif isinstance(x, bool):
        array = numpy.asarray(x)
    else:
        array = array_of(x)
        if array.size == 0 and array.dtype == numpy.float64 and not isinstance(x, (numpy.ndarray, numpy.generic)):
            array = array.astype(config.floatX)
    if ndim is not None:
        if array.ndim > ndim:
            raise ValueError("ndarray could not be cast to constant with %i dimensions" % ndim)
        array = array.reshape((1,) * (ndim - array.ndim) + array.shape)
    try:
        return _constant_of_array(array.copy(), name)
    except AsTensorError as error:
        raise TypeError("Could not convert %s to TensorType" % _shown(x), type(x)) from error


def constant_or_value(x, rtype=None, name=None, ndim=None, dtype=None):
    return constant(x, name, ndim, dtype)
