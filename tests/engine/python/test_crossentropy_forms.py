"""However people write the cross-entropy of a softmax, it ends in the same two ops, and in the same numbers."""
import numpy
import pytest
import theano
import theano.tensor as T

FORMS = {
    "indexed": lambda p, y: -T.mean(T.log(p)[T.arange(y.shape[0]), y]),
    "categorical": lambda p, y: T.nnet.categorical_crossentropy(p, y).mean(),
    "indexed sum": lambda p, y: -T.sum(T.log(p)[T.arange(y.shape[0]), y]) / y.shape[0],
}


@pytest.mark.parametrize("form", FORMS)
def test_it_becomes_crossentropy_softmax(form):
    random = numpy.random.RandomState(0)
    x, y = T.matrix("x"), T.ivector("y")
    w = theano.shared(random.randn(6, 4), "w")
    b = theano.shared(random.randn(4), "b")
    cost = FORMS[form](T.nnet.softmax(T.dot(x, w) + b), y)
    f = theano.function([x, y], [cost] + T.grad(cost, [w, b]))
    ops = [type(apply.op).__name__ for apply in f.maker.fgraph.toposort()]
    assert "CrossentropySoftmaxArgmax1HotWithBias" in ops and "CrossentropySoftmax1HotWithBiasDx" in ops, ops
    assert not any("Advanced" in name for name in ops), ops

    data, labels = random.randn(9, 6), random.randint(0, 4, 9).astype("int32")
    z = data @ w.get_value() + b.get_value()
    p = numpy.exp(z - z.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    error = (p - numpy.eye(4)[labels]) / 9
    value, gw, gb = f(data, labels)
    numpy.testing.assert_allclose(value, -numpy.log(p[numpy.arange(9), labels]).mean())
    numpy.testing.assert_allclose(gw, data.T @ error)
    numpy.testing.assert_allclose(gb, error.sum(0), atol=1e-12)


@pytest.mark.parametrize("label", [
    lambda p: T.argmax(p, axis=1),
    lambda p: T.argmax(T.round(3 * p), axis=1),
    lambda p: T.cast(T.round(3 * p[:, 0]), "int64"),
], ids=["argmax", "rounded", "cast"])
def test_labels_may_come_from_the_softmax_itself(label):
    x, b = T.dmatrix("x"), theano.shared(numpy.arange(4.0) / 4)
    p = T.nnet.softmax(x + b)
    y = label(p)
    cost = -T.mean(T.log(p)[T.arange(y.shape[0]), y])
    f = theano.function([x], [cost, y, p, T.grad(cost, x, consider_constant=[y])])
    data = numpy.random.RandomState(1).randn(5, 4)
    value, labels, probabilities, gradient = f(data)
    z = data + b.get_value()
    own = numpy.exp(z) / numpy.exp(z).sum(1, keepdims=True)
    numpy.testing.assert_allclose(probabilities, own)
    numpy.testing.assert_allclose(value, -numpy.log(own[numpy.arange(5), labels]).mean())
    numpy.testing.assert_allclose(gradient, (own - numpy.eye(4)[labels]) / 5)
