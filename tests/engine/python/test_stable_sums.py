"""Sums of exponentials, softmaxes and their parts under logarithms, tanh and roots by hand: values and gradients stay finite and right."""
import numpy as np
import pytest

import croton as theano
import croton.tensor as T
from logistic_forms import sigmoid, softplus

MODE = theano.Mode(linker="py", optimizer="fast_run")
ROWS = np.array([[800, -800, 0, 1], [-800, -800, -800, -799], [90, -90, 88, 1e-20], [1e-20, 0, 40, -37], [745, 745, -745, 100.]])
CLASSES = [np.array([0, 1, 2, 3, 0]), np.array([1, 2, 1, 0, 2])]


def total(z, axis=1, keep=False):
    """log(sum(exp(z)))"""
    m = z.max(axis=axis, keepdims=True)
    found = m + np.log(np.exp(z - m).sum(axis=axis, keepdims=True))
    return found if keep else np.squeeze(found, axis)


def share(z, axis=1):
    return np.exp(z - total(z, axis, True))


def logs(z):
    return z - total(z, 1, True)


def first(z, count):
    """The shares of the first columns, 0 for the others."""
    return np.concatenate([share(z[:, :count]), 0 * z[:, count:]], axis=1)


def around_maximum(z):
    m = T.max(z, axis=1)
    return m + T.log(T.exp(z - m.dimshuffle(0, "x")).sum(axis=1))


# name: expression of a matrix; its value, and the gradient of its sum
SUMS = {
    "log(sum(exp))": (lambda z: T.log(T.sum(T.exp(z), axis=1)), total, share),
    "log(sum(exp)), kept": (lambda z: T.log(T.sum(T.exp(z), axis=1, keepdims=True)), lambda z: total(z, 1, True), share),
    "log(sum(exp)), columns": (lambda z: T.log(T.exp(z).sum(axis=0)), lambda z: total(z, 0), lambda z: share(z, 0)),
    "log(sum(exp)), all": (lambda z: T.log(T.exp(z).sum()), lambda z: total(z, (0, 1)), lambda z: share(z, (0, 1))),
    "max + log(sum(exp(z - max)))": (around_maximum, total, share),
    "max + log(sum(exp(z - max))), kept": (lambda z: T.log(T.sum(T.exp(z - T.max(z, axis=1, keepdims=True)), axis=1)) + T.max(z, axis=1), total, share),
    "log(mean(exp))": (lambda z: T.log(T.mean(T.exp(z), axis=1)), lambda z: total(z) - np.log(4), share),
    "log(sum(exp) / 4)": (lambda z: T.log(T.sum(T.exp(z), axis=1) / 4), lambda z: total(z) - np.log(4), share),
    "log(2 * sum(exp))": (lambda z: T.log(2 * T.sum(T.exp(z), axis=1)), lambda z: total(z) + np.log(2), share),
    "log(1 + sum(exp))": (lambda z: T.log(1 + T.sum(T.exp(z), axis=1)), lambda z: np.logaddexp(0, total(z)),
                          lambda z: np.exp(z - np.logaddexp(0, total(z, 1, True)))),
    "log(exp + exp)": (lambda z: T.log(T.exp(z[:, 0]) + T.exp(z[:, 1])), lambda z: total(z[:, :2]), lambda z: first(z, 2)),
    "log(exp + exp + exp)": (lambda z: T.log(T.exp(z[:, 0]) + T.exp(z[:, 1]) + T.exp(z[:, 2])), lambda z: total(z[:, :3]), lambda z: first(z, 3)),
    "log of four exp": (lambda z: T.log(T.exp(z[:, 0]) + T.exp(z[:, 1]) + T.exp(z[:, 2]) + T.exp(z[:, 3])), total, share),
    "log(1 + exp)": (lambda z: T.log(1 + T.exp(z)), softplus, sigmoid),
    "log(exp + 1)": (lambda z: T.log(T.exp(z) + 1.), softplus, sigmoid),
    "log1p(exp)": (lambda z: T.log1p(T.exp(z)), softplus, sigmoid),
    "log(exp(0 * z) + exp(z))": (lambda z: T.log(T.exp(0 * z) + T.exp(z)), softplus, sigmoid),
    "z + log(1 + exp(-z))": (lambda z: z + T.log(1 + T.exp(-z)), softplus, sigmoid),
    "log(1 + exp(-z))": (lambda z: T.log(1 + T.exp(-z)), lambda z: softplus(-z), lambda z: -sigmoid(-z)),
    "log(1 + 1 / exp)": (lambda z: T.log(1 + 1 / T.exp(z)), lambda z: softplus(-z), lambda z: -sigmoid(-z)),
    "log(cosh)": (lambda z: T.log(T.cosh(z)), lambda z: np.logaddexp(z, -z) - np.log(2), np.tanh),
    "log((exp(z) + exp(-z)) / 2)": (lambda z: T.log((T.exp(z) + T.exp(-z)) / 2), lambda z: np.logaddexp(z, -z) - np.log(2), np.tanh),
}


def one_minus(z):
    return 1 - 4 * share(z)


LOGARITHMS = {
    "log(e / sum(e)), kept": lambda z: T.log(T.exp(z) / T.exp(z).sum(axis=1, keepdims=True)),
    "log(e / sum(e))": lambda z: T.log(T.exp(z) / T.exp(z).sum(axis=1).dimshuffle(0, "x")),
    "log(e) - log(sum(e))": lambda z: T.log(T.exp(z)) - T.log(T.exp(z).sum(axis=1, keepdims=True)),
    "z - log(sum(e))": lambda z: z - T.log(T.exp(z).sum(axis=1, keepdims=True)),
    "log(softmax)": lambda z: T.log(T.nnet.softmax(z)),
    "log(softmax.T).T": lambda z: T.log(T.nnet.softmax(z).T).T,
    "-log(1 / softmax)": lambda z: -T.log(1 / T.nnet.softmax(z)),
    "exponentials written twice": lambda z: T.log(T.exp(z - z.max(axis=1, keepdims=True)) / T.exp(z - z.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)),
}
SUMS.update({name: (form, logs, one_minus) for name, form in LOGARITHMS.items()})
BY_HAND = {
    "tanh by exp(z), exp(-z)": (lambda z: (T.exp(z) - T.exp(-z)) / (T.exp(z) + T.exp(-z)), np.tanh, lambda z: 1 - np.tanh(z) ** 2),
    "tanh by exp(2z)": (lambda z: (T.exp(2 * z) - 1) / (T.exp(2 * z) + 1), np.tanh, lambda z: 1 - np.tanh(z) ** 2),
    "tanh by exp(-2z)": (lambda z: (1 - T.exp(-2 * z)) / (1 + T.exp(-2 * z)), np.tanh, lambda z: 1 - np.tanh(z) ** 2),
    "tanh by 2 / (1 + exp(-2z)) - 1": (lambda z: 2 / (1 + T.exp(-2 * z)) - 1, np.tanh, lambda z: 1 - np.tanh(z) ** 2),
    "z / (1 + exp(-z))": (lambda z: z / (1 + T.exp(-z)), lambda z: z * sigmoid(z), lambda z: sigmoid(z) + z * sigmoid(z) * sigmoid(-z)),
    "elu": (lambda z: T.switch(z > 0, z, T.exp(z) - 1), lambda z: np.where(z > 0, z, np.expm1(np.minimum(z, 0))), lambda z: np.where(z > 0, 1, np.exp(np.minimum(z, 0)))),
    "sqrt(sqr(z))": (lambda z: T.sqrt(T.sqr(z)), np.abs, np.sign),
    "sqrt(z * z)": (lambda z: T.sqrt(z * z), np.abs, np.sign),
    "(z ** 2) ** 0.5": (lambda z: (z ** 2) ** 0.5, np.abs, np.sign),
    "sqrt(|z|) ** 2": (lambda z: T.sqrt(abs(z)) ** 2, np.abs, np.sign),
}


def exp_once(z):
    e = T.exp(z)
    return e / e.sum(axis=1, keepdims=True)


def transposed(z):
    e = T.exp(z.T)
    return (e / e.sum(axis=0)).T


def shifted(z):
    e = T.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def pick(p, t):
    return p[T.arange(t.shape[0]), t]


def hot(t, dtype):
    return T.cast(T.eq(T.arange(4).dimshuffle("x", 0), t.dimshuffle(0, "x")), dtype)


SOFTMAXES = {"softmax": T.nnet.softmax, "exp / sum": exp_once, "transposed": transposed, "shifted": shifted}
# of a softmax and classes; value and gradient by the logarithms, the shares and the one-hot classes
CLASSIFIED = {
    "-log(p)[i, t]": (lambda p, t: -pick(T.log(p), t), lambda l, h: -(l * h).sum(1), lambda s, l, h: s - h),
    "-log(p[i, t])": (lambda p, t: -T.log(pick(p, t)), lambda l, h: -(l * h).sum(1), lambda s, l, h: s - h),
    "log(1 / p[i, t])": (lambda p, t: T.log(1 / pick(p, t)), lambda l, h: -(l * h).sum(1), lambda s, l, h: s - h),
    "-log2(p)[i, t]": (lambda p, t: -pick(T.log2(p), t), lambda l, h: -(l * h).sum(1) / np.log(2), lambda s, l, h: (s - h) / np.log(2)),
    "categorical": (T.nnet.categorical_crossentropy, lambda l, h: -(l * h).sum(1), lambda s, l, h: s - h),
    "one-hot": (lambda p, t: -T.sum(hot(t, p.dtype) * T.log(p), axis=1), lambda l, h: -(l * h).sum(1), lambda s, l, h: s - h),
    "one-hot, integer": (lambda p, t: -T.sum(hot(t, "int8") * T.log(p), axis=1), lambda l, h: -(l * h).sum(1), lambda s, l, h: s - h),
    "switch": (lambda p, t: -T.switch(hot(t, "int8"), T.log(p), 0).sum(axis=1), lambda l, h: -(l * h).sum(1), lambda s, l, h: s - h),
    "-log(p)[0, t[0]]": (lambda p, t: -T.log(p)[0, t[0]], lambda l, h: -(l * h).sum(1)[0], lambda s, l, h: (s - h) * (np.arange(5) == 0)[:, None]),
    "-log(p[0, 1])": (lambda p, t: -T.log(p[0, 1]), lambda l, h: -l[0, 1], lambda s, l, h: (s - np.eye(4)[1]) * (np.arange(5) == 0)[:, None]),
    "-log(p[:, 1])": (lambda p, t: -T.log(p[:, 1]), lambda l, h: -l[:, 1], lambda s, l, h: s - np.eye(4)[1]),
    "entropy": (lambda p, t: -T.sum(p * T.log(p), axis=1), lambda l, h: -(np.exp(l) * l).sum(1),
                lambda s, l, h: -s * (l - (s * l).sum(1, keepdims=True))),
}


def check(z, t, out, wanted, slope, dtype, classes):
    """Value and gradient alone, together, and the gradient of the mean."""
    count = np.asarray(wanted).size
    whole, mean = T.grad(out.sum(), z), T.grad(out.mean(), z)
    for outputs, values in (([out], [wanted]), ([whole], [slope]), ([mean], [slope / count]), ([out, whole], [wanted, slope])):
        f = theano.function([z, t], outputs, mode=MODE, on_unused_input="ignore")
        for a, b in zip(f(ROWS.astype(dtype), classes), values):
            assert np.isfinite(a).all()
            np.testing.assert_allclose(np.asarray(a, "float64"), b, rtol=2e-4 if dtype == "float32" else 1e-9, atol=1e-6 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("form", [*SUMS, *BY_HAND])
def test_forms(form, dtype):
    build, value, slope = {**SUMS, **BY_HAND}[form]
    z, t = T.matrix(dtype=dtype), T.lvector()
    x = ROWS.astype(dtype).astype("float64")
    check(z, t, build(z), value(x), slope(x), dtype, CLASSES[0])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("model", SOFTMAXES)
@pytest.mark.parametrize("loss", CLASSIFIED)
def test_classes(loss, model, dtype):
    build, value, slope = CLASSIFIED[loss]
    x = ROWS.astype(dtype).astype("float64")
    for classes in CLASSES:
        z, t = T.matrix(dtype=dtype), T.lvector()
        h = np.eye(4)[classes]
        check(z, t, build(SOFTMAXES[model](z), t), value(logs(x), h), slope(share(x), logs(x), h), dtype, classes)
