"""TensorType, and the constructors T.matrix, T.fvector, …"""
import warnings

import numpy

from croton import _core
from croton._kinds import TENSOR
from croton.configparser import config, on_change
from croton.gof.c_types import ArrayInC
from croton.gof.graph import SharedVariableBase, Variable
from croton.gof.type import Type
from croton.gof.utils import array_of, depth_of_caller, listed
from croton.tensor.var import TensorConstant, TensorVariable

dtype_specs_map = {name: (getattr(numpy, "bool_" if name == "bool" else name), "npy_" + name, "NPY_" + name.upper())
                   for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                                "float16", "float32", "float64", "complex64", "complex128")}


class TensorType(Type, ArrayInC):
    """dtype and, for each dimension, whether its size is known to be 1."""

    def __new__(cls, dtype, broadcastable, name=None, sparse_grad=False):
        dtype = "floatX" if isinstance(dtype, str) and dtype == "floatX" else str(numpy.dtype(dtype))
        try:
            pattern = [bool(one) for one in broadcastable]
        except TypeError:
            raise TypeError("broadcastable has to be a tuple of booleans, one a dimension, got %r" % (broadcastable,)) from None
        return _core.tensor_type(dtype, pattern)

    def __init__(self, dtype, broadcastable, name=None, sparse_grad=False):
        pass

    dtype = property(_core.type_dtype)
    broadcastable = property(_core.type_pattern)
    pattern = broadcastable
    ndim = property(lambda self: len(self.broadcastable))
    shape = property(_core.type_shape)
    numpy_dtype = property(lambda self: numpy.dtype(self.dtype))
    device = property(_core.type_device)
    name = None
    sparse_grad = False

    def on(self, device):
        """The type of such arrays on that device."""
        return _core.type_on(self, device)

    def clone(self, dtype=None, broadcastable=None):
        return TensorType(self.dtype if dtype is None else dtype, self.broadcastable if broadcastable is None else broadcastable)

    def make_variable(self, name=None):
        made = TensorVariable(self, name=name)
        _core.show([made])
        return made

    def make_constant(self, value, name=None):
        return TensorConstant(self, value, name)

    Constant = property(lambda self: _tensor_constant)

    def filter(self, data, strict=False, allow_downcast=None):
        """`data` as an array of this type; TypeError if that would lose something."""
        dtype = self.dtype
        broadcastable = self.broadcastable
        if isinstance(data, _core.DeviceArray):
            if data.device == self.device and data.dtype == self.numpy_dtype and data.ndim == len(broadcastable):
                return data
            data = numpy.asarray(data)
        if isinstance(data, Variable):
            raise TypeError("Expected an array-like object, but found a Variable: maybe you are trying to call a function "
                            "on a (possibly shared) variable instead of a numeric array?")
        if isinstance(data, numpy.memmap) or (isinstance(data, numpy.ndarray) and type(data) is not numpy.ndarray
                                              and not isinstance(data, numpy.ma.MaskedArray)):
            data = numpy.asarray(data)
        if not (isinstance(data, numpy.ndarray) and data.dtype == self.numpy_dtype):
            if strict:
                if not isinstance(data, numpy.ndarray):
                    raise TypeError("%s expected a ndarray object." % self, data, type(data))
                raise TypeError("%s expected a ndarray object with dtype = %s (got %s)." % (self, dtype, data.dtype))
            data = self._converted(data, dtype, allow_downcast)
        if data.ndim != len(broadcastable):
            raise TypeError("Wrong number of dimensions: expected %s, got %s with shape %s."
                            % (len(broadcastable), data.ndim, data.shape))
        if not data.flags.aligned:
            if strict:
                raise TypeError("expected memory that is aligned; copy the array")
            data = data.copy()
        for size, one in zip(data.shape, broadcastable):
            if one and size != 1:
                raise TypeError("Non-unit value on shape on a broadcastable dimension.", data.shape, broadcastable)
        return data

    def _converted(self, data, dtype, allow_downcast):
        wanted = self.numpy_dtype
        if allow_downcast:
            return array_of(data).astype(wanted)
        try:
            array = array_of(data)
        except ValueError as error:
            if "inhomogeneous" not in str(error):
                raise
            raise TypeError("%s cannot hold this %s: its rows have different lengths" % (self, type(data).__name__)) from None
        if array.dtype == wanted:
            return array
        if array.dtype.kind not in "biufc":
            raise TypeError("%s cannot hold a value of type %s%s" % (self, type(data).__name__,
                            "" if array.dtype.kind != "O" else ": its rows have different lengths, or it holds objects"))
        if isinstance(data, numpy.ndarray):
            if numpy.can_cast(array.dtype, wanted, "safe"):
                return array.astype(wanted)
            shape_note = "" if array.ndim == len(self.broadcastable) else " and its number of dimensions is %d" % array.ndim
            raise TypeError("%s cannot store a value of dtype %s without risking loss of precision%s. If you do not mind this "
                            "loss, you can: 1) explicitly cast your data to %s, or 2) set \"allow_input_downcast=True\" when "
                            "calling \"function\". Value: \"%s\"" % (self, array.dtype, shape_note, dtype, _short(array)))
        if (allow_downcast is None and type(data) is float and wanted == numpy.dtype(config.floatX)):
            return array.astype(wanted)
        converted = array.astype(wanted)
        same = (converted == array) | ((converted != converted) & (array != array))
        if same.all() and not (array.dtype.kind == "c" and wanted.kind != "c"):
            return converted
        raise TypeError("The input would be converted to %s with a loss of precision: %s. Cast it yourself, or set "
                        "\"allow_input_downcast=True\" when calling \"function\"." % (dtype, _short(array)))

    def as_input(self, value):
        if not isinstance(value, Variable):
            return _core.as_variable(value)
        # A number may stand for a tensor without dimensions.
        return value._as_tensor() if value.type == self and hasattr(value, "_as_tensor") else value

    def filter_variable(self, other, allow_convert=True):
        if hasattr(other, "_as_TensorVariable"):
            other = other._as_TensorVariable()
        if not isinstance(other, Variable):
            other = self.make_constant(self.filter(other))
        if other.type == self:
            return other
        if self.device != "cpu":
            return _core.transfer(self.on("cpu").filter_variable(_core.transfer(other, "cpu"), allow_convert), self.device)
        if isinstance(other.type, TensorType) and other.type.device != "cpu":
            return self.filter_variable(_core.transfer(other, "cpu"), allow_convert)
        if allow_convert:
            converted = self.convert_variable(other)
            if converted is not None:
                return converted
        raise TypeError("Cannot convert Type %s (of Variable %s) into Type %s. You can try to manually convert %s into a %s."
                        % (other.type, other, self, other, self))

    def convert_variable(self, variable):
        other = variable.type
        if other == self:
            return variable
        if isinstance(other, TensorType) and other.dtype == self.dtype and other.ndim == self.ndim and \
                all(b or not a for a, b in zip(self.broadcastable, other.broadcastable)):
            return _core.pattern_broadcast(variable, list(self.broadcastable))
        return None

    def is_super(self, other):
        return isinstance(other, TensorType) and other.dtype == self.dtype and other.ndim == self.ndim and \
            all(b or not a for a, b in zip(self.broadcastable, other.broadcastable))

    def value_zeros(self, shape):
        return numpy.zeros(shape, dtype=self.dtype)

    @staticmethod
    def values_eq(a, b, force_same_dtype=True):
        a, b = numpy.asarray(a), numpy.asarray(b)
        if a.shape != b.shape or (force_same_dtype and a.dtype != b.dtype):
            return False
        return bool(((a == b) | ((a != a) & (b != b))).all())

    @staticmethod
    def values_eq_approx(a, b, allow_remove_inf=False, allow_remove_nan=False, rtol=None, atol=None):
        a, b = numpy.asarray(a), numpy.asarray(b)
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        if a.dtype.kind in "biu":
            return bool((a == b).all())
        tight = {"float64": (1e-5, 1e-8), "complex128": (1e-5, 1e-8), "float16": (1e-3, 1e-3)}.get(str(a.dtype), (1e-5, 1e-5))
        return bool(numpy.allclose(a, b, rtol=rtol or tight[0], atol=atol or tight[1], equal_nan=True))

    def may_share_memory(self, a, b):
        return numpy.may_share_memory(a, b)

    def get_shape_info(self, value):
        return value.shape

    def get_size(self, shape_info):
        """Bytes of a value of that shape."""
        return int(numpy.prod(shape_info, dtype="int64")) * numpy.dtype(self.dtype).itemsize

    def dtype_specs(self):
        return dtype_specs_map[self.dtype]

    def c_element_type(self):
        return self.dtype_specs()[1]

    def __reduce__(self):
        return TensorType, (self.dtype, self.broadcastable)


def _tensor_constant(type, data, name=None):
    return TensorConstant(type, data, name)


def _short(array):
    text = str(array)
    return text if len(text) < 100 else text[:75] + " ... " + text[-20:]


def _tell_of_float64(variables, first):
    """What the flag warn_float64 wants done."""
    fresh = [variable for variable in variables if isinstance(variable.type, TensorType) and variable.type.dtype == "float64"
             and not isinstance(variable, (TensorConstant, SharedVariableBase)) and "_told_of_float64" not in variable.__dict__]
    if not fresh:
        return
    for variable in fresh:
        variable.__dict__["_told_of_float64"] = True
    message = ("You are creating a TensorVariable with float64 dtype. You requested an action via the Theano flag "
               "warn_float64={ignore,warn,raise,pdb}.")
    if config.warn_float64 == "raise":
        raise Exception(message)
    if config.warn_float64 == "warn":
        warnings.warn(message, stacklevel=depth_of_caller())
    elif config.warn_float64 == "pdb":
        import pdb
        pdb.set_trace()


on_change("warn_float64", lambda action: _core.watch("float64", None if action == "ignore" else _tell_of_float64))

_core.register_type_class(TENSOR, TensorType)

_LETTERS = {"b": "int8", "w": "int16", "i": "int32", "l": "int64", "f": "float32", "d": "float64", "c": "complex64",
            "z": "complex128"}
_PATTERNS = {"scalar": (), "vector": (False,), "row": (True, False), "col": (False, True), "matrix": (False,) * 2,
             "tensor3": (False,) * 3, "tensor4": (False,) * 4, "tensor5": (False,) * 5, "tensor6": (False,) * 6,
             "tensor7": (False,) * 7}
_PLURALS = {"scalar": "scalars", "vector": "vectors", "row": "rows", "col": "cols", "matrix": "matrices",
            "tensor3": "tensor3s", "tensor4": "tensor4s", "tensor5": "tensor5s", "tensor6": "tensor6s", "tensor7": "tensor7s"}


def tensor(*args, **kwargs):
    """A variable of any dtype and pattern: tensor(dtype, broadcastable, name=None)."""
    name = kwargs.pop("name", None)
    return TensorType(*args, **kwargs)(name)


def _constructor(kind, pattern):
    def make(name=None, dtype=None):
        return TensorType(config.floatX if dtype is None else dtype, pattern)(name)
    make.__name__ = kind
    make.__doc__ = "A variable (%s) of the dtype floatX unless another is given." % kind
    return make


def several(single, plural):
    """f('x', 'y'), f('xy') and f(2) make several variables."""
    def make(*names, **kwargs):
        if len(names) == 1:
            if isinstance(names[0], int):
                return [single(**kwargs) for _ in range(names[0])]
            several = list(names[0]) if isinstance(names[0], str) else listed(names[0])
            names = names if several is None else several
        variables = [single(**kwargs) if name is None else single(name=name, **kwargs) for name in names]
        return variables[0] if len(variables) == 1 else variables
    make.__name__ = plural
    make.__doc__ = "Several variables at once: %s('x', 'y'), %s('xy') or %s(2)." % (plural, plural, plural)
    return make


def _make_all(namespace):
    for kind, pattern in _PATTERNS.items():
        single = namespace[kind] = _constructor(kind, pattern)
        namespace[_PLURALS[kind]] = several(single, _PLURALS[kind])
        for letter, dtype in _LETTERS.items():
            type_ = _core.tensor_type(dtype, list(pattern))
            namespace[letter + kind] = type_
            namespace[letter + _PLURALS[kind]] = several(type_, letter + _PLURALS[kind])


CONSTRUCTORS = {}
_make_all(CONSTRUCTORS)
for _name, _letters in (("int", "bwil"), ("float", "fd"), ("complex", "cz")):
    CONSTRUCTORS[_name + "_types"] = tuple(CONSTRUCTORS[_letter + "scalar"] for _letter in _letters)
    for _kind in ("scalar", "vector", "matrix"):
        CONSTRUCTORS["%s_%s_types" % (_name, _kind)] = tuple(CONSTRUCTORS[_letter + _kind] for _letter in _letters)
values_eq_approx_always_true = lambda a, b: True


def values_eq_approx(a, b, allow_remove_inf=False, allow_remove_nan=False, rtol=None, atol=None):
    """Are two arrays the same but for rounding? Infinities (NaN) of one that the other has not may be allowed."""
    a, b = numpy.asarray(a), numpy.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    ignored = numpy.zeros(a.shape, bool)
    if allow_remove_inf:
        ignored |= numpy.isinf(a) | numpy.isinf(b)
    if allow_remove_nan:
        ignored |= numpy.isnan(a) | numpy.isnan(b)
    return TensorType(str(a.dtype), (False,) * a.ndim).values_eq_approx(numpy.where(ignored, 0, a).astype(a.dtype),
                                                                        numpy.where(ignored, 0, b).astype(b.dtype), rtol=rtol, atol=atol)


def values_eq_approx_remove_inf(a, b):
    return values_eq_approx(a, b, True)


def values_eq_approx_remove_nan(a, b):
    return values_eq_approx(a, b, False, True)


def values_eq_approx_remove_inf_nan(a, b):
    return values_eq_approx(a, b, True, True)
