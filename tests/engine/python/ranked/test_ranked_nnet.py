"""theano.tensor.nnet without convolution."""
import numpy
import pytest
import theano
import theano.tensor as T
from items import item, run, same

x, v = T.dmatrix("x"), T.dvector("v")
A = numpy.array([[-2.0, 0.5, 3.0], [0.0, -0.1, 700.0]])


def softmax(a):
    e = numpy.exp(a - a.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


@item(269, "T.nnet")
def test_nnet():
    """The package is there with theano.tensor."""
    import theano.tensor.nnet as nnet
    assert T.nnet is nnet


@item(29, "T.nnet.sigmoid")
def test_sigmoid():
    """Element by element; finite at both ends, and so is its logarithm."""
    same(run([x], T.nnet.sigmoid(x), A), 1 / (1 + numpy.exp(-A)))
    same(run([x], T.log(T.nnet.sigmoid(x)), [[-800.0]]), [[-800]])


@item(37, "T.nnet.softmax")
def test_softmax():
    """Of each row; a vector gives a matrix of one row."""
    same(run([x], T.nnet.softmax(x), A), softmax(A))
    assert T.nnet.softmax(v).broadcastable == (True, False)
    same(run([v], T.nnet.softmax(v), A[0]), softmax(A[:1]))


@item(89, "T.nnet.categorical_crossentropy")
def test_categorical_crossentropy():
    """Of labels or of rows that say the true distribution: one value a row, finite far out, and so is the gradient."""
    y = T.ivector()
    p, labels = softmax(A[:, :2]), numpy.array([1, 0], "int32")
    same(run([x, y], T.nnet.categorical_crossentropy(x, y), p, labels), -numpy.log(p[[0, 1], labels]))
    same(run([x], T.nnet.categorical_crossentropy(x, numpy.eye(2)), p), -numpy.log(p[[0, 1], [0, 1]]))
    cost = T.nnet.categorical_crossentropy(T.nnet.softmax(x), y).sum()
    same(run([x, y], cost, numpy.array([[0.0, 2000]]), numpy.array([0], "int32")), 2000)
    same(run([x, y], T.grad(cost, x), A, labels), softmax(A) - numpy.eye(3)[labels])


@item(140, "T.nnet.binary_crossentropy")
def test_binary_crossentropy():
    """Element by element; of a sigmoid it stays finite far out."""
    p, y = numpy.array([[0.25, 0.5]]), numpy.array([[1.0, 0.0]])
    target = T.dmatrix()
    same(run([x, target], T.nnet.binary_crossentropy(x, target), p, y), -numpy.log([[0.25, 0.5]]))
    far = T.nnet.binary_crossentropy(T.nnet.sigmoid(x), target)
    same(run([x, target], far, numpy.array([[-800.0, 800.0]]), y), [[800, 800]])


@item(161, "T.nnet.relu")
def test_relu():
    """max(x, 0)."""
    same(run([x], T.nnet.relu(x), A), numpy.maximum(A, 0))


@item(301, "T.nnet.relu(alpha=)")
def test_relu_alpha():
    """The slope below zero."""
    same(run([x], T.nnet.relu(x, alpha=0.1), A), numpy.where(A > 0, A, 0.1 * A))


@item(201, "T.nnet.softplus")
def test_softplus():
    """log(1 + exp(x)), finite at both ends."""
    same(run([x], T.nnet.softplus(x), A), numpy.logaddexp(0, A))


@item(299, "T.nnet.crossentropy_softmax_argmax_1hot_with_bias")
def test_crossentropy_softmax_argmax():
    """Cross-entropy, softmax and the best class of each row at once."""
    b, y = T.dvector(), T.ivector()
    labels, bias = numpy.array([2, 0], "int32"), numpy.array([1.0, 0, -1])
    loss, p, best = run([x, b, y], list(T.nnet.crossentropy_softmax_argmax_1hot_with_bias(x, b, y)), A, bias, labels)
    wanted = softmax(A + bias)
    same(p, wanted)
    same(best, wanted.argmax(1))
    same(loss, [-numpy.log(wanted[0, 2]), 698])


@item(300, "T.nnet.crossentropy_softmax_argmax_1hot_with_bias(y_idx=)")
def test_crossentropy_softmax_argmax_labels():
    """The labels by keyword; one that is no class is an error as it runs."""
    y = T.ivector()
    loss = T.nnet.crossentropy_softmax_argmax_1hot_with_bias(x, numpy.zeros(3), y_idx=y)[0]
    same(run([x, y], loss, numpy.zeros((1, 3)), numpy.array([1], "int32")), numpy.log([3.0]))
    with pytest.raises((ValueError, IndexError)):
        run([x, y], loss, numpy.zeros((1, 3)), numpy.array([3], "int32"))
