"""Scalar functions, and dtypes of scalars."""
import sys

import numpy

from croton import _above, _core
from croton.configparser import config


class ScalarOp:
    """A function of one element each; T.exp is the elementwise op of theano.scalar.exp."""

    def __init__(self, symbol, name=None, nin=1):
        self.symbol, self.nin = symbol, nin
        self.name = name or symbol
        self.nout = 1

    def __str__(self):
        return self.name

    __repr__ = __str__

    def __eq__(self, other):
        return isinstance(other, ScalarOp) and (self.symbol, self.name) == (other.symbol, other.name)

    def __hash__(self):
        return hash(self.name)

    def __call__(self, *inputs):
        return _core.call_elemwise(_core.elemwise(self.symbol), *inputs)

    def impl(self, *values):
        return _core.scalar_value(self.symbol, [float(value) for value in values])

    def output_types_preference(self, *types):
        return _core.scalar_result(self.symbol, [str(type_) for type_ in types])


_classes = {}


def _class(name):
    if name not in _classes:
        _classes[name] = type(name, (ScalarOp,), {"__module__": "theano.scalar.basic"})
    return _classes[name]


def of(op):
    """The scalar function of an Elemwise."""
    described = _core.scalar_of(op)
    return _class(described["class"])(described["symbol"], described["name"], described["arity"])


def upcast(*dtypes):
    """The dtype that holds all of them; with cast_policy=numpy+floatX a float64 that nobody asked for becomes float32."""
    names = [str(dtype) for dtype in dtypes]
    result = _core.promote(names)
    if result == "float64" and config.cast_policy == "numpy+floatX" and config.floatX == "float32" and "float64" not in names:
        return "float32"
    return result


upcast_out = upcast


def as_common_dtype(*variables):
    dtype = upcast(*[variable.dtype for variable in variables])
    return tuple(_above.cast(variable, dtype) for variable in variables)


def as_scalar(x, name=None):
    return _above.as_tensor_variable(x, name=name, ndim=0)


def constant(x, name=None, dtype=None):
    return _above.constant(x, name=name, ndim=0, dtype=dtype)


def get_scalar_type(dtype):
    return Scalar(dtype)


def convert(x, dtype=None):
    return numpy.asarray(x, dtype=dtype)


def cast(x, dtype):
    return _above.cast(x, dtype)


def Scalar(dtype):
    """The type of one number."""
    return _above.TensorType(dtype, ())


class Composite(ScalarOp):
    """Several scalar functions as one; fusion makes them."""

    def __init__(self, *args, **kwargs):
        if len(args) and not isinstance(args[0], str):
            raise NotImplementedError("write the expression with tensors: fusion makes the Composite")
        super().__init__(*args, **kwargs)


_classes["Composite"] = Composite

bool_dtypes = ("bool",)
int_dtypes = ("int8", "int16", "int32", "int64")
uint_dtypes = ("uint8", "uint16", "uint32", "uint64")
float_dtypes = ("float16", "float32", "float64")
complex_dtypes = ("complex64", "complex128")
integer_dtypes = int_dtypes + uint_dtypes
discrete_dtypes = bool_dtypes + integer_dtypes
continuous_dtypes = float_dtypes + complex_dtypes
all_dtypes = discrete_dtypes + continuous_dtypes
_TYPE_LISTS = {names[:-len("dtypes")] + "types": globals()[names] for names in list(globals()) if names.endswith("_dtypes")}
_SEVERAL = {"ints": "int64", "floats": "float64", "complexs": "complex128", "complexs64": "complex64", "complexs128": "complex128"}


def upgrade_to_float(*types):
    """The types that functions such as exp give for these: floats stay, small integers give float32, others float64."""
    return [Scalar(_above.float_dtype(getattr(type_, "dtype", type_))) for type_ in types]


def _make(names):
    for name in names:
        op = _core.elemwise(name)
        described = _core.scalar_of(op)
        globals().setdefault(name, _class(described["class"])(described["symbol"], described["name"], described["arity"]))


_make(_core.scalar_names())


def __getattr__(name):
    if name in all_dtypes:
        return Scalar(name)
    if name in _TYPE_LISTS:
        return tuple(Scalar(dtype) for dtype in _TYPE_LISTS[name])
    if name in _SEVERAL:
        return _above.several(Scalar(_SEVERAL[name]), name)
    if _core.has_scalar(name):
        op = _core.elemwise(name)
        described = _core.scalar_of(op)
        return _class(described["class"])(described["symbol"], described["name"], described["arity"])
    if name in ("basic", "sharedvar", "basic_scipy"):
        return sys.modules[__name__]
    if name.isidentifier() and name[0].isupper():
        for scalar_name in _core.scalar_names():
            described = _core.scalar_of(_core.elemwise(scalar_name))
            if described["class"] == name:
                return _class(name)
    raise AttributeError("module 'theano.scalar' has no attribute %r" % name)
