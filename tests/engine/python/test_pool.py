"""Pooling: values against plain loops, every border rule, gradients, old names, errors."""
import itertools
import warnings

import numpy
import pytest
import theano
import theano.tensor as T
from theano.tensor.signal import downsample, pool

RNG = numpy.random.RandomState(7)
MODES = ("max", "sum", "average_inc_pad", "average_exc_pad")


def places(size, window, step, ignore_border):
    if ignore_border:
        return max(0, (size - window) // step + 1)
    return (size - 1) // step + 1 if step >= window else max(0, (size - 1 - window + step) // step) + 1


def reference(x, ws, stride, pad, ignore_border, mode):
    axes = len(ws)
    sizes = [places(n + 2 * p, w, s, ignore_border) for n, w, s, p in zip(x.shape[-axes:], ws, stride, pad)]
    out = numpy.zeros(x.shape[:-axes] + tuple(sizes))
    for place in itertools.product(*map(range, sizes)):
        padded = [(i * s - p, min(i * s + w, n + 2 * p) - p) for i, s, w, n, p in zip(place, stride, ws, x.shape[-axes:], pad)]
        inside = tuple(slice(max(a, 0), min(b, n)) for (a, b), n in zip(padded, x.shape[-axes:]))
        part = x[(Ellipsis,) + inside]
        last = tuple(range(-axes, 0))
        if mode == "max":
            value = part.max(axis=last)
        else:
            value = part.sum(axis=last)
            if mode != "sum":
                count = [b - a for a, b in padded] if mode == "average_inc_pad" else [s.stop - s.start for s in inside]
                value = value / numpy.prod(count)
        out[(Ellipsis,) + place] = value
    return out


CASES = [dict(ws=(2, 2)), dict(ws=(3, 2), stride=(1, 1)), dict(ws=(2, 3), stride=(3, 1)), dict(ws=(3, 3), stride=(2, 2), pad=(1, 2)),
         dict(ws=(2, 2), ignore_border=False), dict(ws=(3, 2), stride=(2, 1), ignore_border=False),
         dict(ws=(2, 2), stride=(3, 4), ignore_border=False)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("case", CASES, ids=str)
def test_values_and_gradients(case, mode):
    ws, ignore_border = case["ws"], case.get("ignore_border", True)
    stride, pad = case.get("stride", ws), case.get("pad", (0, 0))
    x = RNG.permutation(2 * 3 * 7 * 8).reshape(2, 3, 7, 8) / 10.
    xs = T.tensor4("x")
    out = pool.pool_2d(xs, mode=mode, **dict(dict(ignore_border=True), **case))
    expected = reference(x, ws, stride, pad, ignore_border, mode)
    for compiled in ("FAST_RUN", "DebugMode"):
        got, shape = theano.function([xs], [out, out.shape], mode=compiled)(x)
        assert numpy.allclose(got, expected) and list(shape) == list(expected.shape)

    def pooled(x):
        return pool.pool_2d(x, mode=mode, **dict(dict(ignore_border=True), **case))
    theano.gradient.verify_grad(pooled, [x[:1, :1]], rng=numpy.random.RandomState(1))
    theano.gradient.verify_grad(lambda x: T.grad((pooled(x) ** 2).sum(), x), [x[:1, :1]], rng=numpy.random.RandomState(1), abs_tol=1e-3)


def test_any_rank_volumes_and_integers():
    x = RNG.randn(6, 9)
    assert numpy.allclose(pool.pool_2d(T.as_tensor_variable(x), (2, 3), True).eval(), reference(x, (2, 3), (2, 3), (0, 0), True, "max"))
    x = RNG.randn(2, 4, 5, 6)
    got = pool.pool_3d(T.as_tensor_variable(x), (2, 2, 3), True, mode="average_exc_pad").eval()
    assert numpy.allclose(got, reference(x, (2, 2, 3), (2, 2, 3), (0, 0, 0), True, "average_exc_pad"))
    whole = RNG.randint(-5, 5, (3, 4, 4))
    got = pool.pool_2d(T.as_tensor_variable(whole), (2, 2), True).eval()
    assert got.dtype == whole.dtype and numpy.array_equal(got, reference(whole, (2, 2), (2, 2), (0, 0), True, "max"))


def test_windows_that_are_computed():
    x, ws = T.matrix("x"), T.lvector("ws")
    f = theano.function([x, ws], [pool.pool_2d(x, ws, ignore_border=True), pool.pool_2d(x, ws, ignore_border=True).shape])
    image = RNG.randn(7, 9)
    for window in ((1, 1), (2, 3), (7, 9), (8, 1)):
        got, shape = f(image, numpy.array(window))
        expected = reference(image, window, window, (0, 0), True, "max")
        assert numpy.allclose(got, expected) and tuple(shape) == expected.shape


def test_ties_and_nan():
    x = T.matrix("x")
    out = pool.pool_2d(x, (2, 2), True)
    assert numpy.array_equal(theano.function([x], T.grad(out.sum(), x))(numpy.ones((2, 2))), numpy.ones((2, 2)))
    assert numpy.isnan(theano.function([x], out)(numpy.array([[1, numpy.nan], [3, 2.]]))).all()


def test_same_size_and_old_names():
    x = RNG.randn(1, 1, 4, 4)
    xs = T.tensor4("x")
    got = theano.function([xs], pool.max_pool_2d_same_size(xs, (2, 2)))(x)
    largest = reference(x, (2, 2), (2, 2), (0, 0), True, "max")
    assert numpy.allclose(got, numpy.where(x == largest.repeat(2, 2).repeat(2, 3), x, 0))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        old = [downsample.max_pool_2d(xs, (2, 2), ignore_border=True), pool.Pool(ignore_border=True)(xs, (2, 2), (2, 2), (0, 0))]
        for one in theano.function([xs], old)(x):
            assert numpy.array_equal(one, largest)
    assert str(old[0].owner.op) == "Pool{ignore_border=True, mode='max', ndim=2}" and isinstance(old[0].owner.op, pool.Pool)
    with pytest.warns(UserWarning, match="'ds' parameter"):
        pool.pool_2d(xs, ds=(2, 2), ignore_border=True)
    with pytest.warns(UserWarning, match="ignore_border default value"):
        assert "ignore_border=False" in str(pool.pool_2d(xs, (3, 3)).owner.op)


def test_errors_say_what_is_wrong():
    xs = T.tensor4("x")
    for words, arguments in (("ws must be a list of 2 ints", {}), ("mode parameter only support", dict(ws=(2, 2), mode="median")),
                             ("both 'ws' and 'ds'", dict(ws=(2, 2), ds=(2, 2)))):
        with pytest.raises(ValueError, match=words):
            pool.pool_2d(xs, ignore_border=True, **arguments)
    with pytest.raises(NotImplementedError, match="dimension >= 2"):
        pool.pool_2d(T.vector(), (2, 2), ignore_border=True)
    for words, options in (("ignore_border=True", dict(pad=(1, 1), ignore_border=False)), ("smaller than the window", dict(pad=(2, 0)))):
        f = theano.function([xs], pool.pool_2d(xs, (2, 2), **dict(dict(ignore_border=True), **options)))
        with pytest.raises(ValueError, match=words):
            f(numpy.ones((1, 1, 4, 4)))


def test_pickle():
    import pickle
    xs = T.tensor4("x")
    f = theano.function([xs], T.grad(pool.pool_2d(xs, (2, 2), True, mode="sum").sum(), xs))
    assert numpy.array_equal(pickle.loads(pickle.dumps(f))(numpy.ones((1, 1, 4, 4))), numpy.ones((1, 1, 4, 4)))
