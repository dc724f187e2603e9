"""Scalar functions, and dtypes of scalars."""
import re
import sys

import numpy

from croton import _core
from croton.configparser import config
from croton.gof import provided
from croton.gof.compare import equal_computations
from croton.gof.dtypes import (all_dtypes, bool_dtypes, complex_dtypes, continuous_dtypes, discrete_dtypes, float_dtypes, int_dtypes,  # noqa: F401
                               integer_dtypes, uint_dtypes)
from croton.gof.errors import MethodNotDefined
from croton.tensor import own_elemwise
from croton.tensor.functions.conversion import constant as _constant
from croton.tensor.functions.elementwise import cast as _cast, float_dtype
from croton.tensor.number import Scalar, as_number, scalar_from_tensor
from croton.tensor.opclasses import Elemwise
from croton.tensor.type import several


class ScalarOp:
    """A function of one element each; T.exp is the elementwise op of theano.scalar.exp."""

    symbol, name, nin, nout = None, None, -1, 1  # the engine's have a symbol; those of scripts have impl() and grad()

    def __init__(self, symbol=None, name=None, nin=None):
        if isinstance(symbol, str):
            self.symbol, self.nin, self.name = symbol, 1 if nin is None else nin, name or symbol
            return
        self.name = name
        if symbol is not None and not callable(symbol):
            raise TypeError("Expected a callable for the 'output_types_preference' argument to %s. (got: %s)" % (type(self), symbol))
        if type(self) is _classes.get(type(self).__name__) and len(_symbols.get(type(self).__name__, ())) == 1:
            self._become(_symbols[type(self).__name__][0], symbol)
        elif symbol is not None:
            self.output_types_preference = symbol

    def _become(self, symbol, preference):
        """The engine's function of this class; a preference of other dtypes than the engine's would not be heard."""
        described = _core.scalar_of(_core.elemwise(symbol))
        self.symbol, self.nin, self.name = symbol, described["arity"], self.name or described["name"]
        for dtype in ("int8", "int64", "float32", "float64") if preference and self.nin > 0 else ():
            types = [Scalar(dtype)] * self.nin
            wanted, given = preference(*types), self.output_types(types)
            if [str(getattr(one, "dtype", one)) for one in wanted] != [one.dtype for one in given]:
                raise TypeError("%s gives %s for %s, which is not what the output_types_preference says: cast what it gives"
                                % (symbol, given[0].dtype, dtype))

    def __str__(self):
        return self.name or type(self).__name__

    __repr__ = __str__

    def __eq__(self, other):
        if isinstance(other, _core.OpBase) and isinstance(other, Elemwise):
            return not other.inplace_pattern and self == other.scalar_op  # what calling it with scalars makes
        same = isinstance(other, ScalarOp) and (self.symbol, self.name) == (other.symbol, other.name)
        return same and (self.symbol is not None or type(self) is type(other))

    def __hash__(self):
        return hash((type(self), self.name))

    def __call__(self, *inputs):
        """The function of these elements; of what has no dimensions it is a number."""
        made = Elemwise(self)(*inputs)
        if any(getattr(one, "ndim", 0) for one in inputs):
            return made
        return [as_number(one, inputs) for one in made] if isinstance(made, list) else as_number(made, inputs)

    def elementwise(self, inplace_pattern=None, name=None):
        """The elementwise op of a function that is none of the engine's."""
        if self.impl.__func__ is ScalarOp.impl and self.c_code.__func__ is ScalarOp.c_code:
            raise MethodNotDefined("the scalar op %s has neither impl nor c_code" % self)
        return own_elemwise.OwnElemwise(self, inplace_pattern, name)

    def impl(self, *values):
        if self.symbol is None:
            raise MethodNotDefined("impl", type(self), type(self).__name__)
        return _core.scalar_value(self.symbol, [float(value) for value in values])

    def output_types_preference(self, *types):
        if self.symbol is None:
            return upcast_out(*types)
        return _core.scalar_result(self.symbol, [str(getattr(type_, "dtype", type_)) for type_ in types])

    def output_types(self, types):
        """The types of the outputs for inputs of these."""
        found = self.output_types_preference(*types)
        found = found if isinstance(found, (list, tuple)) else [found]
        return [Scalar(str(getattr(one, "dtype", one))) for one in found]

    def grad(self, inputs, output_gradients):
        raise MethodNotDefined("grad", type(self), type(self).__name__)

    def L_op(self, inputs, outputs, output_gradients):
        return self.grad(inputs, output_gradients)

    def c_code(self, node, name, inputs, outputs, sub):
        raise MethodNotDefined("c_code", type(self), type(self).__name__)

    def c_code_cache_version(self):
        return ()

    def c_support_code(self):
        return ""

    def c_headers(self):
        return []


class UnaryScalarOp(ScalarOp):
    nin = 1


class BinaryScalarOp(ScalarOp):
    nin = 2


_classes = {}
_symbols = {}  # class → the engine's functions of it


def _class(name):
    if name not in _classes:
        _classes[name] = type(name, (ScalarOp,), {"__module__": "theano.scalar.basic"})
    return _classes[name]


@provided.scalar_function.by
def of(op):
    """The scalar function of an Elemwise, or of this name."""
    if isinstance(op, str):
        return getattr(sys.modules[__name__], op)
    described = _core.scalar_of(op)
    return _class(described["class"])(described["symbol"], described["name"], described["arity"])


def upcast(*dtypes):
    """The dtype that holds all of them; with cast_policy=numpy+floatX a float64 that nobody asked for becomes float32."""
    names = [str(dtype) for dtype in dtypes]
    result = _core.promote(names)
    if result == "float64" and config.cast_policy == "numpy+floatX" and config.floatX == "float32" and "float64" not in names:
        return "float32"
    return result


def upcast_out(*types):
    """The type that holds all of these types."""
    return Scalar(upcast(*[getattr(type_, "dtype", type_) for type_ in types])),


def same_out(type_):
    return type_,


def same_out_nocomplex(type_):
    if str(type_.dtype).startswith("complex"):
        raise TypeError("complex argument not supported")
    return type_,


def upcast_out_nobool(*types):
    """As upcast_out; bool is refused."""
    made = upcast_out(*types)
    if made[0].dtype == "bool":
        raise TypeError("bool output not supported")
    return made


def bool_out(*types):
    return Scalar("bool"),


def upgrade_to_float64(*types):
    """float64, complex128 where one is complex."""
    return Scalar("complex128" if any(str(getattr(one, "dtype", one)).startswith("complex") for one in types) else "float64"),


def float_out(*types):
    return Scalar(config.floatX),


def upgrade_to_float_no_complex(*types):
    """As upgrade_to_float; complex numbers are refused."""
    if any(str(getattr(type_, "dtype", type_)).startswith("complex") for type_ in types):
        raise TypeError("complex argument not supported")
    return upgrade_to_float(*types)


class transfer_type:
    """Output i has the type of input transfer[i], or that type."""

    def __init__(self, *transfer):
        self.transfer = transfer

    def __call__(self, *types):
        return [types[one] if isinstance(one, int) else one for one in self.transfer]


class specific_out:
    def __init__(self, *types):
        self.types = types

    def __call__(self, *types):
        return list(self.types)


def as_common_dtype(*variables):
    dtype = upcast(*[variable.dtype for variable in variables])
    return tuple(cast(variable, dtype) for variable in variables)


def as_scalar(x, name=None):
    """x as a number: numbers as they are, tensors without dimensions in a view."""
    if isinstance(x, _core.ApplyBase):
        if len(x.outputs) != 1:
            raise ValueError("It is ambiguous which output of a multi-output Op has to be fetched.", x)
        x = x.outputs[0]
    return scalar_from_tensor(x) if isinstance(x, _core.VariableBase) else constant(x, name)


def constant(x, name=None, dtype=None):
    made = _constant(x, ndim=0, dtype=dtype)
    return Scalar(made.dtype).make_constant(made.data, name)


def get_scalar_type(dtype):
    return Scalar(dtype)


def convert(x, dtype=None):
    return numpy.asarray(x, dtype=dtype)


def cast(x, dtype):
    x = as_scalar(x)
    return as_number(_cast(x, dtype), [x])


class Composite(ScalarOp):
    """Several scalar functions as one. Fusion makes them; by hand: Composite(scalar inputs, outputs computed from them)."""

    def __init__(self, *args, **kwargs):
        if args and isinstance(args[0], str):
            super().__init__(*args, **kwargs)
            return
        inputs, outputs = kwargs.get("inputs", args[0] if args else None), kwargs.get("outputs", args[1] if len(args) > 1 else None)
        self.inputs, self.outputs = list(inputs), list(outputs)
        super().__init__(None, self._text())
        self.nin, self.nout = len(self.inputs), len(self.outputs)

    def _text(self):
        """Composite{(i0 + (i1 * 2))}: inputs by their places, constants as numbers."""
        numbered = [variable.type("i%d" % place) for place, variable in enumerate(self.inputs)]
        written = [_core.pretty_print(output) for output in own_elemwise.rebuilt(self.outputs, self.inputs, numbered)]
        return "Composite{%s}" % re.sub(r"TensorConstant\{([^{}]*)\}", r"\1", ", ".join(written))

    def elementwise(self, inplace_pattern=None, name=None):
        return own_elemwise.OfComposite(self, name)

    def of(self, *values):
        """The outputs for these values of the inputs."""
        return own_elemwise.rebuilt(self.outputs, self.inputs, values)

    def __eq__(self, other):
        if self.symbol is not None or not isinstance(other, Composite) or other.symbol is not None:
            return super().__eq__(other)
        return self is other or equal_computations(self.outputs, other.outputs, self.inputs, other.inputs)

    def __hash__(self):
        return super().__hash__()


_classes["Composite"] = Composite

_TYPE_LISTS = {names[:-len("dtypes")] + "types": globals()[names] for names in list(globals()) if names.endswith("_dtypes")}
_SEVERAL = {"ints": "int64", "floats": "float64", "complexs": "complex128", "complexs64": "complex64", "complexs128": "complex128"}


def upgrade_to_float(*types):
    """The type that functions such as exp give for these: floats stay, small integers give float32, others float64."""
    return Scalar(upcast(*[float_dtype(getattr(type_, "dtype", type_)) for type_ in types])),


def _make(names):
    for name in names:
        op = _core.elemwise(name)
        described = _core.scalar_of(op)
        _symbols.setdefault(described["class"], []).append(described["symbol"])
        globals().setdefault(name, _class(described["class"])(described["symbol"], described["name"], described["arity"]))


_make(_core.scalar_names())


def __getattr__(name):
    if name in all_dtypes:
        return Scalar(name)
    if name in _TYPE_LISTS:
        return tuple(Scalar(dtype) for dtype in _TYPE_LISTS[name])
    if name in _SEVERAL:
        return several(Scalar(_SEVERAL[name]), name)
    if _core.has_scalar(name):
        op = _core.elemwise(name)
        described = _core.scalar_of(op)
        return _class(described["class"])(described["symbol"], described["name"], described["arity"])
    if name in ("ScalarConstant", "ScalarVariable"):
        return getattr(Scalar, name[len("Scalar"):])
    if name in ("basic", "sharedvar", "basic_scipy"):
        return sys.modules[__name__]
    if name.isidentifier() and name[0].isupper():
        for scalar_name in _core.scalar_names():
            described = _core.scalar_of(_core.elemwise(scalar_name))
            if described["class"] == name:
                return _class(name)
    raise AttributeError("module 'theano.scalar' has no attribute %r" % name)
