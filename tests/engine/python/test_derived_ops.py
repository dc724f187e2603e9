"""Ops of scripts whose classes derive from those of Theano's ops."""
import pickle

import numpy
import pytest
import theano
import theano.tensor as T
from theano import gof
from theano.tensor import nlinalg, slinalg

A = numpy.array([[2.0, 0.5], [0.5, 1.0]])
x, v = T.dmatrix("x"), T.dvector("v")


class EigenOfSymmetric(nlinalg.Eig):
    """With all that an op says, and no call of the constructor above it."""

    def __init__(self):
        self.calls = 0

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return gof.Apply(self, [x], [T.dvector(), x.type(), T.lscalar()])

    def perform(self, node, inputs, outputs):
        outputs[0][0], outputs[1][0] = numpy.linalg.eigh(inputs[0])
        outputs[2][0] = numpy.array(len(inputs[0]))

    def grad(self, inputs, output_grads):
        return [10 * inputs[0]]


class TwiceTheInverse(nlinalg.MatrixInverse):
    def perform(self, node, inputs, outputs):
        outputs[0][0] = 2 * numpy.linalg.inv(inputs[0])


class FactorOfMore(slinalg.Cholesky):
    def __init__(self, more):
        super().__init__(lower=True)
        self.more = more

    def perform(self, node, inputs, outputs):
        outputs[0][0] = numpy.linalg.cholesky(inputs[0] + self.more * numpy.eye(len(inputs[0])))


class StraightThrough(T.Argmax):
    """An argmax with a gradient."""

    def grad(self, inputs, output_grads):
        return [T.ones_like(inputs[0])]


class MaximumOnly(T.MaxAndArgmax):
    """With the gradient of its first result alone."""

    def L_op(self, inputs, outputs, output_grads):
        return [output_grads[0] * 5 * T.ones_like(inputs[0])]


def test_one_that_says_all():
    w, vectors, size = EigenOfSymmetric()(x)
    f = theano.function([x], [w, vectors, size, T.grad(w.sum(), x)])
    wanted = list(numpy.linalg.eigh(A)) + [2, 10 * A]
    for got, expected in zip(f(A), wanted):
        numpy.testing.assert_allclose(got, expected)


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
def test_what_is_left_out_is_as_it_was(mode):
    twice, once = TwiceTheInverse()(x), nlinalg.matrix_inverse(x)
    assert twice.type == once.type and isinstance(twice.owner.op, TwiceTheInverse)
    got = theano.function([x], [twice, T.grad(twice.sum(), x), T.grad(once.sum(), x)], mode=mode)(A)
    numpy.testing.assert_allclose(got[0], 2 * numpy.linalg.inv(A))
    numpy.testing.assert_allclose(got[1], got[2])
    best = StraightThrough(axis=1)(x)
    got = theano.function([x], [best, T.grad(best.sum() * 1.0, x)], mode=mode)(A)
    numpy.testing.assert_array_equal(got[0], [0, 1])
    numpy.testing.assert_array_equal(got[1], numpy.ones((2, 2)))
    largest, where = MaximumOnly([1])(x)
    got = theano.function([x], [largest, where, T.grad(largest[0], x)], mode=mode)(A)
    numpy.testing.assert_array_equal(got[0], [2, 1])
    numpy.testing.assert_array_equal(got[1], [0, 1])
    numpy.testing.assert_array_equal(got[2], [[5, 0], [5, 0]])


def test_those_with_other_attributes_are_others():
    small, large = FactorOfMore(1)(x), FactorOfMore(2)(x)
    f = theano.function([x], [small, large, FactorOfMore(1)(x)])
    for more, got in zip((1, 2, 1), f(A)):
        numpy.testing.assert_allclose(got, numpy.linalg.cholesky(A + more * numpy.eye(2)))
    made = [node.op.more for node in f.maker.fgraph.toposort() if isinstance(node.op, FactorOfMore)]
    assert sorted(made) == [1, 2], "equal ones are computed once"
    assert pickle.loads(pickle.dumps(FactorOfMore(3))).more == 3 and FactorOfMore(1) != slinalg.Cholesky()


def test_a_class_that_changes_nothing_builds_as_before():
    class Named(slinalg.Cholesky):
        pass

    numpy.testing.assert_allclose(theano.function([x], Named()(x))(A), numpy.linalg.cholesky(A))


class Clipped(theano.compile.ViewOp):
    """The input, its gradient held between bounds."""
    __props__ = ()

    def __init__(self, low, high):
        super().__init__()
        self.low, self.high = low, high

    def grad(self, inputs, output_grads):
        return [T.clip(one, self.low, self.high) for one in output_grads]


class Straight(T.nnet.nnet.Softmax):
    """With a gradient that knows nothing of the softmax."""

    def grad(self, inputs, output_grads):
        return output_grads


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE", "DebugMode"])
def test_those_that_the_engine_makes_of_parameters_alone(mode):
    clipped = Clipped(-1, 3)(x)
    f = theano.function([x], [clipped, T.grad((clipped ** 2).sum(), x), T.grad((Straight()(x) * A).sum(), x), Straight()(x)], mode=mode)
    got = f(A)
    numpy.testing.assert_array_equal(got[0], A)
    numpy.testing.assert_array_equal(got[1], numpy.clip(2 * A, -1, 3))
    numpy.testing.assert_array_equal(got[2], A)
    numpy.testing.assert_allclose(got[3].sum(1), 1)


def test_a_rewrite_takes_one_out():
    @T.opt.register_canonicalize
    @gof.local_optimizer([Clipped])
    def without_clipping(node):
        return node.inputs if isinstance(node.op, Clipped) else None

    f = theano.function([x], T.grad((Clipped(-1, 3)(x) ** 2).sum(), x))
    assert not [node for node in f.maker.fgraph.toposort() if isinstance(node.op, Clipped)]
    numpy.testing.assert_array_equal(f(A), numpy.clip(2 * A, -1, 3))


class WithoutGradient(T.Elemwise):
    def connection_pattern(self, node):
        return [[False] for _ in node.inputs]

    def grad(self, inputs, output_grads):
        return [theano.gradient.DisconnectedType()() for _ in inputs]


class Steep(T.Elemwise):
    def grad(self, inputs, output_grads):
        return [100 * output_grads[0] for _ in inputs]


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE", "DebugMode"])
def test_those_of_functions_of_elements(mode):
    held = WithoutGradient(theano.scalar.identity)
    y = (x * held(x)).sum()
    got = theano.function([x], [y, T.grad(y, x)], mode=mode)(A)
    numpy.testing.assert_array_equal(got[0], (A * A).sum())
    numpy.testing.assert_array_equal(got[1], A)
    total = Steep(theano.scalar.add)(x, 2 * x)
    got = theano.function([x], [total, T.grad(total.sum(), x)], mode=mode)(A)
    numpy.testing.assert_array_equal(got[0], 3 * A)
    numpy.testing.assert_array_equal(got[1], numpy.full((2, 2), 300))
    stretched = WithoutGradient(theano.scalar.add)(x, v)
    assert [one.ndim for one in stretched.owner.inputs] == [2, 2]
    numpy.testing.assert_array_equal(theano.function([x, v], stretched, mode=mode)(A, [1, 2]), A + [1, 2])


def test_functions_of_elements_are_told_apart():
    exp = Steep(theano.scalar.exp)
    assert exp == Steep(theano.scalar.exp) and hash(exp) == hash(Steep(theano.scalar.exp)) and exp.scalar_op == theano.scalar.exp
    assert exp != Steep(theano.scalar.log) and exp != T.exp and exp != WithoutGradient(theano.scalar.exp)
    assert type(T.exp(x).owner.op) is type(T.log(x).owner.op) is T.Elemwise and T.exp != T.log
