"""The Python classes of the engine's ops that scripts name."""
import inspect
import json

from croton import _core
from croton.gof import provided
from croton.gof.graph import Variable
from croton.gof.op import Op, declare, named as _settable, parameters
from croton.tensor import derived
from croton.tensor.number import Scalar


class Elemwise(Op):
    """A scalar function applied to every element, with broadcasting. T.exp is one."""

    _engine = None  # of an op of a script's class: the engine's of the same function

    def __new__(cls, *args, **kwargs):
        return super().__new__(cls) if derived.is_derived(cls, Elemwise) else Elemwise._of_engine(*args, **kwargs)

    @staticmethod
    def _of_engine(scalar_op=None, inplace_pattern=None, name=None, **kwargs):
        if hasattr(scalar_op, "elementwise") and scalar_op.symbol is None:
            return scalar_op.elementwise(inplace_pattern, name)
        symbol = getattr(scalar_op, "symbol", None) or getattr(scalar_op, "name", scalar_op)
        if not isinstance(symbol, str) or not _core.has_scalar(symbol):
            raise TypeError("Elemwise takes one of the functions of theano.scalar, got %r" % (scalar_op,))
        if inplace_pattern:
            places = [[int(output), int(place)] for output, place in dict(inplace_pattern).items()]
            return _core.op_of_parts("Elemwise", json.dumps({"scalar": symbol, "inplace": places}), [])
        return _core.elemwise(symbol)

    def __init__(self, *args, **kwargs):
        if not _core.is_engine_op(self) and derived.is_derived(type(self), Elemwise):
            self._engine = Elemwise._of_engine(*args, **kwargs)

    def perform(self, node, inputs, output_storage, params=None):
        if self._engine is not None:
            return derived.perform(self._engine, node, inputs, output_storage)
        return super().perform(node, inputs, output_storage)

    def grad(self, inputs, output_grads):
        if self._engine is not None:
            return derived.gradient(self._engine, inputs, output_grads)
        return super().grad(inputs, output_grads)

    def __init_subclass__(cls):
        if derived.is_derived(cls, Elemwise) and cls.__eq__ is Elemwise.__eq__:
            cls.__eq__, cls.__hash__ = derived.are_same, derived.hash_of

    def make_node(self, *inputs):
        """An Apply of inputs of one rank: axes are added on the left."""
        inputs = [value if isinstance(value, Variable) else _core.as_variable(value) for value in inputs]
        ranks = [getattr(value.type, "ndim", 0) for value in inputs]
        inputs = [_core.pad_left(value, max(ranks) - rank) for value, rank in zip(inputs, ranks)]
        return super().make_node(*inputs) if self._engine is None else derived.make_node(self, self._engine, inputs)

    def __call__(self, *inputs, **kwargs):
        if self._engine is not None:
            return super().__call__(*inputs, **kwargs)
        dtype = kwargs.pop("dtype", None)
        name = kwargs.pop("name", None)
        return_list = kwargs.pop("return_list", False)
        if kwargs:
            raise TypeError("%s got an unexpected keyword argument %r" % (self, next(iter(kwargs))))
        result = self._in_place(inputs) if _core.op_destroy_map(self) else _core.call_elemwise(self, *inputs)
        if dtype is not None:
            result = _core.cast(result, dtype)
        if name is not None:
            result.name = name
        return [result] if return_list else result

    def _in_place(self, inputs):
        """What overwrites an input has its dtype and its dimensions."""
        inputs = [value if isinstance(value, Variable) else _core.as_variable(value) for value in inputs]
        plain = _core.call_elemwise(Elemwise(self.scalar_op), *inputs)
        target = inputs[self.inplace_pattern[0]]
        if plain.ndim != target.ndim or any(ours and not theirs for ours, theirs in zip(target.broadcastable, plain.broadcastable)):
            raise ValueError("Operation cannot be done inplace on an input with broadcasted dimensions: %s would be %s" % (target, plain.type))
        if plain.dtype == target.dtype:
            return self.make_node(*inputs).outputs[0]
        return Elemwise("second", {0: 0}).make_node(target, _core.cast(plain, target.dtype)).outputs[0]

    @property
    def scalar_op(self):
        return provided.scalar_function(self._engine or self)

    name = _settable(lambda self: _core.op_name(self) if self._engine is None else None)

    def __str__(self):
        return self.__dict__.get("_name") or super().__str__()

    __repr__ = __str__

    @property
    def __name__(self):
        return _core.scalar_of(self._engine or self)["symbol"]

    @property
    def nin(self):
        return self.scalar_op.nin

    nout = 1

    @property
    def inplace_pattern(self):
        return dict(parameters(self).get("inplace", [])) if self._engine is None else {}

    @property
    def destroy_map(self):
        return {} if self._engine is not None else {output: [input_] for output, input_ in _core.op_destroy_map(self)}


class DimShuffle(Op):
    """Permutes, drops and adds dimensions; a view."""

    def __new__(cls, input_broadcastable, new_order, inplace=True):
        return _core.dimshuffle_op([bool(one) for one in input_broadcastable], [-1 if axis == "x" else int(axis) for axis in new_order])

    def __init__(self, *args, **kwargs):
        pass

    @property
    def new_order(self):
        return tuple("x" if axis < 0 else axis for axis in parameters(self)["order"])


class Built(Op):
    """An op of the engine, or one that a script makes by its class: that builds what it computes when it is called."""
    _builder = None  # parameters → function of the inputs
    _parts = None  # parameters → what the engine calls them, for classes whose ops the engine makes from them alone
    _operands = None  # inputs → those that the op takes

    def __new__(cls, *args, **kwargs):
        if cls._parts is None or derived.is_derived(cls, Built):
            return super().__new__(cls)
        return cls._of_engine(*args, **kwargs)

    @classmethod
    def _of_engine(cls, *args, **kwargs):
        made_by = next(one for one in cls.__mro__ if "_parts" in vars(one))
        return _core.op_of_parts(cls._engine_name or made_by.__name__, json.dumps(cls._parts(*args, **kwargs)), [])

    _engine_name = None  # where it is another
    _args, _kwargs = (), {}  # of a script's class that does not call this constructor

    def __init__(self, *args, **kwargs):
        if _core.is_engine_op(self):
            return
        self._args, self._kwargs = args, kwargs
        self._function()

    def _function(self):
        if type(self)._parts is not None:
            return type(self)._of_engine(*self._args, **self._kwargs)
        if type(self)._builder is None:
            raise TypeError("%s ops are made by the engine: call the function of theano.tensor that builds one" % type(self).__name__)
        return type(self)._builder(*self._args, **self._kwargs)

    def __call__(self, *inputs, **kwargs):
        if _core.is_engine_op(self) or self._is_derived():
            return super().__call__(*inputs, **kwargs)
        as_list = kwargs.pop("return_list", False)
        result = self._function()(*inputs, **kwargs)
        results = list(result) if isinstance(result, (list, tuple)) else [result]
        return results if as_list or len(results) > 1 else results[0]

    def _is_derived(self):
        return derived.is_derived(type(self), Built)

    def make_node(self, *inputs):
        if _core.is_engine_op(self):
            return super().make_node(*(inputs if self._operands is None else self._operands(*inputs)))
        if self._is_derived():
            return derived.make_node(self, self._function(), inputs)
        result = self(*inputs, return_list=True)[0]
        if result.owner is None:
            raise TypeError("%s of %s is the input itself, no Apply computes it" % (self, ", ".join(str(one) for one in inputs)))
        return result.owner

    def perform(self, node, inputs, output_storage, params=None):
        if self._is_derived():
            return derived.perform(self._function(), node, inputs, output_storage)
        return super().perform(node, inputs, output_storage)

    def grad(self, inputs, output_grads):
        if not _core.is_engine_op(self):
            return derived.gradient(self._function(), inputs, output_grads)
        return super().grad(inputs, output_grads)

    def _is_of_engine(self):
        return not self._is_derived()

    def __eq__(self, other):
        if _core.is_engine_op(self) or type(self) is not type(other) or _core.is_engine_op(other):
            return super().__eq__(other)
        if self._is_derived():
            return derived.are_same(self, other)
        return self._parameters() == other._parameters()

    def _parameters(self):
        """By name, however they were given."""
        takes = type(self)._builder or type(self)._parts
        if takes is None:
            return {"args": self._args, **self._kwargs}
        bound = inspect.signature(takes).bind(*self._args, **self._kwargs)
        bound.apply_defaults()
        return bound.arguments

    def __getattr__(self, name):
        """The parameters, by the names that the constructor has for them."""
        if not name.startswith("_"):
            known = parameters(self) if _core.is_engine_op(self) else self._parameters()
            if name in known:
                return known[name]
        raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))

    def __hash__(self):
        return super().__hash__() if _core.is_engine_op(self) else hash(type(self))

    def __str__(self):
        if _core.is_engine_op(self):
            return super().__str__()
        parameters = [str(one) for one in self._args] + ["%s=%s" % pair for pair in self._kwargs.items()]
        return type(self).__name__ + ("{%s}" % ", ".join(parameters) if parameters else "")

    __repr__ = __str__


class CAReduce(Built):
    """A reduction over some axes."""

    @property
    def axis(self):
        if not _core.is_engine_op(self):
            return self._kwargs.get("axis", self._args[self._axis_place] if len(self._args) > self._axis_place else None)
        return parameters(self).get("axis")

    _axis_place = 1

    @property
    def scalar_op(self):
        if _core.is_engine_op(self):
            return provided.scalar_function(_FOLDS[parameters(self)["kind"]])
        name = _FOLDS.get(type(self).__name__.lower())
        return provided.scalar_function(name) if name else self._kwargs.get("scalar_op", self._args[0] if self._args else None)


_FOLDS = {"sum": "add", "prod": "mul", "all": "and_", "any": "or_", "max": "maximum", "min": "minimum", "largest": "maximum"}


class CAReduceDtype(CAReduce):
    pass


def _named(name, base=Built, **extra):
    return type(Op)(name, (base,), dict({"__module__": __name__}, **extra))


Sum, Prod = (_named(name, CAReduceDtype, _axis_place=0) for name in ("Sum", "Prod"))
All, Any, Max, Min = (_named(name, CAReduce, _axis_place=0) for name in ("All", "Any", "Max", "Min"))


class _Indexing(Built):
    """By numbers and slices."""

    @property
    def idx_list(self):
        """Types where inputs stand."""
        if not _core.is_engine_op(self):
            return tuple(self._args[0] if self._args else self._kwargs["idx_list"])
        entries = []
        for entry in parameters(self)["index"]:
            bounds = [Scalar("int64") if dtype else None for dtype in entry.split(":")]
            entries.append(slice(*bounds) if len(bounds) > 1 else bounds[0])
        return tuple(entries)


class Subtensor(_Indexing):
    """An index of numbers and slices; a view."""


class IncSubtensor(_Indexing):
    """A part added to, or set."""


def _parts_of(names):
    """Takes the parameters of a card by these names, in the order of the engine's constructor."""
    signature = inspect.Signature([inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None) for name in names])

    def parts(*args, **kwargs):
        return {name: value for name, value in signature.bind(*args, **kwargs).arguments.items() if value is not None}
    parts.__signature__ = signature
    return staticmethod(parts)


def _build_by_cards():
    """Classes that no module builds in its own way make the op of their card."""
    for names, _, engine_name, parameters in _core.op_cards():
        for cls in [CLASSES[name] for name in names if name in CLASSES and parameters is not None]:
            if issubclass(cls, Built) and cls._builder is None and cls._parts is None:
                cls._parts, cls._engine_name = _parts_of(parameters), engine_name


def built(module, name, builder, **extra):
    """The class of an op that a module builds by `builder`: parameters → function of the inputs."""
    cls = _class_of(module, name, builder, **extra)
    declare(name, cls)
    return cls


def _class_of(module, name, builder, **extra):
    """The same of an op that the engine has not got by that name."""
    return type(Op)(name, (Built,), dict(extra, __module__=module, _builder=staticmethod(builder)))


# Classes of Theano's of which Croton makes other ops, and forms on a device that scripts name.
_OTHERS = """AllocDiag Bartlett Choose ConvOp Default DiffOp FillDiagonal FillDiagonalOffset Flatten Max Mean Min PermuteRowElements RepeatOp
    ScalarFromTensor TensorFromScalar Tile GpuElemwise GpuGemm GpuGemv""".split()
# What the cards of such ops list has its classes in a module of its own.
_ELSEWHERE = ("fourier", "gradient", "linalg", "loop", "nested", "other", "random", "script", "sparse")
CLASSES = {name: globals().get(name) or _named(name)
           for name in [name for names, role, *_ in _core.op_cards() if role not in _ELSEWHERE for name in names] + _OTHERS + ["CAReduceDtype"]}
for _name, _class in CLASSES.items():
    declare(_name, _class)
globals().update({name: cls for name, cls in CLASSES.items() if name not in globals()})
