"""exp(x) / sum(exp(x)) as people write it, along any axis: values, logarithms and gradients where exp(x) overflows."""
import numpy as np
import pytest
import theano
import theano.tensor as T

ROWS = np.array([[800.0, -800, 0], [0, 1, 800], [1, 2, 3], [700, -745, 0], [-800, -790, -795], [800, 790, 799]])
POINTS = {1: ROWS[0], 2: ROWS, 3: np.stack([ROWS, ROWS[::-1]])}


def named(x, axis):
    e = T.exp(x)
    return e / e.sum(axis=axis, keepdims=True)


def shifted(x, axis):
    e = T.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def spread(x, axis):
    kept = iter(range(x.ndim - 1))
    return T.exp(x) / T.exp(x).sum(axis=axis).dimshuffle(["x" if one == axis else next(kept) for one in range(x.ndim)])


SPELLINGS = {
    "keepdims": lambda x, axis: T.exp(x) / T.exp(x).sum(axis=axis, keepdims=True), "named": named, "shifted": shifted, "spread": spread,
    "times inverse": lambda x, axis: T.exp(x) * (1 / T.exp(x).sum(axis=axis, keepdims=True)),
    "to the power of -1": lambda x, axis: T.exp(x) * T.exp(x).sum(axis=axis, keepdims=True) ** -1,
    "by the logarithm": lambda x, axis: T.exp(x - T.log(T.exp(x).sum(axis=axis, keepdims=True))),
}


def logs_of(x, axis):
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


def through(p, slope, axis):
    return p * (slope - (slope * p).sum(axis, keepdims=True))


# what is asked of p and weights w → the expression, its value and its gradient, of log(p)
LOSSES = {
    "sum(p w)": (lambda p, w, axis: (p * w).sum(), lambda l, w, axis: (np.exp(l) * w).sum(), lambda l, w, axis: through(np.exp(l), w, axis)),
    "sum(p² w)": (lambda p, w, axis: (p ** 2 * w).sum(), lambda l, w, axis: (np.exp(2 * l) * w).sum(),
                  lambda l, w, axis: through(np.exp(l), 2 * np.exp(l) * w, axis)),
    "sum(w log p)": (lambda p, w, axis: (w * T.log(p)).sum(), lambda l, w, axis: (w * l).sum(),
                     lambda l, w, axis: w - np.exp(l) * w.sum(axis, keepdims=True)),
    "log sum(w p)": (lambda p, w, axis: T.log((p * w).sum(axis=axis)).sum(), lambda l, w, axis: (w * l).sum(),
                     lambda l, w, axis: w - np.exp(l) * w.sum(axis, keepdims=True)),  # of one chosen
}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("ndim,axis", [(2, 1), (2, 0), (1, 0), (3, 2), (3, 1), (3, 0)])
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_values_and_gradients(spelling, ndim, axis, dtype):
    points = POINTS[ndim]
    logs = logs_of(points, axis)
    several = np.random.RandomState(0).randint(1, 5, points.shape).astype("float64")
    one = np.zeros_like(points)
    np.put_along_axis(one, points.argsort(axis).take([1], axis=axis), 1, axis=axis)
    x, w = T.TensorType(dtype, (False,) * ndim)("x"), T.TensorType(dtype, (False,) * ndim)("w")
    p = SPELLINGS[spelling](x, axis)
    close = dict(rtol=3e-4, atol=5e-5) if dtype == "float32" else dict(rtol=1e-9, atol=1e-12)
    for found, wanted in zip(theano.function([x], [p, T.log(p)])(points.astype(dtype)), (np.exp(logs), logs)):
        np.testing.assert_allclose(found, wanted, **close)
    for name, (build, value, slope) in LOSSES.items():
        cost = build(p, w, axis)
        gradient = T.grad(cost, x)
        for weights in (one,) if name == "log sum(w p)" else (one, several):
            arguments = [points.astype(dtype), weights.astype(dtype)]
            wanted = value(logs, weights, axis), slope(logs, weights, axis)
            assert np.isfinite(wanted[0]) and np.isfinite(wanted[1]).all()
            for found, expected in zip(theano.function([x, w], [cost, gradient])(*arguments), wanted):
                np.testing.assert_allclose(found, expected, err_msg=name, **close)
            np.testing.assert_allclose(theano.function([x, w], gradient)(*arguments), wanted[1], err_msg=name + ", gradient alone", **close)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("build", [
    lambda x, m: (lambda e: e / e.sum(axis=-1, keepdims=True))(T.exp(x) * m),
    lambda x, m: m * T.exp(x) / T.sum(m * T.exp(x), axis=-1, keepdims=True)], ids=["named", "written twice"])
def test_masks(build, dtype):
    x, m, w = T.matrix("x", dtype=dtype), T.matrix("m", dtype=dtype), T.matrix("w", dtype=dtype)
    mask = np.array([[1.0, 1, 0], [1, 1, 0], [1, 0, 1], [0.5, 1, 1], [1, 1, 0], [1, 1, 1]])
    weights = np.random.RandomState(1).randint(1, 5, mask.shape).astype(dtype)
    p = build(x, m)
    cost = (p * w).sum()
    wanted = np.exp(logs_of(np.where(mask > 0, ROWS + np.log(np.maximum(mask, 1e-300)), -np.inf), 1))
    arguments = [ROWS.astype(dtype), mask.astype(dtype), weights]
    close = dict(rtol=1e-4, atol=1e-5) if dtype == "float32" else dict(rtol=1e-9, atol=1e-12)
    found, gradient = theano.function([x, m, w], [p, T.grad(cost, x)])(*arguments)
    np.testing.assert_allclose(found, wanted, **close)
    np.testing.assert_allclose(gradient, through(wanted, weights, 1), **close)
    np.testing.assert_allclose(theano.function([x, m, w], T.grad(cost, x))(*arguments), through(wanted, weights, 1), **close)
    of_mask, of_both = theano.function([x, m, w], [T.grad(cost, m), T.grad(cost, [x, m])[1]])(arguments[0] / 100, *arguments[1:])
    e = np.exp(ROWS / 100)
    s = (e * mask).sum(1, keepdims=True)
    for found in (of_mask, of_both):
        np.testing.assert_allclose(found, e * (weights - (weights * e * mask).sum(1, keepdims=True) / s) / s, rtol=1e-3, atol=1e-5)


def test_the_parts_keep_their_gradients():
    x, w = T.dmatrix("x"), T.dmatrix("w")
    e = T.exp(x)
    s = e.sum(axis=1, keepdims=True)
    cost = (w * e / s + w * (e / s)).sum()
    points, weights = np.array([[0.1, 0.7], [1.2, -0.3]]), np.array([[1.0, 2], [3, -1]])
    of_e, of_s = theano.function([x, w], T.grad(cost, [e, s]))(points, weights)
    powers = np.exp(points)
    sums = powers.sum(1, keepdims=True)
    through_sum = -2 * (weights * powers).sum(1, keepdims=True) / sums ** 2
    np.testing.assert_allclose(of_s, through_sum)
    np.testing.assert_allclose(of_e, 2 * weights / sums + through_sum)
    alone = theano.function([x, w], T.grad(cost, x, consider_constant=[s]))(points, weights)
    np.testing.assert_allclose(alone, 2 * weights * powers / sums)
    known = theano.function([x, w], T.grad(None, x, known_grads={e / s: w}))(points, weights)
    p = powers / sums
    np.testing.assert_allclose(known, through(p, weights, 1))
    theano.gradient.verify_grad(lambda x: T.exp(x) / T.exp(x).sum(axis=1, keepdims=True), [points], rng=np.random)
    hessian = theano.function([x, w], T.grad((T.grad((w * e / s).sum(), x) * w).sum(), x))(points, weights)
    step = 1e-6
    slope = theano.function([x, w], T.grad((w * e / s).sum(), x))
    for i in np.ndindex(2, 2):
        moved = [points.copy(), points.copy()]
        moved[0][i] += step
        moved[1][i] -= step
        np.testing.assert_allclose(hessian[i], ((slope(moved[0], weights) - slope(moved[1], weights)) * weights).sum() / (2 * step), rtol=1e-5, atol=1e-7)


FLOATS = {
    "log(p)": (lambda p, x: T.log(p), lambda l: l), "2 log(p)": (lambda p, x: 2 * T.log(p), lambda l: 2 * l), "log(p²)": (lambda p, x: T.log(p ** 2), lambda l: 2 * l),
    "log(1 / p)": (lambda p, x: T.log(1 / p), lambda l: -l), "log(pᵀ)": (lambda p, x: T.log(p.T), lambda l: l.T),
    "log of one line": (lambda p, x: T.log(p.flatten()), np.ravel),
    "x - log(sum(exp(x)))": (lambda p, x: x - T.log(T.exp(x).sum(axis=1, keepdims=True)), lambda l: l),
}


@pytest.mark.parametrize("asked", FLOATS)
@pytest.mark.parametrize("spelling", ["keepdims", "named", "shifted", "spread", "times inverse", "by the logarithm"])
def test_logarithms_have_the_digits_of_float32(spelling, asked):
    """Beside elements of 200 a logarithm of -0.07 has two digits less than it can have, if the sum of both is rounded."""
    points = (np.random.RandomState(0).uniform(-200, 200, (60, 5))).astype("float32")
    points[0] = [193.19966, 192.89911, 197.0668, -152.55379, 175.30246]
    build, wanted = FLOATS[asked]
    x = T.fmatrix("x")
    p = SPELLINGS[spelling](x, 1)
    found = theano.function([x], build(p, x))(points)
    assert found.dtype == "float32"
    np.testing.assert_allclose(found, wanted(logs_of(points.astype("float64"), 1)), rtol=1e-6, atol=1e-7)
