"""Every spelling of the logistic function under every loss: values and gradients hold where its exponential overflows."""
import numpy as np
import pytest

import croton as theano
import croton.tensor as T
from logistic_forms import LOGISTIC, sigmoid, softplus

# The interpreter computes the same bits as kernels, and thousands of functions need no compiler.
MODE = theano.Mode(linker="py", optimizer="fast_run")
POINTS = np.repeat([0, 1e-20, -1e-20, 1, -1, 37, -37, 88, -88, 100, -100, 745, -745, 800, -800], 2)
TARGETS = np.tile([0, 1], len(POINTS) // 2)
SHAPES = {"scalar": (T.scalar, None), "vector": (T.vector, (30,)), "matrix": (T.matrix, (6, 5))}


def entropy(z, y):
    return y * softplus(-z) + (1 - y) * softplus(z)


def entropy_slope(z, y):
    return (1 - y) * sigmoid(z) - y * sigmoid(-z)


# name: of a probability and a label; its value and its slope at z
OF_ONE = {
    "p": (lambda p, y: p, lambda z, y: sigmoid(z), lambda z, y: sigmoid(z) * sigmoid(-z)),
    "1-p": (lambda p, y: 1 - p, lambda z, y: sigmoid(-z), lambda z, y: -sigmoid(z) * sigmoid(-z)),
    "p*(1-p)": (lambda p, y: p * (1 - p), lambda z, y: sigmoid(z) * sigmoid(-z),
                lambda z, y: sigmoid(z) * sigmoid(-z) * (sigmoid(-z) - sigmoid(z))),
    "-log(p)": (lambda p, y: -T.log(p), lambda z, y: softplus(-z), lambda z, y: -sigmoid(-z)),
    "-log(1-p)": (lambda p, y: -T.log(1 - p), lambda z, y: softplus(z), lambda z, y: sigmoid(z)),
    "-log1p(-p)": (lambda p, y: -T.log1p(-p), lambda z, y: softplus(z), lambda z, y: sigmoid(z)),
    "log(p)-log(1-p)": (lambda p, y: T.log(p) - T.log(1 - p), lambda z, y: z, lambda z, y: np.ones_like(z)),
    "log(p/(1-p))": (lambda p, y: T.log(p / (1 - p)), lambda z, y: z, lambda z, y: np.ones_like(z)),
    "log(p*(1-p))": (lambda p, y: T.log(p * (1 - p)), lambda z, y: -softplus(-z) - softplus(z), lambda z, y: sigmoid(-z) - sigmoid(z)),
}
OF_BOTH = {
    "-y*log(p)": (lambda p, y: -y * T.log(p), lambda z, y: y * softplus(-z), lambda z, y: -y * sigmoid(-z)),
    "seed": (lambda p, y: -y * T.log(p) - (1 - y) * T.log(1 - p), entropy, entropy_slope),
    "minus": (lambda p, y: -(y * T.log(p) + (1 - y) * T.log(1 - p)), entropy, entropy_slope),
    "log1p": (lambda p, y: -y * T.log(p) - (1 - y) * T.log1p(-p), entropy, entropy_slope),
    "turned": (lambda p, y: (y - 1) * T.log(1 - p) - y * T.log(p), entropy, entropy_slope),
    "binary_crossentropy": (T.nnet.binary_crossentropy, entropy, entropy_slope),
    "switch of logs": (lambda p, y: -T.switch(y, T.log(p), T.log(1 - p)), entropy, entropy_slope),
    "log of switch": (lambda p, y: -T.log(T.switch(y, p, 1 - p)), entropy, entropy_slope),
    "log of switch on eq": (lambda p, y: -T.log(T.switch(T.eq(y, 1), p, 1 - p)), entropy, entropy_slope),
    "log of switch on eq 0": (lambda p, y: -T.log(T.switch(T.eq(y, 0), 1 - p, p)), entropy, entropy_slope),
    "log of switch on gt": (lambda p, y: -T.log(T.switch(T.gt(y, 0.5), p, 1 - p)), entropy, entropy_slope),
    "log of sum": (lambda p, y: -T.log(y * p + (1 - y) * (1 - p)), entropy, entropy_slope),
    "log of blend": (lambda p, y: -T.log(1 - y + (2 * y - 1) * p), entropy, entropy_slope),
    "log of turned blend": (lambda p, y: -T.log(1 - p + y * (2 * p - 1)), entropy, entropy_slope),
    "log of products": (lambda p, y: -T.log(1 - y - p + 2 * y * p), entropy, entropy_slope),
    "log of inverse": (lambda p, y: T.log(1 / T.switch(y, p, 1 - p)), entropy, entropy_slope),
    "log2": (lambda p, y: -y * T.log2(p) - (1 - y) * T.log2(1 - p), lambda z, y: entropy(z, y) / np.log(2), lambda z, y: entropy_slope(z, y) / np.log(2)),
    "log10": (lambda p, y: -y * T.log10(p) - (1 - y) * T.log10(1 - p), lambda z, y: entropy(z, y) / np.log(10), lambda z, y: entropy_slope(z, y) / np.log(10)),
}


def wrong(found, wanted, dtype, absolute):
    found, wanted = np.asarray(found, "float64"), np.asarray(wanted, "float64")
    return ~(np.abs(found - wanted) <= (3e-5 if dtype == "float32" else 1e-12) * np.abs(wanted) + absolute)


def problems(model, loss, dtype, shape, label, whats=("value", "grad", "mean", "both")):
    """Lines that say where a function goes wrong."""
    maker, sizes = SHAPES[shape]
    build, value, slope = loss
    z = maker(dtype=dtype)
    inputs, targets = [z], TARGETS.astype(dtype)
    if label in (0, 1):
        y, targets = label, np.full(len(POINTS), label)
    else:
        given = maker(dtype=dtype if label == "same" else label)
        inputs.append(given)
        targets = TARGETS.astype(given.dtype)
        y = T.cast(given, dtype) if label == "int64" else given
    out = build(LOGISTIC[model](z), y)
    # 1 - tanh², the slope of the spellings by tanh, is 0 beyond 19 if nobody computes the logistic function beside it.
    absolute = 1e-300 if dtype == "float64" else 1e-38
    # y * sigmoid(z) and a cast of -y stand apart where y is an integer: what is left of them cancels.
    if "tanh" in model or label == "int32":
        absolute = 1e-15 if dtype == "float64" else 1e-7
    lines = []
    for what in whats:
        grads = [T.grad(out.mean() if what == "mean" else out.sum(), z)] if what != "value" else []
        f = theano.function(inputs, [out] * (what in ("value", "both")) + grads, mode=MODE, on_unused_input="ignore")
        if sizes:
            cells = [(POINTS.astype(dtype).reshape(sizes), targets.reshape(sizes))]
        else:
            cells = list(zip(POINTS.astype(dtype), targets))
        for at, label_at in cells:
            x, t = np.asarray(at, "float64"), np.asarray(label_at, "float64")
            wanted = [value(x, t)] * (what in ("value", "both")) + [slope(x, t) / (x.size if what == "mean" else 1)] * len(grads)
            for a, b in zip(f(*[at, label_at][:len(inputs)]), wanted):
                bad = wrong(a, b, dtype, absolute)
                if bad.any():
                    lines.append("%s, %s: %s at z = %s, not %s" % (model, what, np.asarray(a)[bad][:3], np.broadcast_to(x, bad.shape)[bad][:3], np.broadcast_to(b, bad.shape)[bad][:3]))
    return lines


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("loss", [*OF_ONE, *OF_BOTH])
def test_vectors(loss, dtype):
    assert sum((problems(model, {**OF_ONE, **OF_BOTH}[loss], dtype, "vector", "same") for model in LOGISTIC), []) == []


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("label", ["same", "int32", "int64", 0, 1])
@pytest.mark.parametrize("loss", OF_BOTH)
def test_labels_and_shapes(loss, label, shape, dtype):
    if label in (0, 1) and loss in ("log of switch on gt", "log of switch on eq", "log of switch on eq 0"):
        pytest.skip("a comparison of two numbers is no variable")
    assert sum((problems(model, OF_BOTH[loss], dtype, shape, label, ("both",)) for model in LOGISTIC), []) == []


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("loss", OF_BOTH)
def test_weights(loss, dtype):
    """In z = dot(x, w) + b: the slopes with regard to w and b."""
    x, w, b, y = T.matrix(dtype=dtype), T.vector(dtype=dtype), T.scalar(dtype=dtype), T.vector(dtype=dtype)
    build, value, slope = OF_BOTH[loss]
    count = len(POINTS)
    lines = []
    for model in LOGISTIC:
        out = build(LOGISTIC[model](T.dot(x, w) + b), y)
        f = theano.function([x, w, b, y], [out] + T.grad(out.mean(), [w, b]), mode=MODE)
        at = POINTS.astype(dtype)
        found = f(np.eye(count, dtype=dtype), at, 0, TARGETS.astype(dtype))
        z = at.astype("float64")
        by_w = slope(z, TARGETS) / count
        for a, c in zip(found, (value(z, TARGETS), by_w, by_w.sum())):
            # The sum over all rows has entries of both signs.
            bad = wrong(a, c, dtype, 1e-6 if dtype == "float32" else 1e-15)
            if bad.any():
                lines.append("%s: %s, not %s" % (model, np.asarray(a)[bad][:3], np.asarray(c)[bad][:3]))
    assert lines == []
