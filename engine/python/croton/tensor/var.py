"""Tensor variables: operators and methods."""
import copy
import weakref

import numpy

from croton import _core
from croton._kinds import CONSTANT, GENERIC, INPUT, NONE, OUTPUT, RANDOM_STATE, SHARED, SLICE, TENSOR
from croton.gof.graph import Constant, SharedVariableBase, Variable
from croton.gof.link import SharedContainer


def _operator(name, swapped=False):
    """a ∘ b through the engine; what b cannot be converted to a tensor lets b try."""
    def forward(self, other):
        try:
            return _core.binary(name, self, other)
        except (NotImplementedError, AsTensorError):
            return NotImplemented

    def backward(self, other):
        try:
            return _core.binary(name, other, self)
        except (NotImplementedError, AsTensorError):
            return NotImplemented
    return backward if swapped else forward


class AsTensorError(TypeError):
    """Something that is no tensor stands where one is needed."""


class _tensor_py_operators:
    """What people write with variables; methods.py adds the functions that are methods, too."""
    __slots__ = ()
    __array_priority__ = 1000
    __hash__ = Variable.__hash__

    __add__, __radd__ = _operator("add"), _operator("add", True)
    __sub__, __rsub__ = _operator("sub"), _operator("sub", True)
    __mul__, __rmul__ = _operator("mul"), _operator("mul", True)
    __floordiv__, __rfloordiv__ = _operator("int_div"), _operator("int_div", True)
    __mod__, __rmod__ = _operator("mod"), _operator("mod", True)
    __pow__, __rpow__ = _operator("pow"), _operator("pow", True)
    __and__, __rand__ = _operator("and_"), _operator("and_", True)
    __or__, __ror__ = _operator("or_"), _operator("or_", True)
    __xor__, __rxor__ = _operator("xor"), _operator("xor", True)
    __lt__, __le__ = _operator("lt"), _operator("le")
    __gt__, __ge__ = _operator("gt"), _operator("ge")

    def __pos__(self):
        return self

    def __bool__(self):
        # A leaf is true, as any object; the result of a comparison would silently take one branch.
        if self._is_nonzero():
            return True
        raise TypeError("Variables do not support boolean operations: a symbolic value is known only when a function runs. "
                        "Use T.switch(condition, a, b) to choose, or .eval() for the value of an expression without inputs.")

    __nonzero__ = __bool__

    def _is_nonzero(self):
        owner = self.owner
        if owner is None:
            return True
        scalar = _core.scalar_of(owner.op)
        return not (scalar and scalar["symbol"] in ("lt", "gt", "le", "ge", "eq", "neq"))

    def __len__(self):
        raise TypeError("object of type 'TensorVariable' has no len(): its size is known only at run time; use x.shape[0]")

    def __index__(self):
        raise TypeError("TensorType does not support conversion to an index: the value is known only when a function runs. "
                        "Use T.arange(n) in place of range(n), or .eval() for the value of an expression without inputs.")

    def __float__(self):
        raise TypeError("a symbolic variable has no value yet: compile a function, or use x.eval(…)")

    __int__ = __float__

    def __contains__(self, item):
        raise TypeError("'in' cannot be asked of a symbolic variable; use T.any(T.eq(x, item))")

    def __setitem__(self, index, value):
        raise TypeError("'TensorVariable' object does not support item assignment: use x = T.set_subtensor(x[…], value)")


class TensorVariable(_tensor_py_operators, Variable):
    """An input, or what an op computes."""


class TensorConstantSignature(tuple):
    pass


class TensorConstant(_tensor_py_operators, Constant):
    """A leaf with an array that never changes."""

    def __array__(self, dtype=None, copy=None):
        return numpy.asarray(self.data, dtype=dtype)


class SharedVariable(SharedVariableBase):
    """A leaf with a value that functions share and may update."""

    def get_value(self, borrow=False, return_internal_type=False):
        value = _core.shared_get(self, True)
        if borrow:
            return value
        return copy.deepcopy(value)

    def set_value(self, new_value, borrow=False):
        if not borrow:
            new_value = copy.deepcopy(new_value)
        how = self.__dict__.get("_filter") or {}
        _core.shared_set(self, self.type.filter(new_value, **how), True)

    def zero(self, borrow=False):
        self.set_value(0 * self.get_value(borrow=True))

    def get_test_value(self):
        return self.get_value(borrow=True, return_internal_type=True)

    @property
    def value(self):
        raise Exception("sharedvar.value does not exist anymore. Use sharedvar.get_value() or sharedvar.set_value() instead.")

    @value.setter
    def value(self, new_value):
        raise Exception("sharedvar.value does not exist anymore. Use sharedvar.get_value() or sharedvar.set_value() instead.")

    @property
    def container(self):
        """Where the value is: one object for as long as somebody holds it."""
        known = self.__dict__.get("_container")
        container = known() if known is not None else None
        if container is None:
            container = SharedContainer(self)
            self.__dict__["_container"] = weakref.ref(container)
        return container

    def clone(self):
        copy = _core.shared_like(self, self.name or "")
        if "_filter" in self.__dict__:
            copy._filter = self._filter
        copy.tag.__dict__.update(self.tag.__dict__)
        return copy

    def __copy__(self):
        copy = self.clone()
        copy.__dict__.update({key: value for key, value in self.__dict__.items() if key not in ("_tag", "_fn_cache", "_container")})
        return copy

    def filter_update(self, update):
        """`update` as a variable of this type."""
        return self.type.filter_variable(update, allow_convert=False)

    def __getitem__(self, *args):
        value = self.get_value(borrow=True)
        if isinstance(value, list):
            hint = "theano.shared(numpy.asarray(the_list)) makes a tensor of it"
        else:
            hint = "only tensors can be indexed"
        raise TypeError("The generic 'SharedVariable' object is not subscriptable. This shared variable contains %s: %s"
                        % (type(value).__name__, hint))


class TensorSharedVariable(_tensor_py_operators, SharedVariable):
    """A shared array."""

    @property
    def type(self):
        """Its Type. Set, it is that of what is built from then on; an axis of several elements does not broadcast whatever a type says."""
        return SharedVariable.type.__get__(self)

    @type.setter
    def type(self, wanted):
        have = self.type
        if getattr(wanted, "dtype", None) != have.dtype or wanted.ndim != have.ndim:
            raise TypeError("the type of a shared variable keeps its dtype and rank: %s holds %s, not %s" % (self, have, wanted))
        pattern = [flag and size == 1 for flag, size in zip(wanted.broadcastable, self.get_value(borrow=True).shape)]
        _core.exchange(self, _core.shared_like(self, self.name or "", have.clone(broadcastable=pattern)))

    def get_value(self, borrow=False, return_internal_type=False):
        """A copy; with borrow the array itself. Of an array on a device a copy for the host, unless return_internal_type."""
        value = _core.shared_get(self, bool(borrow) or not return_internal_type)
        if isinstance(value, numpy.ndarray):
            return value if borrow or return_internal_type else value.copy()
        return value if return_internal_type else numpy.asarray(value)

    def set_value(self, new_value, borrow=False):
        value = self.type.filter(new_value, **(self.__dict__.get("_filter") or {}))
        _core.shared_set(self, value, bool(borrow) and isinstance(new_value, (numpy.ndarray, _core.DeviceArray)))

    def zero(self, borrow=False):
        if borrow:
            self.get_value(borrow=True)[...] = 0
        else:
            self.set_value(numpy.zeros_like(self.get_value(borrow=True)), borrow=True)


ScalarSharedVariable = TensorSharedVariable
CudaNdarraySharedVariable = GpuArraySharedVariable = None


_core.register_variable_class(TENSOR, INPUT, TensorVariable)
_core.register_variable_class(TENSOR, OUTPUT, TensorVariable)
_core.register_variable_class(TENSOR, CONSTANT, TensorConstant)
_core.register_variable_class(TENSOR, SHARED, TensorSharedVariable)
for _kind in (GENERIC, NONE, SLICE, RANDOM_STATE):
    _core.register_variable_class(_kind, SHARED, SharedVariable)
