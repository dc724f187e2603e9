"""Types of values that are not tensors; the base class of all types."""
import pickle

import numpy

from croton import _core
from croton._kinds import DISCONNECTED, GENERIC, NONE, NULL, RANDOM_STATE, SLICE
from croton.gof.c_types import CLinkerType, ObjectInC
from croton.gof.graph import Constant, Variable
from croton.gof.utils import reduced


class Type(_core.TypeBase, CLinkerType):
    """What values a variable may have. Derive from it and write filter() for a type of your own."""
    Variable = Variable
    Constant = Constant
    is_number = False  # a type of theano.scalar

    def filter(self, value, strict=False, allow_downcast=None):
        return value

    def filter_inplace(self, value, storage, strict=False, allow_downcast=None):
        raise NotImplementedError()

    def filter_variable(self, other, allow_convert=True):
        """`other` as a variable of this type."""
        if not isinstance(other, Variable):
            other = self.Constant(type=self, data=other)
        if other.type == self:
            return other
        if allow_convert:
            converted = self.convert_variable(other)
            if converted is not None:
                return converted
        raise TypeError("Cannot convert Type %s (of Variable %s) into Type %s. You can try to manually convert %s "
                        "into a %s." % (other.type, other, self, other, self))

    def convert_variable(self, variable):
        return variable if self == variable.type else None

    def is_super(self, other):
        return self == other

    def is_valid_value(self, value):
        try:
            self.filter(value, strict=True)
            return True
        except (TypeError, ValueError):
            return False

    def value_validity_msg(self, value):
        return "none"

    def make_variable(self, name=None):
        return Variable(self, name=name)

    def make_constant(self, value, name=None):
        return Constant(self, value, name)

    def __call__(self, name=None):
        return self.make_variable(name)

    def as_input(self, value):
        """What an op whose itypes name this type takes for the value."""
        return value if isinstance(value, Variable) else self.make_constant(value)

    def clone(self, *args, **kwargs):
        return type(self)(*args, **kwargs)

    def values_eq(self, a, b):
        return bool(a == b)

    def values_eq_approx(self, a, b, **kwargs):
        return self.values_eq(a, b)

    def __reduce__(self):
        if type(self) in _BUILT_IN:
            return _plain, (_core.type_kind(self),)
        return reduced(self)


class _Plain(Type):
    def __new__(cls, *args, **kwargs):
        return _core.plain_type(cls._kind)

    def __init__(self, *args, **kwargs):
        pass

    def __repr__(self):
        return self._text

    __str__ = __repr__

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return hash(type(self))


class Generic(_Plain, ObjectInC):
    """Any Python object."""
    _kind = GENERIC
    _text = "<theano.gof.type.Generic object>"

    def is_valid_value(self, value):
        return True


class NoneTypeT(_Plain):
    """The type of None."""
    _kind = NONE
    _text = "NoneTypeT"

    def filter(self, value, strict=False, allow_downcast=None):
        if value is not None:
            raise TypeError("Expected None!")
        return value


class SliceType(_Plain):
    """The type of slices."""
    _kind = SLICE
    _text = "slice"

    def filter(self, value, strict=False, allow_downcast=None):
        if not isinstance(value, slice):
            raise TypeError("Expected a slice!")
        return value


class RandomStateType(_Plain):
    """The state of a NumPy random generator."""
    _kind = RANDOM_STATE
    _text = "RandomStateType"

    def filter(self, value, strict=False, allow_downcast=None):
        if not isinstance(value, numpy.random.RandomState):
            raise TypeError("a numpy.random.RandomState is wanted, got %s" % type(value).__name__)
        return value


class DisconnectedType(_Plain):
    """The type of a gradient that does not exist because the cost does not depend on the variable."""
    _kind = DISCONNECTED
    _text = "DisconnectedType"

    def filter(self, value, strict=False, allow_downcast=None):
        raise AssertionError("a variable that nothing depends on has no value")


class NullType(Type):
    """The type of a gradient that is undefined or not implemented."""

    def __new__(cls, why_null="(no explanation given)"):
        return _core.null_type(str(why_null))

    def __init__(self, *args, **kwargs):
        pass

    @property
    def why_null(self):
        return _core.type_reason(self)

    def filter(self, value, strict=False, allow_downcast=None):
        raise ValueError("NullType has no values: %s" % self.why_null)

    def __reduce__(self):
        return NullType, (self.why_null,)


_CLASSES = {GENERIC: Generic, NONE: NoneTypeT, SLICE: SliceType, RANDOM_STATE: RandomStateType,
            DISCONNECTED: DisconnectedType, NULL: NullType}
_BUILT_IN = set(_CLASSES.values())
for _kind, _class in _CLASSES.items():
    _core.register_type_class(_kind, _class)


def _plain(kind):
    return _core.plain_type(kind)


class PureType(Type):
    pass


class SingletonType(Type):
    """A type with one instance a class."""
    _instance = None

    def __new__(cls):
        if cls._instance is None or not isinstance(cls._instance, cls):
            cls._instance = super().__new__(cls)
        return cls._instance

    def __str__(self):
        return self.__class__.__name__


generic = Generic()
