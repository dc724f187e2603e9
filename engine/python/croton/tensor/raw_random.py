"""Draws from numpy.random.RandomState in graphs: RandomFunction, and a function a distribution."""
import functools

import numpy

from croton import _core
from croton.configparser import config
from croton.gof.graph import Constant, Variable
from croton.gof.op import Op, declare, parameters
from croton.gof.type import RandomStateType
from croton.tensor import basic
from croton.tensor.type import TensorType

random_state_type = RandomStateType()

# name → function(state, *arguments, sizes), as methods of RandomState are
_draws = {}


def _drawing(function):
    _draws[function.__name__] = function
    return function


def _named(fn):
    """The name under which `fn`, a method's name or a function, draws."""
    if isinstance(fn, str):
        if fn not in _draws:
            _draws[fn] = getattr(numpy.random.RandomState, fn)
        return fn
    name = fn.__name__
    number = 1
    while _draws.setdefault(name, fn) is not fn:
        if name == fn.__name__ and getattr(numpy.random.RandomState, name, None) is fn:
            return name
        number += 1
        name = "%s#%d" % (fn.__name__, number)
    return name


class RandomFunction(Op):
    """fn(state, *arguments, sizes) in a graph. The inputs: a state, sizes (none: those of the arguments), the arguments."""

    def __new__(cls, fn, outtype, inplace=False, ndim_added=0):
        return _core.random_function_op(_named(fn), str(outtype.dtype), list(outtype.broadcastable), bool(inplace), int(ndim_added))

    def __init__(self, *args, **kwargs):
        pass

    fn = property(lambda self: _draws[parameters(self)["distribution"]])
    inplace = property(lambda self: parameters(self)["inplace"])
    ndim_added = property(lambda self: parameters(self)["added_axes"])
    destroy_map = property(lambda self: {0: [0]} if self.inplace else {})

    @property
    def outtype(self):
        known = parameters(self)
        return TensorType(known["dtype"], known["pattern"])

    def make_node(self, r, shape, *args):
        shape = _sizes_variable(shape)
        if shape.ndim != 1 or shape.dtype not in ("int32", "int64"):
            raise TypeError("the sizes of a draw are a vector of int32 or int64, got %s" % shape.type)
        if not isinstance(r, Variable):
            r = Constant(random_state_type, r)
        return _core.make_node(self, [r, shape] + [basic.as_tensor_variable(one) for one in args])


def _sizes_variable(sizes):
    if not isinstance(sizes, Variable) and len(sizes) == 0:
        return basic.constant(numpy.zeros(0, "int64"))
    return basic.as_tensor_variable(sizes, ndim=1)


def _equal_states(a, b):
    a, b = a.get_state(), b.get_state()
    return a[0] == b[0] and bool((a[1] == b[1]).all()) and a[2:4] == b[2:4] and (not a[3] or a[4] == b[4])


def _copied(state):
    copy = numpy.random.RandomState(0)
    copy.set_state(state.get_state())
    return copy


def _draw(name, added, inplace, dtype, ndim, state, sizes, *arguments):
    fn = _draws.get(name)
    if fn is None:
        fn = _draws[_named(name)]
    if not isinstance(state, numpy.random.RandomState):
        raise TypeError("RandomFunction{%s} draws from a numpy.random.RandomState, got %s" % (name, type(state).__name__))
    sizes = tuple(sizes.tolist()) or None
    if sizes is not None and len(sizes) + added != ndim:
        raise ValueError("Shape mismatch: the result of RandomFunction{%s} has %d dimension(s), %d size(s) and %d added were given"
                         % (name, ndim, len(sizes), added))
    if not inplace:
        state = _copied(state)
    return state, _fitted(name, added, dtype, ndim, sizes, fn(state, *(arguments + (sizes,))))


def _fitted(name, added, dtype, ndim, sizes, made):
    """What a function drew, as an array of this dtype and these sizes."""
    made = numpy.asarray(made, dtype=dtype)
    if sizes is None and made.ndim == 0 and ndim:
        made = made.reshape((1,) * ndim)
    if made.ndim != ndim:
        raise ValueError("Shape mismatch: the result of RandomFunction{%s} should have %d dimension(s), it has %d" % (name, ndim, made.ndim))
    if sizes is not None and made.shape[:made.ndim - added] != sizes:
        raise ValueError("Shape mismatch: the result of RandomFunction{%s} should have the shape %s, it has %s" % (name, sizes, made.shape))
    return made


def _method(name):
    """The method of generators that draws this; None: another function does."""
    method = getattr(numpy.random.RandomState, name, None)
    return method if method is not None and _draws.setdefault(name, method) is method else None


_core.set_random_draw(_draw, _fitted, _method, numpy.random.RandomState)
_core.register_value_class(numpy.random.RandomState, _equal_states, _copied)
declare("RandomFunction", RandomFunction)


def _infer_ndim_bcast(ndim, shape, *args):
    """(dimensions, sizes as a variable, which of them are 1) of a draw with these arguments. A size of -1 is that of the arguments."""
    least = max([arg.ndim for arg in args] or [0])
    if isinstance(shape, (tuple, list)):
        if ndim is not None and ndim != len(shape):
            raise ValueError("ndim should be equal to len(shape), but ndim = %s, len(shape) = %s, shape = %s" % (ndim, len(shape), shape))
        ndim = len(shape)
        sizes, pattern = [], []
        for axis, size in enumerate(shape):
            if isinstance(size, Variable):
                known = False
            elif size >= 0:
                known = size == 1
            elif size == -1:
                size, known = _size_of(args, axis - ndim)
            else:
                raise ValueError("a size is negative: %s" % (shape,))
            sizes.append(size)
            pattern.append(bool(known))
        sizes = _sizes_variable(sizes)
    elif shape is None:
        if not args:
            raise TypeError("without a size and without arguments there is nothing to tell the shape of a draw from")
        template = functools.reduce(lambda a, b: a + b, args)
        sizes, pattern, ndim = template.shape, template.broadcastable, template.ndim
    else:
        sizes = basic.as_tensor_variable(shape)
        if ndim is None:
            ndim = basic.get_vector_length(sizes)
        pattern = [False] * ndim
    if sizes.dtype not in basic.discrete_dtypes:
        raise TypeError("shape must be an integer vector or list, got %s" % sizes.dtype)
    if least > ndim:
        raise ValueError("ndim should be at least as big as required by args value", (ndim, least), args)
    return ndim, basic.cast(sizes, "int64"), tuple(pattern)


def _size_of(args, axis):
    """The size of an axis, counted from the end, and whether it is 1."""
    reaching = [arg for arg in args if arg.ndim >= -axis]
    if not reaching:
        raise ValueError("Auto-shape of -1 must overlap with the shape of one of the broadcastable inputs")
    for arg in reaching:
        if not arg.broadcastable[axis]:
            return arg.shape[arg.ndim + axis], False
    return 1, True


def _float_draw(name, random_state, size, args, ndim, dtype):
    args = [basic.as_tensor_variable(arg) for arg in args]
    if dtype is None:
        dtype = _core.promote([config.floatX] + [arg.dtype for arg in args])
    ndim, size, pattern = _infer_ndim_bcast(ndim, size, *args)
    return RandomFunction(name, TensorType(dtype, pattern))(random_state, size, *args)


def uniform(random_state, size=None, low=0.0, high=1.0, ndim=None, dtype=None):
    """(state after it, numbers between low and high)."""
    return _float_draw("uniform", random_state, size, (low, high), ndim, dtype)


def normal(random_state, size=None, avg=0.0, std=1.0, ndim=None, dtype=None):
    """(state after it, normally distributed numbers)."""
    return _float_draw("normal", random_state, size, (avg, std), ndim, dtype)


def binomial(random_state, size=None, n=1, p=0.5, ndim=None, dtype="int64", prob=None):
    """(state after it, how many of n trials succeed)."""
    n, p = basic.as_tensor_variable(n), basic.as_tensor_variable(p if prob is None else prob)
    ndim, size, _ = _infer_ndim_bcast(ndim, size, n, p)
    return RandomFunction("binomial", TensorType(dtype, (False,) * ndim))(random_state, size, n, p)


def poisson(random_state, size=None, lam=1.0, ndim=None, dtype="int64"):
    """(state after it, counts that are lam in the mean)."""
    lam = basic.as_tensor_variable(lam)
    ndim, size, pattern = _infer_ndim_bcast(ndim, size)
    return RandomFunction("poisson", TensorType(dtype, pattern))(random_state, size, lam)


def random_integers(random_state, size=None, low=0, high=1, ndim=None, dtype="int64"):
    """(state after it, integers from low to high, both included)."""
    low, high = basic.as_tensor_variable(low), basic.as_tensor_variable(high)
    ndim, size, pattern = _infer_ndim_bcast(ndim, size, low, high)
    return RandomFunction(random_integers_helper, TensorType(dtype, pattern))(random_state, size, low, high)


@_drawing
def random_integers_helper(random_state, low, high, size):
    low, high = numpy.asarray(low), numpy.asarray(high)
    shape = numpy.broadcast(low, high).shape if size is None else tuple(size)
    if low.ndim == high.ndim == 0:
        return random_state.randint(int(low), int(high) + 1, size=shape, dtype="int64")
    low, high = numpy.broadcast_to(low, shape), numpy.broadcast_to(high, shape)
    made = numpy.empty(shape, "int64")
    for place in numpy.ndindex(*shape):
        made[place] = random_state.randint(int(low[place]), int(high[place]) + 1, dtype="int64")
    return made


def choice(random_state, size=None, a=2, replace=True, p=None, ndim=None, dtype="int64"):
    """(state after it, elements of a, or integers below it)."""
    a = basic.as_tensor_variable(a)
    replace = basic.constant(replace, dtype="int8") if isinstance(replace, bool) else basic.as_tensor_variable(replace)
    p = basic.constant(numpy.zeros(0)) if p is None else basic.as_tensor_variable(p)  # no probabilities: all alike
    ndim, size, pattern = _infer_ndim_bcast(ndim, () if size is None else size)
    return RandomFunction(choice_helper, TensorType(dtype, pattern))(random_state, size, a, replace, p)


@_drawing
def choice_helper(random_state, a, replace, p, size):
    a, p = numpy.asarray(a), numpy.asarray(p)
    if a.ndim > 1:
        raise ValueError("a.ndim (%i) must be 0 or 1" % a.ndim)
    if p.ndim != 1:
        raise ValueError("p.ndim (%i) must be 1" % p.ndim)
    return random_state.choice(a if a.ndim else int(a), size, bool(replace), p if p.size else None)


def permutation(random_state, size=None, n=1, ndim=None, dtype="int64"):
    """(state after it, the numbers below n in some order, `size` times)."""
    if size is None or (isinstance(size, (tuple, list)) and len(size) == 0):
        if ndim not in (None, 1):
            raise TypeError("You asked for just one permutation but asked for more then 1 dimensions.")
        size, pattern = (), ()
    else:
        ndim, size, pattern = _infer_ndim_bcast(ndim, size)
    return RandomFunction(permutation_helper, TensorType(dtype, pattern + (False,)), ndim_added=1)(random_state, size, n)


@_drawing
def permutation_helper(random_state, n, shape):
    n = int(numpy.asarray(n))
    shape = () if shape is None else tuple(shape)
    made = numpy.empty(shape + (n,), "int64")
    for row in made.reshape(-1, n) if n else ():
        row[:] = random_state.permutation(n)
    return made


def multinomial(random_state, size=None, n=1, pvals=(0.5, 0.5), ndim=None, dtype="int64"):
    """(state after it, how often each outcome came up in n trials); the last axis of pvals is a distribution."""
    n, pvals = basic.as_tensor_variable(n), basic.as_tensor_variable(pvals)
    one = pvals[(slice(None),) * (pvals.ndim - 1) + (0,)]
    ndim, size, pattern = _infer_ndim_bcast(ndim, size, n, one)
    outcome = TensorType(dtype, pattern + (pvals.broadcastable[-1],))
    return RandomFunction(multinomial_helper, outcome, ndim_added=1)(random_state, size, n, pvals)


@_drawing
def multinomial_helper(random_state, n, pvals, size):
    n, pvals = numpy.asarray(n), numpy.asarray(pvals)
    shape = numpy.broadcast_shapes(n.shape, pvals.shape[:-1]) if size is None else tuple(size)
    if n.ndim > len(shape):
        raise ValueError("n.ndim (%i) should not be larger than len(size) (%i)" % (n.ndim, len(shape)))
    if pvals.ndim - 1 > len(shape):
        raise ValueError("pvals.ndim-1 (%i) should not be larger than len(size) (%i)" % (pvals.ndim - 1, len(shape)))
    n, rows = numpy.broadcast_to(n, shape), numpy.broadcast_to(pvals, shape + pvals.shape[-1:])
    made = numpy.empty(shape + pvals.shape[-1:], "int64")
    for place in numpy.ndindex(*shape):
        row = rows[place]
        # NumPy refuses sums above 1, which rounding gives.
        if 1.0 < numpy.sum(row) < 1.0 + 1e-5 or row[-1] < 5e-5:
            row = row * (1.0 - 5e-5)
        made[place] = random_state.multinomial(int(n[place]), row.astype("float64"))
    return made


class RandomStreamsBase:
    """The distributions as methods: gen() draws each from a state of its own."""

    def binomial(self, size=None, n=1, p=0.5, ndim=None, dtype="int64", prob=None):
        return self.gen(binomial, size, n, p if prob is None else prob, ndim=ndim, dtype=dtype)

    def uniform(self, size=None, low=0.0, high=1.0, ndim=None, dtype=None):
        return self.gen(uniform, size, low, high, ndim=ndim, dtype=dtype)

    def normal(self, size=None, avg=0.0, std=1.0, ndim=None, dtype=None):
        return self.gen(normal, size, avg, std, ndim=ndim, dtype=dtype)

    def random_integers(self, size=None, low=0, high=1, ndim=None, dtype="int64"):
        return self.gen(random_integers, size, low, high, ndim=ndim, dtype=dtype)

    def choice(self, size=None, a=2, replace=True, p=None, ndim=None, dtype="int64"):
        return self.gen(choice, size, a, replace, p, ndim=ndim, dtype=dtype)

    def poisson(self, size=None, lam=1.0, ndim=None, dtype="int64"):
        return self.gen(poisson, size, lam, ndim=ndim, dtype=dtype)

    def permutation(self, size=None, n=1, ndim=None, dtype="int64"):
        return self.gen(permutation, size, n, ndim=ndim, dtype=dtype)

    def multinomial(self, size=None, n=1, pvals=(0.5, 0.5), ndim=None, dtype="int64"):
        return self.gen(multinomial, size, n, pvals, ndim=ndim, dtype=dtype)

    def shuffle_row_elements(self, input):  # noqa: A002
        """Every row in an order of its own; .permutation of the result says in which."""
        sizes = [input.shape[axis] for axis in range(input.ndim - 1)]
        order = self.permutation(size=sizes, n=input.shape[input.ndim - 1], ndim=input.ndim - 1 if sizes else None)
        shuffled = basic.permute_row_elements(input, order)
        shuffled.permutation = order
        return shuffled
