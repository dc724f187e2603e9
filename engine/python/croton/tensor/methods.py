"""Functions of tensors that are methods of variables, too: x.sum(axis=0) is T.sum(x, axis=0)."""
import types

import numpy

from croton import _core
from croton.gof.graph import Variable
from croton.gof.utils import listed
from croton.tensor import basic, extra_ops, nlinalg, subtensor
from croton.tensor.functions.axes import normal_axes
from croton.tensor.sort import argsort, sort
from croton.tensor.var import AsTensorError, _tensor_py_operators

_METHODS = {name: getattr(basic, name) for name in (
    "swapaxes diagonal transfer flatten dot sum prod var std min max argmin argmax any all ptp round choose nonzero nonzero_values "
    "zeros_like ones_like get_scalar_constant_value conj exp exp2 expm1 log log2 log10 log1p sqrt sqr sin cos tan arcsin "
    "arccos arctan sinh cosh tanh arcsinh arccosh arctanh ceil floor trunc deg2rad rad2deg sgn inv").split()}
_METHODS.update({name: getattr(extra_ops, name) for name in "squeeze repeat cumsum cumprod searchsorted".split()})
_METHODS.update(
    astype=basic.cast, ravel=basic.flatten, conjugate=basic.conj, take=subtensor.take, trace=nlinalg.trace, sort=sort, argsort=argsort,
    __dot__=basic.dot, __matmul__=basic.dot, __divmod__=basic.divmod, __neg__=basic.neg, __abs__=basic.abs_, __invert__=basic.invert,
    __ceil__=basic.ceil, __floor__=basic.floor, __trunc__=basic.trunc, __getitem__=subtensor.getitem)


def _method(name, function):
    """An op is no function that Python binds."""
    if isinstance(function, types.FunctionType):
        return function

    def method(self, *arguments):
        return function(self, *arguments)
    method.__name__ = name
    return method


def _quotient(function, swapped=False):
    """self / other, or other / self; what cannot be converted to a tensor gets a try itself."""
    def divide(self, other):
        try:
            return function(other, self) if swapped else function(self, other)
        except (NotImplementedError, AsTensorError):
            return NotImplemented
    return divide


def _one_or_several(arguments):
    """(0, 1) of f(0, 1), f((0, 1)) and f(iter((0, 1)))."""
    several = listed(arguments[0]) if len(arguments) == 1 else None
    return arguments if several is None else several


def _is_scalar(value):
    return isinstance(value, Variable) and value.ndim == 0


class _Methods:
    """Methods that are no functions of theano.tensor, or take other arguments."""

    __truediv__, __rtruediv__ = _quotient(basic.true_div), _quotient(basic.true_div, swapped=True)
    __div__, __rdiv__ = _quotient(basic.div_proxy), _quotient(basic.div_proxy, swapped=True)  # Python 2: of integers as the flag int_division says

    def __rdivmod__(self, other):
        return basic.divmod(other, self)

    def __rmatmul__(self, other):
        return basic.dot(other, self)

    __rdot__ = __rmatmul__

    def __iter__(self):
        try:
            length = basic.get_vector_length(self)
        except (TypeError, ValueError) as error:
            raise type(error)("TensorType does not support iteration: its length is known only when a function runs. Use T.sum, T.max … in "
                            "place of Python's sum and max, theano.scan for a loop, or split it with x[0], x[1], …") from None
        return iter([self[i] for i in range(length)])

    @property
    def shape(self):
        return basic.shape(self)

    @property
    def size(self):
        return self.shape[0] if self.ndim == 1 else basic.prod(self.shape)

    @property
    def T(self):
        return basic.transpose(self)

    def transpose(self, *axes):
        return basic.transpose(self, _one_or_several(axes) if axes else None)

    def dimshuffle(self, *pattern):
        return basic.dimshuffle(self, _one_or_several(pattern))

    def reshape(self, shape, *more, **kwargs):
        ndim = kwargs.pop("ndim", None)
        if kwargs:
            raise TypeError("reshape() got an unexpected keyword argument %r" % next(iter(kwargs)))
        if more:
            several = listed(shape)
            if len(more) == 1 and ndim is None and (several is not None or isinstance(shape, Variable) and not _is_scalar(shape)):
                shape, ndim = shape if several is None else several, more[0]
            else:
                shape = (shape,) + more
        return basic.reshape(self, shape, ndim=ndim)

    def copy(self, name=None):
        copied = basic.tensor_copy(self)
        copied.name = name
        return copied

    def mean(self, axis=None, dtype=None, keepdims=False, acc_dtype=None):
        return basic.mean(self, axis=axis, dtype=dtype, keepdims=keepdims, acc_dtype=acc_dtype)

    def clip(self, a_min, a_max):
        return basic.clip(self, a_min, a_max)

    def fill(self, value):
        return basic.fill(self, value)

    def norm(self, L, axis=None, keepdims=False):
        if L == 0:
            raise NotImplementedError("the norm L=0 is not defined here: count with T.neq(x, 0).sum()")
        if numpy.isinf(L):
            raise NotImplementedError("use T.max(abs(x)) for the norm L=inf")
        return _core.norm(self, L, normal_axes(axis, self.ndim), bool(keepdims))

    real = property(basic.real)
    imag = property(basic.imag)

    def compress(self, a, axis=None):
        return extra_ops.compress(a, self, axis=axis)


_METHODS.update({name: thing for name, thing in vars(_Methods).items() if name not in ("__module__", "__dict__", "__weakref__", "__doc__")})
for _name, _function in _METHODS.items():
    setattr(_tensor_py_operators, _name, _function if isinstance(_function, property) else _method(_name, _function))
