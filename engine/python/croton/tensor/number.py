"""Numbers of theano.scalar: for the engine tensors without dimensions, for C code of ops numbers of C."""
import numbers

import numpy

from croton import _core
from croton.configparser import config
from croton.gof.c_types import NAMES, NumberInC
from croton.gof.graph import Variable
from croton.tensor.type import TensorType, dtype_specs_map
from croton.tensor.var import TensorConstant, TensorVariable


class Scalar(NumberInC, TensorType):
    """The type of one number. It equals the type of tensors without dimensions that have its dtype: each is taken for the other, but not in C code."""
    _known = {}

    def __new__(cls, dtype):
        name = config.floatX if isinstance(dtype, str) and dtype == "floatX" else str(numpy.dtype(dtype))
        if name not in Scalar._known:
            Scalar._known[name] = _core.own_tensor_type(Scalar, name, [])
        return Scalar._known[name]

    def __init__(self, dtype):
        pass

    def __str__(self):
        return self.dtype

    def __repr__(self):
        return "Scalar(%s)" % self.dtype

    def dtype_specs(self):
        """(NumPy's class, C's name, the name in NumPy's C interface)"""
        name = "UInt" + self.dtype[4:] if self.dtype.startswith("uint") else self.dtype.capitalize()
        return dtype_specs_map[self.dtype][0], NAMES[self.dtype][0], name

    def upcast(self, *others):
        return _core.promote([one.dtype for one in (self,) + others])

    is_number = True

    def as_input(self, value):
        if isinstance(value, Variable) and value.type != self:
            return value
        return scalar_from_tensor(_core.as_variable(value))

    def filter(self, data, strict=False, allow_downcast=None):
        """`data` as an array of this type: any number that is the same in its dtype."""
        if isinstance(data, numpy.generic):
            data = numpy.asarray(data)
        if not strict and isinstance(data, numpy.ndarray) and data.ndim == 0 and (data.dtype.kind in "biuf" or self.dtype.startswith("complex")):
            same = data.astype(self.dtype)
            if same == data:
                return same
        return super().filter(data, strict, allow_downcast)

    def clone(self, dtype=None, broadcastable=None):
        return Scalar(self.dtype if dtype is None else dtype)

    def make_variable(self, name=None):
        made = ScalarVariable(self, name=name)
        _core.show([made])
        return made

    def make_constant(self, value, name=None):
        return ScalarConstant(self, value, name)

    def __reduce__(self):
        return Scalar, (self.dtype,)


_VIEW = _core.op_of_parts("ViewOp", "{}", [])


class _scalar_py_operators:
    """What is computed from numbers alone is a number."""
    __slots__ = ()

    def _as_tensor(self):
        return tensor_from_scalar(self)


def _operator(name):
    def apply(self, *others):
        made = getattr(super(_scalar_py_operators, self), name)(*others)
        return as_number(made, (self,) + others) if all(map(is_number, others)) else made
    apply.__name__ = name
    return apply


_TWO = "add sub mul truediv floordiv mod pow and or xor"
for _name in (_TWO + " lt le gt ge neg abs invert").split() + ["r" + name for name in _TWO.split()]:
    setattr(_scalar_py_operators, "__%s__" % _name, _operator("__%s__" % _name))


class ScalarVariable(_scalar_py_operators, TensorVariable):
    """A number that is given, or that an op computes."""


class ScalarConstant(_scalar_py_operators, TensorConstant):
    """A number that never changes."""

    def __new__(cls, type, data, name=None):
        return _marked(_core.constant(type, type.filter(data), name or ""), cls)


Scalar.Variable, Scalar.Constant = ScalarVariable, ScalarConstant


def _marked(variable, cls):
    variable.__class__ = variable.__dict__["_class"] = cls
    variable.__dict__["_type"] = Scalar(variable.dtype)
    return variable


def is_number(value):
    return isinstance(value, (_scalar_py_operators, numbers.Number, numpy.generic)) or (isinstance(value, numpy.ndarray) and value.ndim == 0)


def as_number(made, inputs=()):
    """What an op has just made of the inputs is a number from now on."""
    if isinstance(made, TensorVariable) and made.owner is not None and made.ndim == 0 and not any(made is one for one in inputs):
        return _marked(made, ScalarVariable)
    return made


def scalar_from_tensor(x):
    """A tensor without dimensions as a number."""
    if isinstance(x, _scalar_py_operators):
        return x
    if not isinstance(x, Variable) or not isinstance(x.type, TensorType) or x.ndim != 0:
        raise TypeError("Variable type field must be a Scalar.", x, getattr(x, "type", type(x)))
    if isinstance(x, TensorConstant):
        return ScalarConstant(Scalar(x.dtype), x.data, x.name)
    return as_number(_viewed(x))


def tensor_from_scalar(x):
    """A number as a tensor without dimensions."""
    if isinstance(x, ScalarConstant):
        return TensorConstant(TensorType(x.dtype, ()), x.data, x.name)
    return _viewed(x) if isinstance(x, ScalarVariable) else x


def _viewed(x):
    return _core.make_node(_VIEW, [x]).outputs[0]
