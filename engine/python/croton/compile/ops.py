"""Ops beside the tensor functions; ops made of a Python function."""
import importlib
import operator

from croton import _core
from croton.gof.op import Op, declare
from croton.gof.type import Type
from croton.gof.utils import listed
from croton.tensor.opclasses import DeepCopyOp, Rebroadcast, Shape, Shape_i, SpecifyShape, ViewOp
from croton.tensor.basic import shape, shape_i, specify_shape


class FromFunctionOp(Op):
    """An op whose perform() is a function of arrays."""

    def __init__(self, fn, itypes, otypes, infer_shape):
        self._fn = fn
        self.itypes, self.otypes = list(itypes), list(otypes)
        if infer_shape is not None:
            self.infer_shape = infer_shape

    def __eq__(self, other):
        return type(self) is type(other) and self._fn == other._fn

    def __hash__(self):
        return hash(type(self)) ^ hash(self._fn)

    def __str__(self):
        return "FromFunctionOp{%s}" % self._fn.__name__

    def perform(self, node, inputs, outputs):
        results = _list_of(self._fn(*inputs))
        if len(results) != len(outputs):
            raise ValueError("the function %s returned %d results for %d output types" % (self._fn.__name__, len(results), len(outputs)))
        for cell, value in zip(outputs, results):
            cell[0] = value

    def __reduce__(self):
        if _named(self._fn.__module__, self._fn.__qualname__) is self:  # decorated: the name of the function is the op's
            return _loaded, (self._fn.__module__, self._fn.__qualname__)
        return FromFunctionOp, (self._fn, self.itypes, self.otypes, getattr(self, "infer_shape", None))


def _named(module, name):
    try:
        return operator.attrgetter(name)(importlib.import_module(module))
    except (ImportError, AttributeError):
        return None


def _loaded(module, name):
    op = _named(module, name)
    if not isinstance(op, FromFunctionOp):
        raise AttributeError("the op %s of the module %s was pickled by its name, and no op has that name there now: define it again "
                             "with as_op" % (name, module))
    return op


def _list_of(values):
    several = listed(values)
    return [values] if several is None else several


def as_op(itypes, otypes, infer_shape=None):
    """@as_op([T.dvector], [T.dvector]) makes an op of a function of arrays."""
    itypes, otypes = _list_of(itypes), _list_of(otypes)
    for type_ in itypes:
        if not isinstance(type_, Type):
            raise TypeError("itypes has to be a list of Theano types")
    for type_ in otypes:
        if not isinstance(type_, Type):
            raise TypeError("otypes has to be a list of Theano types")
    if infer_shape is not None and not callable(infer_shape):
        raise TypeError("infer_shape needs to be a callable")

    def make_op(fn):
        return FromFunctionOp(fn, itypes, otypes, infer_shape)
    return make_op


view_op, deep_copy_op = (_core.op_of_parts(name, "{}", []) for name in ("ViewOp", "DeepCopyOp"))


def _registration(*args, **kwargs):
    """C code of types is the engine's matter."""


register_deep_copy_op_c_code = register_rebroadcast_c_code = register_shape_c_code = _registration
register_shape_i_c_code = register_specify_shape_c_code = register_view_op_c_code = _registration
