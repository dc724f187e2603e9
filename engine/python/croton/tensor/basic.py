"""The functions of theano.tensor: creation, elementwise functions, reductions, shapes, joining."""
import builtins
import numbers

import numpy

from croton import _core
from croton.configparser import config
from croton.gof.graph import Apply, Constant, Variable
from croton.tensor import opclasses
from croton.tensor.opclasses import *  # noqa: F401,F403
from croton.tensor.type import CONSTRUCTORS, TensorType, tensor
from croton.tensor.var import (AsTensorError, TensorConstant, TensorSharedVariable, TensorVariable, _tensor_py_operators)

globals().update(CONSTRUCTORS)
pyslice, pyabs, pysum, pymax, pymin, pyall, pyany, pyround, pydivmod, pycomplex = (
    builtins.slice, builtins.abs, builtins.sum, builtins.max, builtins.min, builtins.all, builtins.any, builtins.round,
    builtins.divmod, builtins.complex)


class NotScalarConstantError(Exception):
    """The value is not known before the function runs."""


class EmptyConstantError(NotScalarConstantError):
    pass


class ShapeError(Exception):
    """A shape that is not known."""


class IntegerDivisionError(Exception):
    """/ between integers, with the flag int_division=raise."""


# --- conversion -------------------------------------------------------------------------------------------
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
    if isinstance(x, (list, tuple)):
        if _holds_variables(x):
            return stack([as_tensor_variable(item) for item in x])
        return constant(x)
    if isinstance(x, numpy.ndarray):
        return _constant_of_array(x)
    if isinstance(x, int):
        return _core.as_variable(int(x))
    if isinstance(x, float):
        return _core.as_variable(float(x))
    if isinstance(x, (pycomplex, numbers.Complex)):
        return _constant_of_array(numpy.asarray(pycomplex(x)))
    if hasattr(x, "__array__"):
        return _constant_of_array(numpy.asarray(x))
    raise AsTensorError("Cannot convert %s to TensorType" % _shown(x), type(x))


def _holds_variables(items):
    return pyany(isinstance(item, Variable) or (isinstance(item, (list, tuple)) and _holds_variables(item)) for item in items)


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
    result = _core.as_variable(x)
    if ndim is not None and result.ndim != ndim:
        if result.ndim > ndim:
            first = result.broadcastable[:result.ndim - ndim]
            if not pyall(first):
                raise ValueError("TensorType could not be cast to have %i dimensions" % ndim, result.type)
            return dimshuffle(result, range(result.ndim - ndim, result.ndim))
        result = shape_padleft(result, ndim - result.ndim)
    if name is not None:
        if isinstance(x, Variable) and result is x:
            return result
        result.name = name
    return result


as_tensor = as_tensor_variable
_as_tensor_variable = as_tensor_variable


def constant(x, name=None, ndim=None, dtype=None):
    """A constant of the value x."""
    if isinstance(x, TensorConstant):
        if (name is None or x.name == name) and (ndim is None or x.ndim == ndim) and (dtype is None or x.dtype == dtype):
            return x
        x = x.data
    if isinstance(x, Variable):
        raise TypeError("a constant needs a value, got the variable %s" % x)
    if dtype is not None:
        array = numpy.asarray(x, dtype=config.floatX if dtype == "floatX" else dtype)
    elif isinstance(x, (bool, int, float)) and not isinstance(x, (numpy.generic, bool)):
        made = _core.as_variable(x)
        if ndim is None and name is None:
            return made
        array = numpy.asarray(made.data)
    elif isinstance(x, bool):
        array = numpy.asarray(x)
    else:
        array = numpy.asarray(x)
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


# --- elementwise ------------------------------------------------------------------------------------------
def _elemwise(name):
    return _core.elemwise(name)


_NAMES = {name: name for name in (
    "add sub mul true_div int_div mod pow neg inv sqr sqrt sgn maximum minimum lt gt le ge eq neq isnan isinf and_ or_ xor "
    "invert ceil floor trunc exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh "
    "arccosh arctanh deg2rad rad2deg erf erfc erfcx erfinv erfcinv gamma gammaln psi chi2sf j0 j1 jv i0 i1 iv "
    "gammainc gammaincc gammau gammal real imag angle conj switch clip second identity").split()}
_NAMES.update({"abs_": "abs_", "tri_gamma": "tri_gamma", "round_half_to_even": "round_half_to_even",
               "round_half_away_from_zero": "round_half_away_from_zero", "complex": "complex",
               "complex_from_polar": "complex_from_polar", "tensor_copy": "identity"})
for _name, _scalar in _NAMES.items():
    if _core.has_scalar(_scalar):
        globals()[_name] = _elemwise(_scalar)

abs = abs_  # noqa: F821
absolute = abs_  # noqa: F821
power = pow  # noqa: F821
square = sqr  # noqa: F821
bitwise_and, bitwise_or, bitwise_xor, bitwise_not = and_, or_, xor, invert  # noqa: F821
where = switch  # noqa: F821
fill = second  # noqa: F821
largest = lambda *args: _fold("largest", maximum, args)  # noqa: F821,E731
smallest = lambda *args: _fold("smallest", minimum, args)  # noqa: F821,E731
conjugate = conj  # noqa: F821


def _fold(name, function, args):
    if len(args) == 0:
        raise TypeError("%s takes at least one argument" % name)
    if len(args) == 2:
        return function(*args)
    stacked = stack(args)
    return (max if name == "largest" else min)(stacked, axis=0)


def true_div(a, b):
    """a / b; two integers give floatX."""
    return _core.true_div(a, b)


def div_proxy(a, b):
    """/ as the flag int_division says."""
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    if a.dtype[0] in "iub" and b.dtype[0] in "iub":
        if config.int_division == "raise":
            raise IntegerDivisionError("With `config.int_division` set to 'raise', dividing two integer types with '/' is "
                                       "forbidden to avoid confusion between integer and floating point divisions.")
        if config.int_division == "int":
            return int_div(a, b)  # noqa: F821
    return true_div(a, b)


floor_div = int_div  # noqa: F821


def divmod(x, y):
    """(x // y, x % y)"""
    return floor_div(x, y), mod(x, y)  # noqa: F821


def mod_check(x, y):
    return mod(x, y)  # noqa: F821


def ceil_intdiv(a, b):
    """ceil(a / b) of integers, as integers."""
    div = int_div(a, b)  # noqa: F821
    ret = cast(neq(a % b, 0), div.dtype) + div  # noqa: F821
    return ret


def cast(x, dtype):
    """x with another dtype; 'floatX' is the configured one."""
    if isinstance(dtype, str) and dtype == "floatX":
        dtype = config.floatX
    x = as_tensor_variable(x)
    name = str(numpy.dtype(dtype)) if not isinstance(dtype, str) or dtype not in _DTYPES else dtype
    if x.dtype == name:
        return x
    if x.dtype.startswith("complex") and not name.startswith("complex"):
        raise TypeError("Casting from complex to real is ambiguous: consider real(), imag(), angle() or abs()")
    return _core.cast(x, name)


_DTYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
           "complex64", "complex128"}


def _conversion(dtype):
    def convert(x):
        return cast(x, dtype)
    convert.__name__ = "_convert_to_" + dtype
    return convert


for _dtype in _DTYPES:
    globals()["_convert_to_" + _dtype] = _conversion(_dtype)


def round(a, mode=None):
    """To the nearest integer; mode half_to_even or half_away_from_zero."""
    if mode in (None, "half_to_even"):
        return round_half_to_even(a)  # noqa: F821
    if mode == "half_away_from_zero":
        return round_half_away_from_zero(a)  # noqa: F821
    raise Exception("round mode %s is not implemented." % mode)


def iround(a, mode=None):
    return cast(round(a, mode), "int64")


def sqrt_(x):
    return sqrt(x)  # noqa: F821


def isclose(a, b, rtol=1.e-5, atol=1.e-8, equal_nan=False):
    """Elementwise |a - b| <= atol + rtol·|b|, infinities of one sign being close."""
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    close = le(abs_(a - b), atol + rtol * abs_(b))  # noqa: F821
    if a.dtype[0] in "iub" and b.dtype[0] in "iub":
        return close
    both_nan = and_(isnan(a), isnan(b))  # noqa: F821
    either_inf = or_(isinf(a), isinf(b))  # noqa: F821
    same_inf = and_(and_(isinf(a), isinf(b)), eq(a, b))  # noqa: F821
    result = or_(and_(close, invert(either_inf)), same_inf)  # noqa: F821
    return or_(result, both_nan) if equal_nan else result  # noqa: F821


def allclose(a, b, rtol=1.e-5, atol=1.e-8, equal_nan=False):
    return all(isclose(a, b, rtol, atol, equal_nan))


# --- creation ---------------------------------------------------------------------------------------------
def alloc(value, *shape):
    """`value` broadcast to the shape."""
    if len(shape) == 1 and isinstance(shape[0], (list, tuple)):
        shape = tuple(shape[0])
    return _core.alloc(value, list(shape))


def _shape_list(shape):
    if isinstance(shape, (list, tuple)):
        return list(shape)
    if isinstance(shape, Variable) and shape.ndim == 1:
        return [shape[i] for i in range(get_vector_length(shape))]
    if isinstance(shape, numpy.ndarray) and shape.ndim == 1:
        return [int(size) for size in shape]
    return [shape]


def zeros(shape, dtype=None):
    """Zeros of the shape (a number, or a sequence of numbers and scalars)."""
    dtype = config.floatX if dtype in (None, "floatX") else str(numpy.dtype(dtype))
    return _core.alloc(numpy.zeros((), dtype), _shape_list(shape))


def ones(shape, dtype=None):
    dtype = config.floatX if dtype in (None, "floatX") else str(numpy.dtype(dtype))
    return _core.alloc(numpy.ones((), dtype), _shape_list(shape))


def zeros_like(model, dtype=None, opt=False):
    return _like(model, 0, dtype)


def ones_like(model, dtype=None, opt=False):
    return _like(model, 1, dtype)


def _like(model, value, dtype):
    model = as_tensor_variable(model)
    dtype = model.dtype if dtype is None else config.floatX if dtype == "floatX" else str(numpy.dtype(dtype))
    return _core.fill(model, numpy.asarray(value, dtype))


def zeros_like_(model):
    return zeros_like(model)


def full_like(model, fill_value, dtype=None):
    model = as_tensor_variable(model)
    return fill(model, cast(fill_value, dtype or model.dtype))


def transfer(var, target):
    if target in (None, "cpu"):
        return as_tensor_variable(var)
    raise ValueError("there is no device %r in this process to transfer %s to" % (target, var))


# --- reductions -------------------------------------------------------------------------------------------
def _axes(axis, ndim):
    """A list of non-negative axes, or None for all."""
    if axis is None:
        return None
    if isinstance(axis, Variable):
        if isinstance(axis, Constant):
            axis = axis.data.tolist()
        else:
            raise TypeError("axis must be a number or a tuple of numbers known when the graph is built, got the variable %s" % axis)
    if isinstance(axis, numpy.ndarray):
        axis = axis.tolist()
    if isinstance(axis, (list, tuple)):
        axes = [_axis(one, ndim) for one in axis]
    else:
        axes = [_axis(axis, ndim)]
    return axes


def _axis(axis, ndim):
    if isinstance(axis, Constant):
        axis = int(axis.data)
    if isinstance(axis, bool) or not isinstance(axis, (int, numpy.integer)):
        if not (isinstance(axis, (float, numpy.floating)) and float(axis).is_integer()):
            raise TypeError("axis must be an integer, got %r" % (axis,))
    axis = int(axis)
    if not -pymax(ndim, 1) <= axis < pymax(ndim, 1):
        raise ValueError("axis %d is out of range for %d dimensions" % (axis, ndim))
    return axis % ndim if ndim else 0


def _reduce(kind, x, axis, keepdims, dtype=None, acc_dtype=None):
    x = as_tensor_variable(x)
    axes = _axes(axis, x.ndim)
    if axes is not None and x.ndim == 0:
        axes = []
    if axes == []:
        return x if dtype is None else cast(x, dtype)
    dtype = None if dtype is None else config.floatX if dtype == "floatX" else str(numpy.dtype(dtype))
    acc_dtype = None if acc_dtype is None else config.floatX if acc_dtype == "floatX" else str(numpy.dtype(acc_dtype))
    return _core.reduce(kind, x, axes, bool(keepdims), dtype, acc_dtype)


def sum(input, axis=None, dtype=None, keepdims=False, acc_dtype=None):
    """Sum over the axes (None: all)."""
    return _reduce("sum", input, axis, keepdims, dtype, acc_dtype)


def prod(input, axis=None, dtype=None, keepdims=False, acc_dtype=None, no_zeros_in_input=False):
    return _reduce("prod", input, axis, keepdims, dtype, acc_dtype)


def max(x, axis=None, keepdims=False):
    return _reduce("max", x, axis, keepdims)


def min(x, axis=None, keepdims=False):
    return _reduce("min", x, axis, keepdims)


def any(x, axis=None, keepdims=False):
    return _reduce("any", neq(x, 0) if as_tensor_variable(x).dtype != "bool" else x, axis, keepdims)  # noqa: F821


def all(x, axis=None, keepdims=False):
    return _reduce("all", neq(x, 0) if as_tensor_variable(x).dtype != "bool" else x, axis, keepdims)  # noqa: F821


def mean(input, axis=None, dtype=None, op=False, keepdims=False, acc_dtype=None):
    """Mean over the axes; integers give floats."""
    input = as_tensor_variable(input)
    if dtype is None and acc_dtype is None:
        axes = _axes(axis, input.ndim)
        if axes != [] and not (input.ndim == 0):
            return _core.mean(input, axes, bool(keepdims))
    if dtype is not None and dtype != "floatX" and numpy.dtype(dtype).kind in "iub":
        raise TypeError("the mean of numbers is no integer: dtype=%s cannot hold it" % dtype)
    axes = _axes(axis, input.ndim)
    axes = list(range(input.ndim)) if axes is None else axes
    sum_dtype = dtype if dtype is not None else "float64" if input.dtype[0] in "iub" else None
    total = sum(input, axis=axis, dtype=sum_dtype, keepdims=keepdims, acc_dtype=acc_dtype)
    count_dtype = "float32" if total.dtype in ("float16", "float32", "complex64") else "float64"
    for axis_ in axes if input.ndim else []:
        total = true_div(total, cast(shape_i(input, axis_), count_dtype))
    if dtype is not None and total.dtype != dtype:
        total = cast(total, dtype)
    total.name = "mean"
    return total


def var(input, axis=None, ddof=0, keepdims=False, corrected=False):
    """Variance over the axes."""
    input = as_tensor_variable(input)
    axes = _axes(axis, input.ndim)
    axes = list(range(input.ndim)) if axes is None else axes
    centered = input - mean(input, axes, keepdims=True)
    squares = sqr(centered)  # noqa: F821
    if ddof == 0:
        result = mean(squares, axes, keepdims=keepdims)
    else:
        count = shape_i(input, axes[0]) - ddof if len(axes) == 1 else prod(stack([shape_i(input, a) for a in axes])) - ddof
        result = sum(squares, axes, keepdims=keepdims) / cast(count, centered.dtype)
    if corrected:
        shift = mean(centered, axes, keepdims=keepdims)
        result = result - sqr(shift)  # noqa: F821
    result.name = "var"
    return result


def std(input, axis=None, ddof=0, keepdims=False, corrected=False):
    result = sqrt(var(input, axis, ddof, keepdims, corrected))  # noqa: F821
    result.name = "std"
    return result


def ptp(a, axis=None):
    """Largest minus smallest."""
    a = as_tensor_variable(a)
    return max(a, axis) - min(a, axis)


def argmax(x, axis=None, keepdims=False):
    """Where the largest element is (the first of equal ones)."""
    x = as_tensor_variable(x)
    return _core.argmax(x, _axes(axis, x.ndim), bool(keepdims))


def argmin(x, axis=None, keepdims=False):
    x = as_tensor_variable(x)
    return _core.argmin(x, _axes(axis, x.ndim), bool(keepdims))


def max_and_argmax(a, axis=None, keepdims=False):
    a = as_tensor_variable(a)
    return _core.max_and_argmax(a, _axes(axis, a.ndim), bool(keepdims))


# --- products ---------------------------------------------------------------------------------------------
def dot(l, r):
    """Product of vectors, matrices and more, with NumPy's rules."""
    return _core.dot(l, r)


def outer(x, y):
    """x_i · y_j of two vectors (more dimensions are flattened)."""
    return _core.outer(x, y)


def tensordot(a, b, axes=2):
    """Sums products over axes: a number (the last of a with the first of b) or a pair of lists."""
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    if isinstance(axes, (int, numpy.integer)) and not isinstance(axes, bool):
        if axes < 0 or axes > a.ndim or axes > b.ndim:
            raise ValueError("axes %d should be between 0 and the number of dimensions of both inputs (%d and %d)"
                             % (axes, a.ndim, b.ndim))
        left, right = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        if len(axes) != 2:
            raise ValueError("axes should be an integer or a pair of lists, got %r" % (axes,))
        left, right = [[one] if isinstance(one, (int, numpy.integer)) else list(one) for one in axes]
    if len(left) != len(right):
        raise ValueError("tensordot sums over %d axes of a but %d of b" % (len(left), len(right)))
    return _core.tensordot(a, b, [_axis(axis, a.ndim) for axis in left], [_axis(axis, b.ndim) for axis in right])


def batched_dot(a, b):
    """dot of a[i] and b[i] for every i."""
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    if a.ndim == 0 or b.ndim == 0:
        raise TypeError("a and b must have at least one dimension")
    if a.ndim not in (1, 2, 3) or b.ndim not in (1, 2, 3):
        return batched_tensordot(a, b, [[a.ndim - 1], [pymax(0, b.ndim - 2)]])
    if a.ndim == 1:
        return dimshuffle(a, (0,) + ("x",) * (b.ndim - 1)) * b
    if b.ndim == 1:
        return a * dimshuffle(b, (0,) + ("x",) * (a.ndim - 1))
    return _core.batched_dot(a, b)


def batched_tensordot(x, y, axes=2):
    """tensordot of x[i] and y[i] for every i; axes count from 1 then."""
    x, y = as_tensor_variable(x), as_tensor_variable(y)
    if isinstance(axes, (int, numpy.integer)):
        left = list(range(x.ndim - axes, x.ndim))
        right = list(range(1, axes + 1))
    else:
        left, right = [[one] if isinstance(one, (int, numpy.integer)) else list(one) for one in axes]
    rest_x = [axis for axis in range(1, x.ndim) if axis not in left]
    rest_y = [axis for axis in range(1, y.ndim) if axis not in right]
    order_x = [0] + rest_x + left
    order_y = [0] + right + rest_y
    xs, ys = dimshuffle(x, order_x), dimshuffle(y, order_y)
    many = prod(stack([xs.shape[1 + i] for i in range(len(rest_x))])) if rest_x else constant(1, dtype="int64")
    summed = prod(stack([shape_i(x, axis) for axis in left])) if left else constant(1, dtype="int64")
    other = prod(stack([shape_i(y, axis) for axis in rest_y])) if rest_y else constant(1, dtype="int64")
    product = batched_dot(reshape(xs, [shape_i(x, 0), many, summed], ndim=3), reshape(ys, [shape_i(x, 0), summed, other], ndim=3))
    sizes = [shape_i(x, 0)] + [shape_i(x, axis) for axis in rest_x] + [shape_i(y, axis) for axis in rest_y]
    return reshape(product, sizes, ndim=len(sizes))


# --- shape ------------------------------------------------------------------------------------------------
def shape(x):
    """The sizes as an int64 vector."""
    return _core.shape(x)


def shape_i(x, i, fgraph=None):
    return _core.shape_i(x, int(i))


def specify_shape(x, shape):
    """x, whose shape must be this one when it runs."""
    if isinstance(shape, (list, tuple)):
        shape = stack([cast(size, "int64") for size in shape]) if _holds_variables(shape) else numpy.asarray(shape, "int64")
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
    axes = list(range(x.ndim - 1, -1, -1)) if axes is None else [_axis(axis, x.ndim) for axis in axes]
    if sorted(axes) != list(range(x.ndim)):
        raise ValueError("transpose needs every axis of %d once, got %s" % (x.ndim, axes))
    result = dimshuffle(x, axes)
    if x.name and axes == list(range(x.ndim - 1, -1, -1)):
        result.name = x.name + ".T"
    return result


def swapaxes(y, axis1, axis2):
    y = as_tensor_variable(y)
    order = list(range(y.ndim))
    axis1, axis2 = _axis(axis1, y.ndim), _axis(axis2, y.ndim)
    order[axis1], order[axis2] = order[axis2], order[axis1]
    return dimshuffle(y, order)


def moveaxis(x, source, destination):
    x = as_tensor_variable(x)
    source = [_axis(a, x.ndim) for a in (source if isinstance(source, (list, tuple)) else [source])]
    destination = [_axis(a, x.ndim) for a in (destination if isinstance(destination, (list, tuple)) else [destination])]
    order = [a for a in range(x.ndim) if a not in source]
    for target, origin in sorted(zip(destination, source)):
        order.insert(target, origin)
    return dimshuffle(x, order)


def reshape(x, newshape, ndim=None, name=None):
    """The same elements in another shape; one size may be -1."""
    x = as_tensor_variable(x)
    if isinstance(newshape, (list, tuple)):
        sizes = list(newshape)
    elif isinstance(newshape, Variable) and newshape.ndim == 1:
        if ndim is None:
            try:
                ndim = get_vector_length(newshape)
            except ValueError:
                raise ValueError("The length of the provided shape (%s) cannot be automatically determined, so Theano is not able "
                                 "to know what the number of dimensions of the reshaped variable will be. You can provide the "
                                 "'ndim' keyword argument to 'reshape' to avoid this problem." % newshape) from None
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


def shape_padleft(t, n_ones=1):
    """New axes of size 1 in front."""
    t = as_tensor_variable(t)
    return dimshuffle(t, ["x"] * n_ones + list(range(t.ndim)))


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
    return _core.rebroadcast(x, [(_axis(axis, x.ndim), True) for axis in axes])


def unbroadcast(x, *axes):
    x = as_tensor_variable(x)
    return _core.rebroadcast(x, [(_axis(axis, x.ndim), False) for axis in axes])


def patternbroadcast(x, broadcastable):
    return _core.pattern_broadcast(x, [bool(one) for one in broadcastable])


def get_vector_length(v):
    """The length of a vector, if it is known."""
    v = as_tensor_variable(v)
    if v.ndim != 1:
        raise TypeError("argument must be symbolic vector, got '%s'" % v)
    if v.broadcastable[0]:
        return 1
    if isinstance(v, Constant):
        return len(v.data)
    from croton.tensor import known
    length = known.size(v, 0)
    if length is None:
        raise ValueError("length not known: %s" % v)
    return length


def get_scalar_constant_value(v, elemwise=True, only_process_constants=False, max_recur=10):
    """The value of a 0-d constant, seen through what only moves it; NotScalarConstantError otherwise."""
    if v is None:
        raise NotScalarConstantError()
    if isinstance(v, (int, float, pycomplex, numpy.generic)):
        return numpy.asarray(v)
    if isinstance(v, numpy.ndarray):
        if v.ndim == 0:
            return numpy.asarray(v)
        raise NotScalarConstantError()
    if isinstance(v, Constant):
        data = numpy.asarray(v.data)
        if data.size == 0:
            raise EmptyConstantError()
        if data.size == 1 or (data == data.flat[0]).all():
            return data.flat[0:1].reshape(())
        raise NotScalarConstantError(v)
    if isinstance(v, Variable) and not only_process_constants:
        value = _core.scalar_constant_value(v)
        if value is not None:
            return numpy.asarray(value).astype(v.dtype)
    raise NotScalarConstantError(v)


def extract_constant(x, elemwise=True, only_process_constants=False):
    try:
        return get_scalar_constant_value(x, elemwise, only_process_constants)
    except NotScalarConstantError:
        return x


def numpy_scalar(data):
    if data.ndim > 0 and (len(data.shape) == 0 or 0 in data.shape):
        raise EmptyConstantError()
    return numpy.asarray(data).reshape(())


# --- joining, splitting -----------------------------------------------------------------------------------
def join(axis, *tensors_list):
    """The tensors one behind the other along an axis."""
    if len(tensors_list) == 1:
        return as_tensor_variable(tensors_list[0])
    if isinstance(axis, Variable):
        try:
            axis = int(get_scalar_constant_value(axis))
        except NotScalarConstantError:
            raise TypeError("the axis of join must be known when the graph is built, got the variable %s" % axis) from None
    return _core.join(int(axis), list(tensors_list))


def concatenate(tensor_list, axis=0):
    if not isinstance(tensor_list, (tuple, list)):
        raise TypeError("The 'tensors' argument must be either a tuple or a list, make sure you did not forget () or [] around "
                        "arguments of concatenate.", tensor_list)
    return join(axis, *tensor_list)


def stack(*tensors, **kwargs):
    """stack([a, b], axis=0): a new axis; stack(a, b) is the old form."""
    if not tensors and not kwargs:
        raise Exception("theano.tensor.stack(tensors, axis) must have at least one parameter")
    if kwargs or isinstance(tensors[0], (list, tuple)):
        axis = kwargs.pop("axis", tensors[1] if len(tensors) > 1 else 0)
        items = kwargs.pop("tensors", tensors[0] if tensors else None)
        if kwargs:
            raise TypeError("stack() got an unexpected keyword argument %r" % next(iter(kwargs)))
    else:
        axis, items = 0, tensors
    if len(items) == 0:
        raise Exception("tensors is an empty list: nothing to stack")
    items = [as_tensor_variable(item) for item in items]
    ndim = items[0].ndim
    for item in items:
        if item.ndim != ndim:
            raise TypeError("stack needs tensors of one number of dimensions, got %s" % [item.ndim for item in items])
    if not -(ndim + 1) <= axis <= ndim:
        raise IndexError("axis {0} is out of bounds [-{1}, {1})".format(axis, ndim + 1))
    axis %= ndim + 1
    if ndim == 0:
        dtype = _core.promote([item.dtype for item in items])
        return _core.make_vector([cast(item, dtype) for item in items])
    return join(axis, *[shape_padaxis(item, axis) for item in items])


def stacklists(arg):
    """Nested lists of tensors as one tensor."""
    if isinstance(arg, (tuple, list)):
        return stack([stacklists(item) for item in arg])
    return as_tensor_variable(arg)


def horizontal_stack(*args):
    return concatenate(list(args), axis=1)


def vertical_stack(*args):
    return concatenate(list(args), axis=0)


def split(x, splits_size, n_splits, axis=0):
    """n_splits parts of the given sizes along an axis."""
    x = as_tensor_variable(x)
    axis = _axis(axis, x.ndim)
    return _core.split(x, as_tensor_variable(splits_size), int(n_splits), axis)


def roll(x, shift, axis=None):
    """Elements move along the axis; those that fall off come in again."""
    x = as_tensor_variable(x)
    if axis is None:
        if x.ndim > 1:
            return reshape(roll(flatten(x), shift, axis=0), shape(x), ndim=x.ndim)
        axis = 0
    axis = _axis(axis, x.ndim)
    front = (pyslice(None),) * axis
    shift = mod(shift, shape_i(x, axis))  # noqa: F821
    return join(axis, x[front + (pyslice(shape_i(x, axis) - shift, None),)], x[front + (pyslice(None, shape_i(x, axis) - shift),)])


# --- ranges and diagonals ---------------------------------------------------------------------------------
def arange(start, stop=None, step=1, dtype=None):
    """start, start + step, … below stop."""
    if stop is None:
        start, stop = 0, start
    start, stop, step = as_tensor_variable(start), as_tensor_variable(stop), as_tensor_variable(step)
    for value in (start, stop, step):
        if value.ndim != 0:
            raise TypeError("arange takes scalars, got %s of type %s" % (value, value.type))
    if dtype is None:
        dtype = _core.promote([start.dtype, stop.dtype, step.dtype])
        if dtype[0] in "iub":
            dtype = "int64" if not dtype.startswith("uint") else "int64" if dtype != "uint64" else "uint64"
        elif config.cast_policy == "numpy+floatX" and config.floatX == "float32" and dtype == "float64" and \
                "float64" not in (start.dtype, stop.dtype, step.dtype):
            dtype = "float32"
    elif dtype == "floatX":
        dtype = config.floatX
    return _core.arange(start, stop, step, str(numpy.dtype(dtype)))


class _Grid:
    def __init__(self, sparse):
        self.sparse = sparse

    def __getitem__(self, slices):
        slices = slices if isinstance(slices, tuple) else (slices,)
        ranges = [arange(part.start or 0, part.stop, part.step or 1) for part in slices]
        n = len(ranges)
        open_ = [dimshuffle(r, ["x"] * i + [0] + ["x"] * (n - i - 1)) for i, r in enumerate(ranges)]
        if self.sparse:
            return open_
        return [alloc(one, *[r.shape[0] for r in ranges]) for one in open_]


mgrid, ogrid = _Grid(False), _Grid(True)


def eye(n, m=None, k=0, dtype=None):
    """Ones on a diagonal."""
    m = n if m is None else m
    dtype = config.floatX if dtype in (None, "floatX") else str(numpy.dtype(dtype))
    return _core.eye(n, m, k, dtype)


def identity_like(x):
    x = as_tensor_variable(x)
    return eye(shape_i(x, 0), shape_i(x, 1), 0, dtype=x.dtype)


def tri(N, M=None, k=0, dtype=None):
    """Ones at and below a diagonal."""
    M = N if M is None else M
    dtype = config.floatX if dtype in (None, "floatX") else str(numpy.dtype(dtype))
    return _core.tri(N, M, k, dtype)


def tril(m, k=0):
    m = as_tensor_variable(m)
    return m * tri(shape_i(m, 0), shape_i(m, 1), k=k, dtype=m.dtype)


def triu(m, k=0):
    m = as_tensor_variable(m)
    return m * (constant(1, dtype=m.dtype) - tri(shape_i(m, 0), shape_i(m, 1), k=k - 1, dtype=m.dtype))


def diagonal(a, offset=0, axis1=0, axis2=1):
    """The elements whose index along axis2 is that along axis1 plus offset; they come last."""
    a = as_tensor_variable(a)
    if a.ndim < 2:
        raise ValueError("diagonal needs at least two dimensions, got %d" % a.ndim)
    axis1, axis2 = _axis(axis1, a.ndim), _axis(axis2, a.ndim)
    if axis1 == axis2:
        raise ValueError("axis1 and axis2 are the same: %d" % axis1)
    if isinstance(offset, (int, numpy.integer)):
        return _core.diagonal(a, int(offset), axis1, axis2)
    rest = [axis for axis in range(a.ndim) if axis not in (axis1, axis2)]
    moved = dimshuffle(a, [axis1, axis2] + rest)
    rows, cols = shape_i(a, axis1), shape_i(a, axis2)
    offset = as_tensor_variable(offset)
    first, second_ = maximum(-offset, 0), maximum(offset, 0)  # noqa: F821
    length = maximum(minimum(rows - first, cols - second_), 0)  # noqa: F821
    steps = arange(length)
    picked = moved[steps + first, steps + second_]
    return dimshuffle(picked, list(range(1, picked.ndim)) + [0]) if rest else picked


def diag(v, k=0):
    """The diagonal of a matrix, or a matrix with a vector on its diagonal."""
    v = as_tensor_variable(v)
    if v.ndim in (1, 2) and isinstance(k, (int, numpy.integer)):
        return _core.diag(v, int(k))
    if v.ndim == 1:
        from croton.tensor.subtensor import set_subtensor
        size = shape_i(v, 0) + (pyabs(k) if isinstance(k, int) else abs_(k))  # noqa: F821
        matrix_ = zeros((size, size), dtype=v.dtype)
        steps = arange(shape_i(v, 0))
        first = pymax(0, -k) if isinstance(k, int) else maximum(-k, 0)  # noqa: F821
        second_ = pymax(0, k) if isinstance(k, int) else maximum(k, 0)  # noqa: F821
        return set_subtensor(matrix_[steps + first, steps + second_], v)
    if v.ndim >= 2:
        return diagonal(v, offset=k)
    raise ValueError("Input must has v.ndim >= 1.")


def nonzero(a, return_matrix=False):
    """Index vectors of the elements that are not zero, one a dimension."""
    a = as_tensor_variable(a)
    if a.ndim == 0:
        raise ValueError("Nonzero only supports non-scalar arrays.")
    found = _core.nonzero(a)
    return stack(found, axis=0) if return_matrix else tuple(found)


def flatnonzero(a):
    a = as_tensor_variable(a)
    if a.ndim == 0:
        raise ValueError("Nonzero only supports non-scalar arrays.")
    return nonzero(flatten(a))[0]


def nonzero_values(a):
    a = as_tensor_variable(a)
    return flatten(a)[flatnonzero(a)]


def tile(x, reps, ndim=None):
    """x repeated along its axes."""
    x = as_tensor_variable(x)
    if isinstance(reps, Variable) and reps.ndim == 1:
        reps = [reps[i] for i in range(ndim if ndim is not None else get_vector_length(reps))]
    elif not isinstance(reps, (list, tuple)):
        reps = [reps]
    reps = list(reps)
    n = pymax(x.ndim, len(reps), ndim or 0)
    reps = [1] * (n - len(reps)) + reps
    x = shape_padleft(x, n - x.ndim) if x.ndim < n else x
    spread, sizes, final = [], [], []
    for axis in range(n):
        spread += ["x", axis]
        sizes += [cast(as_tensor_variable(reps[axis]), "int64"), shape_i(x, axis)]
        final.append(cast(as_tensor_variable(reps[axis]), "int64") * shape_i(x, axis))
    return reshape(alloc(dimshuffle(x, spread), *sizes), final, ndim=n)


def choose(a, choices, out=None, mode="raise"):
    """choices[a[i]][i] for every i."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError("mode must be raise, wrap or clip")
    a = as_tensor_variable(a)
    stacked = stack([as_tensor_variable(choice) for choice in choices]) if isinstance(choices, (list, tuple)) else as_tensor_variable(choices)
    count = shape_i(stacked, 0)
    if mode == "wrap":
        a = mod(a, count)  # noqa: F821
    elif mode == "clip":
        a = clip(a, 0, count - 1)  # noqa: F821
    result = None
    n = get_vector_length(shape(stacked)) if False else (len(choices) if isinstance(choices, (list, tuple)) else None)
    if n is None:
        raise NotImplementedError("choose needs a list of choices")
    for i in range(n):
        part = stacked[i]
        result = part if result is None else switch(eq(a, i), part, result)  # noqa: F821
    return result


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None):
    """Covariance of the rows (or columns) of m."""
    if fweights is not None or aweights is not None:
        raise NotImplementedError("cov does not support weights")
    m = as_tensor_variable(m)
    m = m if rowvar or m.ndim == 1 else transpose(m)
    m = shape_padleft(m) if m.ndim == 1 else m
    if y is not None:
        y = as_tensor_variable(y)
        y = y if rowvar or y.ndim == 1 else transpose(y)
        m = concatenate([m, shape_padleft(y) if y.ndim == 1 else y], axis=0)
    ddof = (0 if bias else 1) if ddof is None else ddof
    centered = m - mean(m, axis=1, keepdims=True)
    return dot(centered, transpose(centered)) / cast(shape_i(m, 1) - ddof, centered.dtype)


def default(x, default_value):
    from croton.gof.type import NoneTypeT
    return as_tensor_variable(default_value) if isinstance(getattr(x, "type", None), NoneTypeT) else x


def cast_to_floatX(x):
    return cast(x, config.floatX)


def hessian(*args, **kwargs):
    from croton.gradient import hessian as function
    return function(*args, **kwargs)


def _allclose(a, b, rtol=None, atol=None):
    a, b = numpy.asarray(a), numpy.asarray(b)
    tight = {"float16": 1e-3, "float32": 1e-5}
    tolerance = pymax(tight.get(str(a.dtype), 1e-8), tight.get(str(b.dtype), 1e-8))
    return numpy.allclose(a, b, rtol=rtol or pymax(tolerance, 1e-5), atol=atol or tolerance)


def tensor_constant_signature(*args):
    raise NotImplementedError("compare constants with equals()")


