"""MRG_RandomStreams: random numbers of the generator MRG31k3p, drawn by many streams in turn."""
import math
import warnings

import numpy

from croton import _core
from croton.compile.sharedvalue import shared
from croton.configparser import config
from croton.gof.graph import Constant, Variable
from croton.gof.op import Op, declare, parameters
from croton.gradient import undefined_grad
from croton.sandbox import multinomial
from croton.tensor import basic
from croton.tensor.functions.joining import join, stack
from croton.tensor.type import TensorType

M1 = numpy.asarray(numpy.int32(2147483647))
M2 = numpy.asarray(numpy.int32(2147462579))
_MOST_STREAMS = 60 * 256
_INTEGERS = (int, numpy.integer)


def ff_2p134(rstate):
    """The state 2^134 samples later: where the next streams begin."""
    return numpy.asarray(_core.mrg_next_stream([int(one) for one in rstate]), "int32")


def ff_2p72(rstate):
    """The state 2^72 samples later: where the next stream begins."""
    return _core.mrg_substreams([int(one) for one in rstate], 2)[1]


class mrg_uniform(Op):
    """(states after it, numbers in ]0, 1[) of states and a size."""

    def __new__(cls, output_type, inplace=False):
        return _core.mrg_uniform_op(str(output_type.dtype), list(output_type.broadcastable), bool(inplace))

    def __init__(self, *args, **kwargs):
        pass

    inplace = property(lambda self: parameters(self)["inplace"])
    destroy_map = property(lambda self: {0: [0]} if self.inplace else {})

    @property
    def output_type(self):
        known = parameters(self)
        return TensorType(known["dtype"], (False,) * len(known["pattern"]))

    def make_node(self, rstate, size):
        output, size = self.output_type, basic.as_tensor_variable(size, ndim=1)
        known = _core.mrg_uniform_op(output.dtype, [_is_one(size[axis]) for axis in range(output.ndim)], self.inplace)
        return _core.make_node(known, [basic.as_tensor_variable(rstate), size])

    @classmethod
    def new(cls, rstate, ndim, dtype, size):
        size = _size_variable(size)
        if ndim is None:
            ndim = basic.get_vector_length(size)
        return cls(TensorType(dtype, (False,) * ndim))(rstate, size)


mrg_uniform_base = mrg_uniform
declare("mrg_uniform", mrg_uniform)


def _is_one(size):
    try:
        return int(basic.get_scalar_constant_value(size)) == 1
    except basic.NotScalarConstantError:
        return False


def _size_variable(size):
    if not isinstance(size, Variable) and len(size) == 0:
        return basic.constant(numpy.zeros(0, "int64"))
    return basic.as_tensor_variable(size, ndim=1)


def guess_n_streams(size, warn=False):
    """How many streams draw a sample of this size: a sixth of the numbers, where they are known."""
    if isinstance(size, (tuple, list)) and all(isinstance(one, int) for one in size):
        count = 1
        for one in size:
            count *= one
        return min(count // 6 if count > 6 else count, _MOST_STREAMS)
    if warn:
        warnings.warn("MRG_RandomStreams Can't determine #streams from size (%s), guessing 60*256" % (size,), stacklevel=3)
    return _MOST_STREAMS


class MRG_RandomStreams:
    """Random variables that look the same on every device. The seed: a number, or the six of a state."""

    def __init__(self, seed=12345, use_cuda=None):
        self.state_updates = []
        self.default_instance_seed = seed
        self.set_rstate(seed)

    def updates(self):
        return list(self.state_updates)

    def set_rstate(self, seed):
        """Where the streams begin that are made from now on."""
        if isinstance(seed, _INTEGERS):
            if seed == 0:
                raise ValueError("seed should not be 0", seed)
            if seed >= M2:
                raise ValueError("seed should be less than %i" % M2, seed)
            self.rstate = numpy.asarray([seed] * 6, dtype="int32")
            return
        if len(seed) != 6:
            raise TypeError("seed should be 1 integer or 6 integers")
        for name, part, modulus in (("first", seed[:3], M1), ("last", seed[3:], M2)):
            if not any(one != 0 for one in part):
                raise ValueError("The %s 3 values of seed should not be all 0" % name, seed)
            if any(one >= modulus for one in part):
                raise ValueError("The %s 3 values of seed should be less than %i" % (name, modulus), seed)
        self.rstate = numpy.asarray(seed, dtype="int32")

    def seed(self, seed=None):
        """Begins all streams anew."""
        self.set_rstate(self.default_instance_seed if seed is None else seed)
        for state, after, size, nstreams in self.state_updates:
            streams = self.n_streams(size) if nstreams is None else nstreams
            state.set_value(self.get_substream_rstates(streams, after.owner.outputs[1].dtype), borrow=True)

    def inc_rstate(self):
        self.rstate = ff_2p134(self.rstate)

    def get_substream_rstates(self, n_streams, dtype, inc_rstate=True):
        """A row a stream, 2^72 samples apart."""
        if not 0 < n_streams < 2 ** 72:
            raise ValueError("a draw needs at least 1 stream, got %s" % (n_streams,))
        states = _core.mrg_substreams([int(one) for one in self.rstate], int(n_streams))
        if inc_rstate:
            self.inc_rstate()
        return states

    def n_streams(self, size):
        return guess_n_streams(size)

    def pretty_return(self, node_rstate, new_rstate, sample, size, nstreams):
        sample.rstate = node_rstate
        sample.update = (node_rstate, new_rstate)
        self.state_updates.append((node_rstate, new_rstate, size, nstreams))
        node_rstate.default_update = new_rstate
        return sample

    def uniform(self, size, low=0.0, high=1.0, ndim=None, dtype=None, nstreams=None, **kwargs):
        """Numbers between low and high, neither of which comes up."""
        low, high = basic.as_tensor_variable(low), basic.as_tensor_variable(high)
        if dtype is None:
            dtype = _core.promote([config.floatX, low.dtype, high.dtype])
        low, high = undefined_grad(basic.cast(low, dtype)), undefined_grad(basic.cast(high, dtype))
        if isinstance(size, tuple):
            if not all(isinstance(one, _INTEGERS + (Variable,)) for one in size):
                raise AssertionError("size must be a tuple of int or a Theano variable")
            if any(isinstance(one, _INTEGERS) and one <= 0 for one in size):
                raise ValueError("The specified size contains a dimension with value <= 0", size)
        elif not (isinstance(size, Variable) and size.ndim == 1):
            raise TypeError("size must be a tuple of int or a Theano Variable with 1 dimension, got %s of type %s" % (size, type(size)))
        target = {"target": kwargs.pop("target")} if "target" in kwargs else {}
        if kwargs:
            raise TypeError("uniform() got unexpected keyword arguments %s" % sorted(kwargs))
        states = shared(self.get_substream_rstates(self.n_streams(size) if nstreams is None else nstreams, dtype), **target)
        drawn = self.pretty_return(states, *mrg_uniform.new(states, ndim, dtype, size), size=size, nstreams=nstreams)
        states.tag.is_rng = True
        result = drawn * (high - low) + low
        if drawn.type.broadcastable != result.type.broadcastable:
            raise NotImplementedError("Increase the size to match the broadcasting pattern of `low` and `high` arguments")
        return result

    def binomial(self, size=None, n=1, p=0.5, ndim=None, dtype="int64", nstreams=None, **kwargs):
        """1 with the probability p, else 0."""
        if n != 1:
            raise NotImplementedError("MRG_RandomStreams.binomial with n > 1: sum n draws with n=1")
        p = undefined_grad(basic.as_tensor_variable(p))
        return basic.cast(self.uniform(size=size, nstreams=nstreams, **kwargs) < p, dtype)

    def multinomial(self, size=None, n=1, pvals=None, ndim=None, dtype="int64", nstreams=None, **kwargs):
        """How often each outcome comes up in n trials, for each row of probabilities."""
        if pvals is None:
            raise TypeError("You have to specify pvals")
        pvals = undefined_grad(basic.as_tensor_variable(pvals))
        for name, value in (("size", size), ("ndim", ndim)):
            if value is not None:
                raise ValueError("Provided a%s %s argument to MRG_RandomStreams.multinomial, which does not use the %s argument."
                                 % ("n" if name == "ndim" else "", name, name))
        if pvals.ndim != 2:
            raise NotImplementedError("MRG_RandomStreams.multinomial only implemented for pvals.ndim = 2")
        unis = self.uniform(size=pvals[:, 0].shape * n, ndim=1, nstreams=nstreams, **kwargs)
        return multinomial.MultinomialFromUniform(dtype)(pvals, unis, n)

    def choice(self, size=1, a=None, replace=True, p=None, ndim=None, dtype="int64", nstreams=None, **kwargs):
        """`size` different outcomes for each row of probabilities."""
        if replace:
            raise NotImplementedError("MRG_RandomStreams.choice only works without replacement for now: pass replace=False")
        if a is not None:
            raise TypeError("For now, a has to be None in MRG_RandomStreams.choice. Sampled values are between 0 and p.shape[1]-1")
        if p is None:
            raise TypeError("For now, p has to be specified in MRG_RandomStreams.choice.")
        p = undefined_grad(basic.as_tensor_variable(p))
        if ndim is not None:
            raise ValueError("ndim argument to MRG_RandomStreams.choice is not used.")
        if p.ndim != 2:
            raise NotImplementedError("MRG_RandomStreams.choice is only implemented for p.ndim = 2")
        unis = self.uniform(size=p[:, 0].shape * size, ndim=1, nstreams=nstreams, **kwargs)
        return multinomial.ChoiceFromUniform(odtype=dtype)(p, unis, size)

    def multinomial_wo_replacement(self, size=None, n=1, pvals=None, ndim=None, dtype="int64", nstreams=None, **kwargs):
        warnings.warn("MRG_RandomStreams.multinomial_wo_replacement() is deprecated. Please use MRG_RandomStreams.choice() instead.",
                      stacklevel=2)
        if size is not None:
            raise AssertionError("multinomial_wo_replacement draws n outcomes a row, it takes no size")
        return self.choice(size=n, a=None, replace=False, p=pvals, dtype=dtype, nstreams=nstreams, ndim=ndim, **kwargs)

    def normal(self, size, avg=0.0, std=1.0, ndim=None, dtype=None, nstreams=None, truncate=False, **kwargs):
        """Normally distributed numbers, by Box and Muller; `truncate`: none beyond two standard deviations."""
        size = _check_size(size)
        avg, std = undefined_grad(basic.as_tensor_variable(avg)), undefined_grad(basic.as_tensor_variable(std))
        if dtype is None:
            dtype = _core.promote([config.floatX, avg.dtype, std.dtype])
        avg, std = basic.cast(avg, dtype), basic.cast(std, dtype)
        # Two samples come from two uniform numbers.
        count = int(size.data.prod(dtype="int64")) if isinstance(size, Constant) else basic.prod(size, dtype="int64")
        even = count + count % 2
        draws = dict(ndim=1, dtype=dtype, nstreams=nstreams, **kwargs)
        uniform = self.uniform((even,), low=0.0, high=1.0, **draws)
        radius = basic.sqrt(-2.0 * basic.log(uniform[:even // 2]))
        angle = numpy.array(2.0 * numpy.pi, dtype=dtype) * uniform[even // 2:]
        directions = [basic.cos(angle), basic.sin(angle)]
        halves = [radius * direction for direction in directions]
        samples = join(0, *(self._truncated(halves, directions, dtype, draws) if truncate else halves))[:count]
        return basic.reshape(samples, size, ndim=ndim) * std + avg

    def _truncated(self, halves, directions, dtype, draws):
        """What is far out gets another radius, one that cannot be."""
        is_out = [(half < -2.0) | (half > 2.0) for half in halves]
        places = [basic.nonzero(out)[0] for out in is_out]
        lowest = basic.constant(1.0 / math.e ** 2, dtype=dtype)
        again = self.uniform((places[0].size + places[1].size,), low=lowest, high=1.0, **draws)
        radius = basic.sqrt(-2.0 * basic.log(again))
        parts = [radius[:places[0].size], radius[places[0].size:]]
        result = []
        for half, out, place, part, direction in zip(halves, is_out, places, parts, directions):
            result += [half[basic.nonzero(~out)], part * direction[place]]
        return result

    def truncated_normal(self, size, avg=0.0, std=1.0, ndim=None, dtype=None, nstreams=None, **kwargs):
        """Normally distributed numbers within two standard deviations, which have the standard deviation std."""
        # That of the standard normal distribution cut off at -2 and 2.
        std = std / basic.constant(0.87962566103423978)
        return self.normal(size=size, avg=avg, std=std, truncate=True, ndim=ndim, dtype=dtype, nstreams=nstreams, **kwargs)


MRG_RandomStream = MRG_RandomStreams  # as Theano-PyMC calls it

def _check_size(size):
    """`size` as a vector of integers."""
    if isinstance(size, Variable):
        if size.ndim > 1:
            raise ValueError("Theano variable must have 1 dimension to be a valid size.", size)
        return size if size.ndim else stack([size])
    if isinstance(size, _INTEGERS):
        return basic.constant(numpy.asarray([size], "int64"))
    if not isinstance(size, (tuple, list)):
        raise ValueError("Size must be a int, tuple, list or Theano variable.", size)
    for one in size:
        if isinstance(one, Variable):
            if one.ndim != 0:
                raise ValueError("Non-scalar Theano variable in size", size, one)
        elif not isinstance(one, _INTEGERS):
            raise ValueError("Only Theano variables and integers are allowed in a size-tuple.", size, one)
        elif one <= 0:
            raise ValueError("Non-positive dimensions not allowed in size.", size, one)
    return _size_variable(size)
