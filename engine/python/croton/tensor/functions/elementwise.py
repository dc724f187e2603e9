"""Functions of one element each. Most are made from a list of names, which no checker of names sees."""
# flake8: noqa: F821
import warnings

import numpy

from croton import _core
from croton.gof import dtypes
from croton.configparser import config
from croton.tensor.functions.conversion import as_tensor_variable
from croton.tensor.functions.errors import IntegerDivisionError


# Every row of rt/functions is a function here, except those that Theano has in other modules.
_ELSEWHERE = {"sigmoid", "softplus", "ultra_fast_sigmoid", "xlogx", "xlogy0", "inclosedrange"}
globals().update({_name: _core.elemwise(_name) for _name in _core.scalar_names() if _name not in _ELSEWHERE})
identity = tensor_copy

abs = abs_
absolute = abs_
power = pow
square = sqr
bitwise_and, bitwise_or, bitwise_xor, bitwise_not = and_, or_, xor, invert
where = switch
fill = second
conjugate = conj


def float_dtype(dtype):
    """The dtype that functions such as sqrt have for it: floats stay, small integers give float32, others float64."""
    return _core.scalar_result("sqrt", [dtype])


def div_proxy(a, b):
    """/ as the flag int_division says."""
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    if a.dtype[0] in "iub" and b.dtype[0] in "iub":
        if config.int_division == "raise":
            raise IntegerDivisionError("With `config.int_division` set to 'raise', dividing two integer types with '/' is "
                                       "forbidden to avoid confusion between integer and floating point divisions.")
        if config.int_division == "int":
            warnings.warn("Division of two integer types with x / y is deprecated, please use x // y for an integer division.", DeprecationWarning,
                          stacklevel=3)
            return int_div(a, b)
    return true_div(a, b)


floor_div = int_div


def divmod(x, y):
    """(x // y, x % y)"""
    return floor_div(x, y), mod(x, y)


def mod_check(x, y):
    return mod(x, y)


def ceil_intdiv(a, b):
    """ceil(a / b) of integers, as integers."""
    div = int_div(a, b)
    return cast(neq(a % b, 0), div.dtype) + div


def cast(x, dtype):
    """x with another dtype; 'floatX' is the configured one."""
    if isinstance(dtype, str) and dtype == "floatX":
        dtype = config.floatX
    x = as_tensor_variable(x)
    name = str(numpy.dtype(dtype)) if not isinstance(dtype, str) or dtype not in all_dtypes else dtype
    if x.dtype == name:
        return x
    if x.dtype.startswith("complex") and not name.startswith("complex"):
        raise TypeError("Casting from complex to real is ambiguous: consider real(), imag(), angle() or abs()")
    return _core.cast(x, name)


all_dtypes = list(dtypes.all_dtypes)
int_dtypes, uint_dtypes, float_dtypes = list(dtypes.int_dtypes), list(dtypes.uint_dtypes), list(dtypes.float_dtypes)
complex_dtypes, integer_dtypes = list(dtypes.complex_dtypes), list(dtypes.integer_dtypes)
discrete_dtypes, continuous_dtypes = list(dtypes.discrete_dtypes), list(dtypes.continuous_dtypes)


def _conversion(dtype):
    def convert(x):
        return cast(x, dtype)
    convert.__name__ = "_convert_to_" + dtype
    return convert


CONVERSIONS = {"_convert_to_" + dtype: _conversion(dtype) for dtype in all_dtypes}


def round(a, mode=None):
    """To the nearest integer; mode half_to_even or half_away_from_zero."""
    if mode in (None, "half_to_even"):
        return round_half_to_even(a)
    if mode == "half_away_from_zero":
        return round_half_away_from_zero(a)
    raise ValueError("round knows the modes half_to_even and half_away_from_zero, not %r" % (mode,))


def iround(a, mode=None):
    return cast(round(a, mode), "int64")


def sqrt_(x):
    return sqrt(x)


def isclose(a, b, rtol=1.e-5, atol=1.e-8, equal_nan=False):
    """Elementwise |a - b| <= atol + rtol·|b|, infinities of one sign being close."""
    a, b = as_tensor_variable(a), as_tensor_variable(b)
    close = le(abs_(a - b), atol + rtol * abs_(b))
    if a.dtype[0] in "iub" and b.dtype[0] in "iub":
        return close
    both_nan = and_(isnan(a), isnan(b))
    either_inf = or_(isinf(a), isinf(b))
    same_inf = and_(and_(isinf(a), isinf(b)), eq(a, b))
    result = or_(and_(close, invert(either_inf)), same_inf)
    return or_(result, both_nan) if equal_nan else result


def cast_to_floatX(x):
    return cast(x, config.floatX)
