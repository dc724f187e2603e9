"""-log(sum(chosen * softmax(x))): right where all that is chosen underflows."""
import numpy as np
import pytest
import theano
import theano.tensor as T

POINTS = np.array([[800.0, -800, 0], [0, 1, 800], [1, 2, 3], [700, -745, 0]])
ONE = np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]])
SEVERAL = np.array([[0.0, 0.25, 0.5], [1, 3, 0], [0.1, 0.2, 0.7], [0, 1e-3, 0]])
FORMS = {
    "in front": lambda x, y: -T.log((y * T.nnet.softmax(x)).sum(axis=1)),
    "behind": lambda x, y: -T.log(T.sum(T.nnet.softmax(x) * y, axis=-1)),
    "divided": lambda x, y: -T.log(T.sum(T.nnet.softmax(x) * (y / 2), axis=1)) - np.log(2),
}


def reference(points, weights):
    shifted = points - points.max(1, keepdims=True)
    logs = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    largest = np.where(weights != 0, logs, -np.inf).max(1, keepdims=True)
    parts = np.where(weights != 0, weights * np.exp(np.minimum(logs - largest, 0)), 0)
    return -(np.log(parts.sum(1)) + largest[:, 0]), np.exp(logs) - parts / parts.sum(1, keepdims=True)


@pytest.mark.parametrize("dtypes", [("float64", "float64"), ("float32", "float32"), ("float64", "int32"), ("float32", "int32")], ids=str)
@pytest.mark.parametrize("weights", [ONE, SEVERAL], ids=["one", "several"])
@pytest.mark.parametrize("form", FORMS)
def test_values_and_gradients(form, weights, dtypes):
    if dtypes[1] == "int32" and (weights is SEVERAL or form == "divided"):
        pytest.skip("weights are no integers")
    x, y = T.matrix("x", dtype=dtypes[0]), T.matrix("y", dtype=dtypes[1])
    loss = FORMS[form](x, y)
    value, slope = reference(POINTS, weights)
    assert np.isfinite(value).all() and np.isfinite(slope).all()
    close = dict(rtol=3e-5, atol=1e-6) if "float32" in dtypes else dict(rtol=1e-11, atol=1e-14)
    arguments = [POINTS.astype(dtypes[0]), weights.astype(dtypes[1])]
    for cost, share in ((loss.sum(), 1), (loss.mean(), len(POINTS))):
        got = theano.function([x, y], [loss, T.grad(cost, x)])(*arguments)
        np.testing.assert_allclose(got[0], value, **close)
        np.testing.assert_allclose(got[1], slope / share, **close)
        np.testing.assert_allclose(theano.function([x, y], T.grad(cost, x))(*arguments), slope / share, **close)


def test_nothing_chosen():
    x, y = T.dmatrix(), T.dmatrix()
    f = theano.function([x, y], FORMS["in front"](x, y))
    assert f(np.ones((1, 3)), np.zeros((1, 3))) == np.inf and f(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0,)
