"""theano.tensor.nnet as scripts use it; values stay finite where the naive form would not. Numbers are ranks of use."""
import numpy
import pytest
import theano
import theano.tensor as T
from theano import function

X = numpy.array([[1.0, -2.0, 0.5], [100.0, 0.0, -1000.0]])


def value(expression, *values, **keywords):
    inputs = [v for v in theano.gof.graph.inputs([expression]) if not isinstance(v, (theano.Constant, theano.compile.SharedVariable))]
    inputs.sort(key=lambda v: v.name)
    return function(inputs, expression, **keywords)(*values)


def softmax(x):
    e = numpy.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def logsumexp(x):
    top = x.max(1, keepdims=True)
    return (top + numpy.log(numpy.exp(x - top).sum(1, keepdims=True)))[:, 0]


def test_sigmoids():  # 29, 201
    x = T.dmatrix("x")
    with numpy.errstate(over="ignore"):
        numpy.testing.assert_allclose(value(T.nnet.sigmoid(x), X), 1 / (1 + numpy.exp(-X)), rtol=1e-14)
    numpy.testing.assert_allclose(value(T.nnet.softplus(x), X), numpy.logaddexp(0, X), rtol=1e-14)
    numpy.testing.assert_allclose(value(T.nnet.hard_sigmoid(x), X), numpy.clip(0.2 * X + 0.5, 0, 1))
    assert abs(value(T.nnet.ultra_fast_sigmoid(x), X) - value(T.nnet.sigmoid(x), X)).max() < 0.03
    assert T.nnet.sigmoid(T.fmatrix()).dtype == "float32" and T.nnet.sigmoid(0).eval() == 0.5
    s = value(T.nnet.sigmoid(x), X[:1])
    numpy.testing.assert_allclose(value(T.grad(T.nnet.sigmoid(x).sum(), x), X[:1]), s * (1 - s))
    numpy.testing.assert_allclose(value(T.grad(T.nnet.softplus(x).sum(), x), X[:1]), s)


def test_softmax():  # 37
    x, v = T.dmatrix("x"), T.dvector("v")
    numpy.testing.assert_allclose(value(T.nnet.softmax(x), X), softmax(X), rtol=1e-13, atol=1e-300)
    row = value(T.nnet.softmax(v), X[0])
    assert row.shape == (1, 3)
    numpy.testing.assert_allclose(row, softmax(X[:1]))
    numpy.testing.assert_allclose(value(T.nnet.logsoftmax(x), X), X - logsumexp(X)[:, None])
    with pytest.raises(ValueError):
        T.nnet.softmax(T.dtensor3())
    theano.gradient.verify_grad(T.nnet.softmax, [X[:1]], rng=numpy.random.RandomState(0))
    theano.gradient.verify_grad(T.nnet.logsoftmax, [X[:1]], rng=numpy.random.RandomState(0))


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
def test_naive_forms_stay_finite(mode):  # 20
    x, y = T.dmatrix("x"), T.lvector("y")
    labels = numpy.array([1, 2])
    wanted = logsumexp(X) - X[[0, 1], labels]
    p = T.nnet.softmax(x)
    picked = -T.log(p)[T.arange(y.shape[0]), y]
    numpy.testing.assert_allclose(value(picked, X, labels, mode="FAST_RUN"), wanted)
    one_hot = numpy.zeros((2, 3))
    one_hot[[0, 1], labels] = 1
    gradient = T.grad(T.mean(picked), x)
    numpy.testing.assert_allclose(value(gradient, X, labels), (softmax(X) - one_hot) / 2, atol=1e-15)
    numpy.testing.assert_allclose(value(T.log(p), X), X - logsumexp(X)[:, None])
    s = T.nnet.sigmoid(x)
    assert numpy.isfinite(value(T.log(1 - s), X)).all() and numpy.isfinite(value(T.log(s), X)).all()
    numpy.testing.assert_allclose(value(T.log(1 - s), X), -numpy.logaddexp(0, X))
    numpy.testing.assert_allclose(value(T.log(1 + x), numpy.full((1, 2), 1e-20)), 1e-20)
    z = 1 / (1 + T.exp(-x))
    assert numpy.isfinite(value(T.log(z), X)).all()


def test_categorical_crossentropy():  # 89
    x, y, t = T.dmatrix("x"), T.lvector("y"), T.dmatrix("t")
    p = softmax(X[:1].repeat(2, 0))
    labels, target = numpy.array([0, 2]), numpy.array([[0.2, 0.3, 0.5], [1, 0, 0]])
    numpy.testing.assert_allclose(value(T.nnet.categorical_crossentropy(x, y), p, labels), -numpy.log(p[[0, 1], labels]))
    numpy.testing.assert_allclose(value(T.nnet.categorical_crossentropy(x, t), target, p), -(target * numpy.log(p)).sum(1))
    soft = T.nnet.softmax(x)
    loss = T.nnet.categorical_crossentropy(soft, y)
    numpy.testing.assert_allclose(value(loss, X, labels), logsumexp(X) - X[[0, 1], labels])
    one_hot = numpy.eye(3)[labels]
    numpy.testing.assert_allclose(value(T.grad(loss.mean(), x), X, labels), (softmax(X) - one_hot) / 2, atol=1e-15)
    assert T.nnet.categorical_crossentropy(T.fmatrix(), T.ivector()).dtype == "float32"
    with pytest.raises(TypeError):
        T.nnet.categorical_crossentropy(x, T.dscalar())


def test_binary_crossentropy():  # 140
    o, t = T.dmatrix("o"), T.dmatrix("t")
    p, target = numpy.array([[0.2, 0.9]]), numpy.array([[0.0, 1.0]])
    numpy.testing.assert_allclose(value(T.nnet.binary_crossentropy(o, t), p, target), -(target * numpy.log(p) + (1 - target) * numpy.log(1 - p)))
    cost = T.nnet.binary_crossentropy(T.nnet.sigmoid(o), t)
    extreme = numpy.array([[1000.0, -1000.0]])
    numpy.testing.assert_allclose(value(cost, extreme, numpy.array([[0.0, 1.0]])), [[1000, 1000]])
    numpy.testing.assert_allclose(value(T.grad(cost.sum(), o), extreme, numpy.array([[0.0, 1.0]])), [[1, -1]])
    numpy.testing.assert_allclose(value(T.nnet.sigmoid_binary_crossentropy(o, t), extreme, numpy.array([[0.0, 1.0]])), [[1000, 1000]])


def test_rectifiers():  # 161
    x = T.dmatrix("x")
    numpy.testing.assert_allclose(value(T.nnet.relu(x), X), numpy.maximum(X, 0))
    assert isinstance(T.nnet.relu(X), numpy.ndarray) and numpy.array_equal(T.nnet.relu(X), numpy.maximum(X, 0))  # it is arithmetic in Theano
    numpy.testing.assert_allclose(value(T.nnet.relu(x, alpha=0.1), X), numpy.where(X > 0, X, 0.1 * X))
    numpy.testing.assert_allclose(value(T.nnet.relu(x, T.constant(0.25)), X), numpy.where(X > 0, X, 0.25 * X))
    numpy.testing.assert_allclose(value(T.nnet.elu(x), X), numpy.where(X > 0, X, numpy.expm1(numpy.minimum(X, 0))))
    scale, alpha = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
    numpy.testing.assert_allclose(value(T.nnet.selu(x), X), scale * numpy.where(X > 0, X, alpha * numpy.expm1(numpy.minimum(X, 0))))
    numpy.testing.assert_allclose(value(T.nnet.nnet.softsign(x), X), X / (1 + abs(X)))
    assert T.nnet.relu(T.fmatrix()).dtype == "float32" and value(T.grad(T.nnet.relu(x).sum(), x), X).tolist() == [[1, 0, 1], [1, .5, 0]]
    with theano.config.change_flags(floatX="float32"):
        assert T.nnet.relu(T.fmatrix(), 0.1).dtype == "float32"


def test_fused_crossentropies():
    x, b, y = T.dmatrix("x"), T.dvector("b"), T.ivector("y")
    labels = numpy.array([0, 1], "int32")
    nll, p, where = T.nnet.crossentropy_softmax_argmax_1hot_with_bias(x, b, y)
    got = function([x, b, y], [nll, p, where])(X, numpy.zeros(3), labels)
    numpy.testing.assert_allclose(got[0], logsumexp(X) - X[[0, 1], labels])
    numpy.testing.assert_allclose(got[1], softmax(X))
    assert got[2].tolist() == [0, 0]
    assert len(T.nnet.crossentropy_softmax_1hot(x, y)) == 2


def test_confusion_matrix_and_batch_normalization():
    a, b = T.ivector("a"), T.ivector("b")
    matrix, order = T.nnet.confusion_matrix(a, b)
    assert function([a, b], [matrix, order])([2, 0, 2], [2, 1, 0])[0].tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 1]]
    x = T.dmatrix("x")
    v = numpy.random.RandomState(0).randn(8, 3)
    out, mean, inverse = T.nnet.bn.batch_normalization_train(x, T.ones((1, 3)), T.zeros((1, 3)), "per-activation")[:3]
    numpy.testing.assert_allclose(value(out, v), (v - v.mean(0)) / numpy.sqrt(v.var(0) + 1e-4))
    gamma, beta, m, s = (T.dvector(n) for n in ("gamma", "beta", "mean", "std"))
    flat = T.nnet.bn.batch_normalization(x, gamma, beta, m, s)
    got = function([x, gamma, beta, m, s], flat)(v, numpy.full(3, 2.0), numpy.ones(3), v.mean(0), v.std(0))
    numpy.testing.assert_allclose(got, (v - v.mean(0)) / v.std(0) * 2 + 1)


SMALL = ["bool", "int8", "int16", "uint8"]


@pytest.mark.parametrize("floatX", ["float32", "float64"])
@pytest.mark.parametrize("dtype", SMALL + ["int32", "int64", "float16", "float32", "float64"])
def test_straight_sigmoids_have_the_dtype_of_functions(dtype, floatX):
    theano.config.floatX = floatX
    v = numpy.array([0, 1, 1, 0] if dtype == "bool" else [0, 1, 2, 100], dtype)
    x = T.vector("x", dtype=dtype)
    for function_, reference in ((T.nnet.hard_sigmoid, lambda a: numpy.clip(0.2 * a + 0.5, 0, 1)), (T.nnet.nnet.softsign, lambda a: a / (1 + abs(a)))):
        result = function_(x)
        assert result.dtype == T.exp(x).dtype == ("float32" if dtype in SMALL else "float64" if dtype.startswith("int") else dtype)
        tolerance = {"float16": 1e-3, "float32": 1e-7, "float64": 1e-16}[result.dtype]
        numpy.testing.assert_allclose(value(result, v), reference(v.astype("float64")), rtol=tolerance)


def test_batch_normalization_keeps_the_dtype_and_the_dimensions():
    v = numpy.random.RandomState(0).randn(4, 3, 2, 2).astype("float32")
    x, gamma, beta = T.ftensor4("x"), T.fvector("gamma"), T.fvector("beta")
    means, variances = T.fvector("means"), T.fvector("variances")
    results = T.nnet.bn.batch_normalization_train(x, gamma, beta, "spatial", 1e-3, 0.25, means, variances)
    assert [r.type for r in results] == [T.ftensor4] + [T.fvector] * 4
    ones = numpy.ones(3, "float32")
    out, mean, inverse, new_mean, new_variance = function([x, gamma, beta, means, variances], results)(v, ones, 0 * ones, ones, ones)
    m, s = v.mean((0, 2, 3)), v.var((0, 2, 3))
    wanted = (v - m[:, None, None]) / numpy.sqrt(s + 1e-3)[:, None, None]
    for got, right in ((out, wanted), (mean, m), (inverse, 1 / numpy.sqrt(s + 1e-3)), (new_mean, 0.75 + 0.25 * m), (new_variance, 0.75 + 0.25 * s * 16 / 15)):
        numpy.testing.assert_allclose(got, right, rtol=2e-5, atol=1e-6)
    tested = T.nnet.bn.batch_normalization_test(x, gamma, beta, means, variances, "spatial")
    assert tested.dtype == "float32"
    wide = T.nnet.bn.batch_normalization_train(T.fmatrix(), T.frow(), T.frow())
    assert [r.broadcastable for r in wide] == [(False, False), (True, False), (True, False)]
    for wrong in (dict(epsilon=1e-6), dict(running_mean=means), dict(axes=()), dict(axes="rows")):
        with pytest.raises(ValueError):
            T.nnet.bn.batch_normalization_train(x, gamma, beta, **dict({"axes": "spatial"}, **wrong))
    with pytest.raises(ValueError, match="3 dimensions|1 dimensions"):
        T.nnet.bn.batch_normalization_train(x, gamma, T.fmatrix(), "spatial")


def test_a_column_in_front():
    x = T.dmatrix("x")
    assert value(T.nnet.nnet.prepend_1_to_each_row(x), numpy.zeros((2, 2))).tolist() == [[1, 0, 0]] * 2
    assert value(T.nnet.nnet.prepend_0_to_each_row(x), numpy.ones((1, 2))).tolist() == [[0, 1, 1]]
