"""Batch normalisation by columns or channels runs as one kernel and says what NumPy says, as does its gradient."""
import numpy
import pytest
import theano
import theano.tensor as T
from croton import _core

REWRITE = "croton_columns_in_one_kernel"
EPSILON = 1e-4


def normalised(v):
    centred = v - v.mean(0)
    return centred / numpy.sqrt((centred * centred).mean(0) + EPSILON)


def gradient(v, scale):
    """Of the sum of scale * normalised(v)."""
    inverse = 1 / numpy.sqrt(v.var(0) + EPSILON)
    unit = (v - v.mean(0)) * inverse
    return inverse * (scale - scale.mean(0) - unit * (scale * unit).mean(0))


@pytest.mark.parametrize("excluded", [False, True])
@pytest.mark.parametrize("shape", [(40, 200), (129, 70), (2, 64), (300, 1024)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_batch_normalisation(dtype, shape, excluded):
    rng = numpy.random.RandomState(1)
    v, g = rng.randn(*shape) * 3 + 1, rng.randn(*shape)
    gamma, beta = rng.rand(shape[1]) + 0.5, rng.randn(shape[1])
    x, weight = T.matrix("x", dtype=dtype), T.matrix("g", dtype=dtype)
    scale, shift = T.vector("gamma", dtype=dtype), T.vector("beta", dtype=dtype)
    running = [theano.shared(numpy.ones(shape[1], dtype)) for _ in range(2)]
    results = T.nnet.bn.batch_normalization_train(x, scale, shift, "per-activation", EPSILON, 0.25, *running)
    cost = T.sum(results[0] * weight)
    wanted = T.grad(cost, [x, scale, shift])
    mode = theano.compile.get_default_mode()
    f = theano.function([x, weight, scale, shift], list(results[:3]) + wanted, updates=list(zip(running, results[3:])),
                        mode=mode.excluding(REWRITE) if excluded else mode)
    arrays = [a.astype(dtype) for a in (v, g, gamma, beta)]
    f(*arrays)
    assert _core.function_compile_kernels(f)
    for one in running:
        one.set_value(numpy.ones(shape[1], dtype))
    out, mean, inverse, dx, dscale, dshift = f(*arrays)
    v, g, gamma, beta = (a.astype("float64") for a in arrays)
    unit = normalised(v)
    right = [unit * gamma + beta, v.mean(0), 1 / numpy.sqrt(v.var(0) + EPSILON), gradient(v, g * gamma), (g * unit).sum(0), g.sum(0)]
    tolerance = dict(rtol=2e-4, atol=2e-4) if dtype == "float32" else dict(rtol=1e-9, atol=1e-9)
    for got, expected in zip((out, mean, inverse, dx, dscale, dshift), right):
        numpy.testing.assert_allclose(got.reshape(expected.shape), expected, **tolerance)
    count = shape[0]
    numpy.testing.assert_allclose(running[0].get_value(), 0.75 + 0.25 * v.mean(0), **tolerance)
    numpy.testing.assert_allclose(running[1].get_value(), 0.75 + 0.25 * v.var(0) * count / (count - 1), **tolerance)


@pytest.mark.parametrize("shape", [(5, 3, 12, 11), (20, 16, 16, 16), (3, 4, 5, 5)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_channels_of_images(dtype, shape):
    rng = numpy.random.RandomState(5)
    v, g, gamma = (a.astype(dtype) for a in (rng.randn(*shape) * 2 - 1, rng.randn(*shape), rng.rand(shape[1]) + 0.5))
    x, weight, scale = T.tensor4("x", dtype=dtype), T.tensor4("g", dtype=dtype), T.vector("gamma", dtype=dtype)
    out, mean = T.nnet.bn.batch_normalization_train(x, scale, T.zeros_like(scale), "spatial", EPSILON)[:2]
    f = theano.function([x, weight, scale], [out, mean, T.grad(T.sum(out * weight), x)])
    f(v, g, gamma)
    _core.function_compile_kernels(f)

    def by_columns(a):
        return a.transpose(0, 2, 3, 1).reshape(-1, shape[1]).astype("float64")

    right = [normalised(by_columns(v)) * gamma, by_columns(v).mean(0), gradient(by_columns(v), by_columns(g) * gamma)]
    tolerance = dict(rtol=2e-4, atol=2e-4) if dtype == "float32" else dict(rtol=1e-9, atol=1e-9)
    got = f(v, g, gamma)
    for one, expected in zip((by_columns(got[0]), got[1].ravel(), by_columns(got[2])), right):
        numpy.testing.assert_allclose(one, expected, **tolerance)


def test_debug_mode_agrees():
    v = numpy.random.RandomState(2).randn(50, 100).astype("float32")
    x, g = T.fmatrix("x"), T.fmatrix("g")
    out = T.nnet.bn.batch_normalization_train(x, T.ones((1, 100), "float32"), T.zeros((1, 100), "float32"))[0]
    f = theano.function([x, g], [out, T.grad(T.sum(out * g), x)], mode="DebugMode")
    numpy.testing.assert_allclose(f(v, v)[0], normalised(v.astype("float64")), rtol=2e-4, atol=2e-4)


def test_infinities_and_nan_stay_in_their_columns():
    v = numpy.random.RandomState(3).randn(40, 130).astype("float32")
    v[3, 5], v[7, 64], v[0, 129] = numpy.nan, numpy.inf, -numpy.inf
    x = T.fmatrix("x")
    centred = x - T.mean(x, axis=0)
    f = theano.function([x], centred / T.sqrt(T.mean(centred * centred, axis=0) + EPSILON))
    f(v)
    assert _core.function_compile_kernels(f)
    got = f(v)
    odd = [5, 64, 129]
    fine = numpy.setdiff1d(numpy.arange(130), odd)
    assert numpy.isnan(got[:, 5]).all() and not numpy.isfinite(got[[7, 0], [64, 129]]).any()
    numpy.testing.assert_allclose(got[:, fine], normalised(v[:, fine].astype("float64")), rtol=2e-4, atol=2e-4)


def softmax(v):
    powers = numpy.exp(v - v.max(0))
    return powers / powers.sum(0)


@pytest.mark.parametrize("shape", [(40, 200), (129, 70), (1, 64), (0, 80), (5, 3)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_softmax_of_columns(dtype, shape):
    rng = numpy.random.RandomState(4)
    arrays = [(rng.randn(*shape) * 300).astype(dtype), rng.randn(*shape).astype(dtype)]
    x, g = T.matrix("x", dtype=dtype), T.matrix("g", dtype=dtype)
    by_hand = T.exp(x) / T.sum(T.exp(x), axis=0)
    results = [by_hand, T.log(by_hand), T.nnet.softmax(x.T).T, T.nnet.logsoftmax(x.T).T]
    f = theano.function([x, g], results + [T.grad(T.sum(by_hand * g), x), T.grad(T.sum(results[3] * g), x)])
    assert not any("Softmax" in type(node.op).__name__ for node in f.maker.fgraph.toposort())
    f(*arrays)
    _core.function_compile_kernels(f)
    p = softmax(arrays[0].astype("float64")) if shape[0] else arrays[0]
    log = arrays[0] - arrays[0].max(0) - numpy.log(numpy.exp(arrays[0].astype("float64") - arrays[0].max(0)).sum(0)) if shape[0] else p
    weight = arrays[1].astype("float64")
    right = [p, log, p, log, (weight - (weight * p).sum(0)) * p, weight - p * weight.sum(0)]
    tolerance = dict(rtol=2e-5, atol=2e-5) if dtype == "float32" else dict(rtol=1e-11, atol=1e-11)
    for got, expected in zip(f(*arrays), right):
        numpy.testing.assert_allclose(got, expected, **tolerance)


def test_a_softmax_that_is_wanted_by_rows_stays():
    x = T.fmatrix("x")
    for result in (T.nnet.softmax(x), T.nnet.softmax(x.T), T.nnet.softmax(x).T):
        assert [node.op.__class__.__name__ for node in theano.function([x], result).maker.fgraph.toposort()].count("Softmax") == 1
