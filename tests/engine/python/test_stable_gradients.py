"""Cross-entropies, log-sum-exps and their gradients, written by hand, are finite and right where exp overflows."""
import numpy as np
import pytest

import croton as theano
import croton.tensor as T

NASTY = np.array([[800, -800, 0], [-800, -800, -800], [90, -90, 88], [1e-20, 0, 40]])
LABELS = [np.array([0, 1, 2, 0]), np.array([1, 2, 0, 1])]
LINE = np.array([800, -800, 0, 1e-20, -1e-20, 40, -40, 1, -1, 100, -100, 709, -709])


def check(got, wanted, dtype):
    got, wanted = np.asarray(got, "float64"), np.asarray(wanted, "float64")
    assert np.isfinite(got).all()
    np.testing.assert_allclose(got, wanted, rtol=2e-4 if dtype == "float32" else 1e-9, atol=1e-6 if dtype == "float32" else 1e-12)


def log_softmax(z):
    shifted = z.astype("float64") - z.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def sigmoid(x):
    return np.where(x >= 0, 1, np.exp(-np.abs(x))) / (1 + np.exp(-np.abs(x)))


def softplus(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def exp_twice(z):
    return T.exp(z) / T.exp(z).sum(axis=1, keepdims=True)


def exp_once(z):
    e = T.exp(z)
    return e / e.sum(axis=1).dimshuffle(0, "x")


def shifted(z):
    d = z - theano.gradient.disconnected_grad(z.max(axis=1, keepdims=True))
    return T.exp(d) / T.exp(d).sum(axis=1, keepdims=True)


def through_maximum(z):
    d = z - z.max(axis=1, keepdims=True)
    return T.exp(d) / T.exp(d).sum(axis=1, keepdims=True)


def log_then_index(p, t):
    return -T.mean(T.log(p)[T.arange(t.shape[0]), t])


def index_then_log(p, t):
    return T.mean(-T.log(p[T.arange(t.shape[0]), t]))


def one_hot(p, t):
    return -T.sum(T.cast(T.eq(T.arange(3).dimshuffle("x", 0), t.dimshuffle(0, "x")), p.dtype) * T.log(p)) / T.cast(t.shape[0], p.dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("model", [exp_twice, exp_once, shifted, through_maximum, T.nnet.softmax])
@pytest.mark.parametrize("loss", [log_then_index, index_then_log, one_hot, lambda p, t: T.nnet.categorical_crossentropy(p, t).mean()])
def test_cross_entropy(model, loss, dtype):
    if model is through_maximum and loss is not log_then_index:
        pytest.skip("the path through the maximum adds up to 0 only on paper")
    z, t = T.matrix(dtype=dtype), T.lvector()
    cost = loss(model(z), t)
    gradient = T.grad(cost, z)
    both, alone = theano.function([z, t], [cost, gradient]), theano.function([z, t], gradient)
    for array in (NASTY.astype(dtype), np.random.RandomState(1).randn(4, 3).astype(dtype)):
        for labels in LABELS:
            logs = log_softmax(array)
            slope = np.exp(logs)
            slope[np.arange(4), labels] -= 1
            value, found = both(array, labels)
            check(value, -logs[np.arange(4), labels].mean(), dtype)
            check(found, slope / 4, dtype)
            check(alone(array, labels), slope / 4, dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("total", [T.sum, T.mean])
def test_log_sum_exp(total, axis, dtype):
    z = T.matrix(dtype=dtype)
    value = T.log(total(T.exp(z), axis=axis))
    gradient = T.grad(value.sum(), z)
    both, alone = theano.function([z], [value, gradient]), theano.function([z], gradient)
    array = NASTY.astype(dtype)
    largest = array.astype("float64").max(axis=axis, keepdims=True)
    wanted = largest + np.log(np.exp(array - largest).sum(axis=axis, keepdims=True))
    found, slope = both(array)
    count = {None: 12, 0: 4, 1: 3}[axis] if total is T.mean else 1
    check(found, (wanted - np.log(count)).reshape(found.shape), dtype)
    check(slope, np.exp(array - wanted), dtype)
    check(alone(array), np.exp(array - wanted), dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("model", [lambda z: 1 / (1 + T.exp(-z)), T.nnet.sigmoid])
@pytest.mark.parametrize("total", [T.sum, T.mean])
def test_binary_cross_entropy(model, total, dtype):
    z, y = T.vector(dtype=dtype), T.vector(dtype=dtype)
    p = model(z)
    loss = -y * T.log(p) - (1 - y) * T.log(1 - p)
    gradient = T.grad(total(loss), z)
    f, alone = theano.function([z, y], [loss, gradient]), theano.function([z, y], gradient)
    array = LINE.astype(dtype)
    for start in (0, 1):
        labels = ((np.arange(len(array)) + start) % 2).astype(dtype)
        x, weight = array.astype("float64"), 1 / len(array) if total is T.mean else 1
        slope = weight * ((1 - labels) * sigmoid(x) - labels * sigmoid(-x))
        value, found = f(array, labels)
        check(value, labels * softplus(-x) + (1 - labels) * softplus(x), dtype)
        check(found, slope, dtype)
        check(alone(array, labels), slope, dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_two_exponentials(dtype):
    x, y = T.vector(dtype=dtype), T.vector(dtype=dtype)
    a = LINE.astype(dtype)
    b = a[::-1].copy()
    value = T.log(T.exp(x) + T.exp(y))
    found, slope = theano.function([x, y], [value, T.grad(value.sum(), x)])(a, b)
    check(found, np.logaddexp(a.astype("float64"), b.astype("float64")), dtype)
    check(slope, sigmoid(a.astype("float64") - b), dtype)
    quotient = T.exp(x) / (1 + T.exp(x))
    check(theano.function([x], T.grad(-T.log(1 - quotient).sum(), x))(a), sigmoid(a.astype("float64")), dtype)
