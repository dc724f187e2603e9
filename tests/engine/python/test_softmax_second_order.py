"""Second derivatives and directions of the cross-entropy of a softmax that knows its classes: what Hessian-free training asks for."""
import numpy
import pytest
import theano
import theano.tensor as T

X, W, B = numpy.random.RandomState(0).normal(size=(5, 4)), numpy.random.RandomState(1).normal(size=(4, 3)), numpy.array([0.3, -0.2, 0.5])
CLASSES = numpy.array([0, 2, 1, 1, 0])

FORMS = {
    "softmax_1hot": lambda a, b: T.nnet.crossentropy_softmax_1hot_with_bias(a, b, CLASSES)[0].mean(),
    "softmax_1hot, scaled": lambda a, b: (T.nnet.crossentropy_softmax_1hot(a + b, CLASSES)[0] * T.arange(1.0, 6.0)).sum(),
    "max and argmax": lambda a, b: T.nnet.crossentropy_softmax_argmax_1hot_with_bias(a, b, CLASSES)[0].sum(),
}


@pytest.fixture(params=FORMS)
def cost(request):
    return FORMS[request.param]


def test_gradients_of_gradients(cost):
    def slopes(a, b):
        da, db = T.grad(cost(a, b), [a, b])
        return (da ** 2).sum() + (db ** 3).sum()
    theano.gradient.verify_grad(slopes, [X @ W, B], rng=numpy.random.RandomState(2))


def test_directions_are_products_with_the_jacobian(cost):
    a, b, u, v = T.matrix("a"), T.vector("b"), T.matrix("u"), T.vector("v")
    loss = cost(a, b)
    da, db = T.grad(loss, [a, b])
    of_loss = T.Rop(loss, [a, b], [u, v])
    of_slopes = T.Rop([da, db], [a, b], [u, v])
    by_gradients = T.grad((da * u).sum() + (db * v).sum(), [a, b], consider_constant=[u, v])  # the Hessian is symmetric
    f = theano.function([a, b, u, v], [of_loss, (da * u).sum() + (db * v).sum()] + of_slopes + by_gradients)
    left, right, *rest = f(X @ W, B, X @ W[:, ::-1], B[::-1])
    numpy.testing.assert_allclose(left, right, rtol=1e-10)
    for found, wanted in zip(rest[:2], rest[2:]):
        numpy.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_a_step_of_newton_finds_the_minimum():
    w = theano.shared(numpy.zeros(12))
    logits = T.dot(X, w.reshape((4, 3)))
    loss = T.nnet.crossentropy_softmax_1hot(logits, CLASSES)[0].mean() + 0.1 * (w ** 2).sum()
    slope = T.grad(loss, w)
    step = theano.function([], [loss, abs(slope).max()], updates={w: w - T.slinalg.solve(T.hessian(loss, w), slope)})
    losses, slopes = zip(*[step() for _ in range(6)])
    assert slopes[-1] < 1e-8 and losses[-1] < losses[0]
