"""Cross-entropies, log-sum-exps and their gradients, written by hand, are finite and right where exp overflows."""
import numpy as np
import pytest

import croton as theano
import croton.tensor as T
from logistic_forms import LOGISTIC, sigmoid, softplus

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


BINARY = {
    "seed": lambda p, y: -y * T.log(p) - (1 - y) * T.log(1 - p),
    "minus": lambda p, y: -(y * T.log(p) + (1 - y) * T.log(1 - p)),
    "log1p": lambda p, y: -y * T.log(p) - (1 - y) * T.log1p(-p),
    "binary_crossentropy": T.nnet.binary_crossentropy,
    "powers": lambda p, y: -T.log(p ** y * (1 - p) ** (1 - y)),
    "each power": lambda p, y: -T.log(p ** y) - T.log((1 - p) ** (1 - y)),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("model", LOGISTIC)
@pytest.mark.parametrize("entropy", BINARY)
@pytest.mark.parametrize("total", [T.sum, T.mean])
def test_binary_cross_entropy(model, entropy, total, dtype):
    z, y = T.vector(dtype=dtype), T.vector(dtype=dtype)
    loss = BINARY[entropy](LOGISTIC[model](z), y)
    gradient = T.grad(total(loss), z)
    f, alone = theano.function([z, y], [loss, gradient]), theano.function([z, y], gradient)
    array = LINE.astype(dtype)
    for labels in (np.arange(len(array)) % 2, (np.arange(len(array)) + 1) % 2, np.full(len(array), 0.3)):
        labels = labels.astype(dtype)
        x, weight = array.astype("float64"), 1 / len(array) if total is T.mean else 1
        slope = weight * ((1 - labels) * sigmoid(x) - labels * sigmoid(-x))
        value, found = f(array, labels)
        check(value, labels * softplus(-x) + (1 - labels) * softplus(x), dtype)
        check(found, slope, dtype)
        check(alone(array, labels), slope, dtype)


def likelihood_of_powers(p, t):
    t = t if p.dtype == "float64" else T.cast(t, p.dtype)  # a float32 to the power of an int64 is a float64
    return -T.log(p ** t * (1 - p) ** (1 - t))


@pytest.mark.parametrize("exponent", [3, 2, 0.5, -1, 2.5])
def test_logarithms_of_known_powers(exponent):
    z = T.dvector()
    f = theano.function([z], T.log(T.nnet.sigmoid(z) ** exponent))
    check(f(LINE), -exponent * softplus(-LINE), "float64")
    slope = theano.function([z], T.grad(T.log(T.nnet.sigmoid(z) ** exponent).sum(), z))
    check(slope(LINE), exponent * sigmoid(-LINE), "float64")


@pytest.mark.parametrize("form, exponent", [(T.sqr, 2), (T.sqrt, 0.5), (lambda p: p * p * p, 3), (lambda p: 2 * p ** 4 / p, 3), (lambda p: (p ** 2) ** 3, 6)])
def test_slopes_of_logarithms_of_other_powers(form, exponent):
    z = T.dvector()
    check(theano.function([z], T.grad(T.log(form(T.nnet.sigmoid(z))).sum(), z))(LINE), exponent * sigmoid(-LINE), "float64")


CHOSEN = {
    "powers": likelihood_of_powers,
    "log of each": lambda p, t: -T.switch(t, T.log(p), T.log(1 - p)),
    "equal to 1": lambda p, t: T.switch(T.eq(t, 1), -T.log(p), -T.log(1 - p)),
    "log of the chosen": lambda p, t: -T.log(T.switch(t, p, 1 - p)),
    "log of the inverse": lambda p, t: T.log(1 / T.switch(t > 0.5, p, 1 - p)),
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("model", LOGISTIC)
@pytest.mark.parametrize("entropy", CHOSEN)
def test_entropy_chosen_by_the_label(entropy, model, dtype):
    z, t = T.vector(dtype=dtype), T.lvector()
    loss = CHOSEN[entropy](LOGISTIC[model](z), t)
    gradient = T.grad(loss.mean(), z)
    f, alone = theano.function([z, t], [loss, gradient]), theano.function([z, t], gradient)
    array = LINE.astype(dtype)
    x = array.astype("float64")
    for start in (0, 1):
        labels = (np.arange(len(array)) + start) % 2
        slope = ((1 - labels) * sigmoid(x) - labels * sigmoid(-x)) / len(array)
        value, found = f(array, labels)
        check(value, labels * softplus(-x) + (1 - labels) * softplus(x), dtype)
        check(found, slope, dtype)
        check(alone(array, labels), slope, dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("model", LOGISTIC)
@pytest.mark.parametrize("entropy", BINARY)
def test_logistic_regression(model, entropy, dtype):
    x, w, b, y = T.matrix(dtype=dtype), T.vector(dtype=dtype), T.scalar(dtype=dtype), T.vector(dtype=dtype)
    loss = BINARY[entropy](LOGISTIC[model](T.dot(x, w) + b), y)
    f = theano.function([x, w, b, y], [loss] + T.grad(loss.mean(), [w, b]))
    weights = LINE.astype(dtype)
    count = len(weights)
    line = weights.astype("float64")
    for start in (0, 1):
        labels = ((np.arange(count) + start) % 2).astype(dtype)
        slope = ((1 - labels) * sigmoid(line) - labels * sigmoid(-line)) / count
        value, by_w, by_b = f(np.eye(count, dtype=dtype), weights, 0, labels)
        check(value, labels * softplus(-line) + (1 - labels) * softplus(line), dtype)
        check(by_w, slope, dtype)
        check(by_b, slope.sum(), dtype)


def spread(v, axis, z):
    """The result of a reduction over `axis`, broadcast against z again."""
    return v if z.ndim == 1 else v.dimshuffle(0, "x") if axis == 1 else v.dimshuffle("x", 0)


def quotient(z, axis):
    d = z - spread(z.max(axis=axis), axis, z)
    return T.log(T.exp(d) / spread(T.exp(d).sum(axis=axis), axis, z))


def quotient_kept(z, axis):
    e = T.exp(z - z.max(axis=axis, keepdims=True))
    return T.log(e / e.sum(axis=axis, keepdims=True))


def difference(z, axis):
    d = z - z.max(axis=axis, keepdims=True)
    return d - T.log(T.exp(d).sum(axis=axis, keepdims=True))


def without_maximum(z, axis):
    return T.log(T.exp(z) / spread(T.exp(z).sum(axis=axis), axis, z))


def along(axis, dtype):
    """A variable, and nasty arrays whose `axis` has the rows of NASTY; None: those rows as vectors."""
    array = NASTY.astype(dtype)
    if axis is None:
        return T.vector(dtype=dtype), 0, list(array)
    return T.matrix(dtype=dtype), axis, [array if axis == 1 else array.T.copy()]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("model", [quotient, quotient_kept, difference, without_maximum])
@pytest.mark.parametrize("total", [T.sum, T.mean, lambda v: v.sum(axis=0).mean()])
def test_weighted_log_softmax(model, axis, total, dtype):
    z, axis, arrays = along(axis, dtype)
    y = z.type()
    value = -total(y * model(z, axis))
    gradient = T.grad(value, z)
    both, alone = theano.function([z, y], [value, gradient]), theano.function([z, y], gradient)
    for array in arrays:
        shift = array.astype("float64") - array.max(axis=axis, keepdims=True)
        logs = shift - np.log(np.exp(shift).sum(axis=axis, keepdims=True))
        count = array.size if total is T.mean else array.shape[1] if total is not T.sum and array.ndim == 2 else 1
        one_hot = np.moveaxis(np.eye(3)[[0, 1, 2, 0][:array.size // 3]], 1, axis) if array.ndim == 2 else np.eye(3)[1]
        for weights in (one_hot, np.linspace(0.1, 2, array.size).reshape(array.shape)):
            slope = (weights.sum(axis=axis, keepdims=True) * np.exp(logs) - weights) / count
            found, by_z = both(array, weights.astype(dtype))
            check(found, -(weights * logs).sum() / count, dtype)
            check(by_z, slope, dtype)
            check(alone(array, weights.astype(dtype)), slope, dtype)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("keep", [True, False])
@pytest.mark.parametrize("total", [T.sum, T.mean])
def test_log_sum_exp_around_a_maximum(keep, axis, total, dtype):
    z, axis, arrays = along(axis, dtype)
    m = z.max(axis=axis, keepdims=True)
    inside = T.exp(z - m).sum(axis=axis, keepdims=keep)
    value = (m if keep else z.max(axis=axis)) + T.log(inside)
    gradient = T.grad(total(value), z)
    both, alone = theano.function([z], [value, gradient]), theano.function([z], gradient)
    for array in arrays:
        largest = array.astype("float64").max(axis=axis, keepdims=True)
        wanted = largest + np.log(np.exp(array - largest).sum(axis=axis, keepdims=True))
        slope = np.exp(array - wanted) / (wanted.size if total is T.mean else 1)
        found, by_z = both(array)
        check(found, wanted if keep else wanted.squeeze(axis), dtype)
        check(by_z, slope, dtype)
        check(alone(array), slope, dtype)


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


def test_a_branch_that_is_not_taken_says_nothing_in_the_gradient():
    # Compressed on both sides of zero: each power is nan on the other one, and in the gradient each is used twice.
    x = T.dvector("x")

    def squashed(v):
        root = v ** 0.42
        return 400 * root / (root + 27.13)

    y = T.switch(x >= 0, squashed(x), -squashed(-x))
    given = np.array([2.0, -2.0, 0.5])
    root = abs(given) ** 0.42
    wanted = 0.42 * abs(given) ** -0.58 * 400 * 27.13 / (root + 27.13) ** 2
    np.testing.assert_allclose(theano.function([x], T.grad(y.sum(), x), mode="FAST_RUN")(given), wanted, rtol=1e-12)
