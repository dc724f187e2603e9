"""Functions of tensors that are methods of variables, too: x.sum(axis=0) is T.sum(x, axis=0)."""
import types

from croton.tensor import basic, extra_ops, nlinalg, subtensor
from croton.tensor.sort import argsort, sort
from croton.tensor.var import _tensor_py_operators

_METHODS = {name: getattr(basic, name) for name in (
    "swapaxes diagonal transfer flatten dot sum prod var std min max argmin argmax any all ptp round choose nonzero nonzero_values "
    "zeros_like ones_like get_scalar_constant_value conj exp exp2 expm1 log log2 log10 log1p sqrt sqr sin cos tan arcsin "
    "arccos arctan sinh cosh tanh arcsinh arccosh arctanh ceil floor trunc deg2rad rad2deg sgn inv").split()}
_METHODS.update({name: getattr(extra_ops, name) for name in "squeeze repeat cumsum cumprod searchsorted".split()})
_METHODS.update(
    astype=basic.cast, ravel=basic.flatten, conjugate=basic.conj, take=subtensor.take, trace=nlinalg.trace, sort=sort, argsort=argsort,
    __dot__=basic.dot, __matmul__=basic.dot, __divmod__=basic.divmod, __neg__=basic.neg, __abs__=basic.abs_, __invert__=basic.invert,
    __ceil__=basic.ceil, __floor__=basic.floor, __trunc__=basic.trunc)


def _method(name, function):
    """An op is no function that Python binds."""
    if isinstance(function, types.FunctionType):
        return function

    def method(self, *arguments):
        return function(self, *arguments)
    method.__name__ = name
    return method


for _name, _function in _METHODS.items():
    setattr(_tensor_py_operators, _name, _method(_name, _function))
