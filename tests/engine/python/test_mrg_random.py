"""theano.sandbox.rng_mrg: the numbers of MRG31k3p, what is made of them, states."""
import pickle

import numpy
import pytest

import mrg31k3p
import theano
import theano.tensor as T
from theano.sandbox.multinomial import ChoiceFromUniform, MultinomialFromUniform
from theano.sandbox.rng_mrg import MRG_RandomStreams, ff_2p72, ff_2p134, guess_n_streams, mrg_uniform

MODES = ["FAST_RUN", "FAST_COMPILE", "DebugMode"]


def applies(f, kind):
    return [node for node in f.maker.fgraph.toposort() if type(node.op).__name__ == kind]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("size, nstreams", [((3, 4), None), ((50,), 7), ((2, 3, 5), 1), ((5,), 64), ((1, 40), None)])
def test_uniform_is_the_recurrence(mode, dtype, size, nstreams):
    srng = MRG_RandomStreams(1234)
    drawn = srng.uniform(size, dtype=dtype, nstreams=nstreams)
    f = theano.function([], drawn, mode=mode)
    states = mrg31k3p.Streams(1234).take(guess_n_streams(size) if nstreams is None else nstreams)
    for _ in range(3):
        got = f()
        assert got.dtype == dtype and numpy.array_equal(got, mrg31k3p.uniform(states, size, dtype))
    assert numpy.array_equal(srng.state_updates[0][0].get_value(), states)


def test_streams_are_far_apart():
    reference, state = mrg31k3p.Streams([1, 2, 3, 4, 5, 6]), numpy.array([1, 2, 3, 4, 5, 6], "int32")
    assert numpy.array_equal(ff_2p72(state), mrg31k3p.ahead(state.tolist(), 2 ** 72))
    assert numpy.array_equal(ff_2p134(state), mrg31k3p.ahead(state.tolist(), 2 ** 134))
    srng = MRG_RandomStreams([1, 2, 3, 4, 5, 6])
    first, second = srng.uniform((6,), nstreams=3), srng.uniform((6,), nstreams=2)
    a, b = theano.function([], [first, second])()
    assert numpy.array_equal(a, mrg31k3p.uniform(reference.take(3), (6,)))
    assert numpy.array_equal(b, mrg31k3p.uniform(reference.take(2), (6,)))


def test_published_numbers():
    # The test sequence that comes with the generator in SSJ: the first two substreams, and the next stream.
    srng = MRG_RandomStreams(12345)
    first, second = srng.uniform((5, 2), nstreams=2), srng.uniform((2,), nstreams=1)
    a, b = theano.function([], [first, second])()
    assert a[:, 0].tolist() == [0.7353244530968368, 0.6142074400559068, 0.11007806099951267, 0.6487741703167558, 0.36619443260133266]
    assert a[:, 1].tolist() == [0.2585685825906694, 0.9489980279468, 0.4309556516818702, 0.12257590936496854, 0.9760319022461772]
    assert b.tolist() == [0.5180770065635443, 0.2319392478093505]


def test_many_samples_use_threads_and_vectors_alike():
    size, streams = (700, 301), 1000
    srng = MRG_RandomStreams(7)
    whole = theano.function([], srng.uniform(size, nstreams=streams))
    states = mrg31k3p.Streams(7).take(streams)
    got = whole()
    reached = [0, 1, 15, 16, 17, 498, 998, 999]
    for stream in reached:
        own = [states[stream]]
        count = len(range(stream, got.size, streams))
        assert numpy.array_equal(got.ravel()[stream::streams], mrg31k3p.uniform(own, (count,)))
        assert srng.state_updates[0][0].get_value()[stream].tolist() == own[0]


def test_state_moves_on_in_place():
    srng = MRG_RandomStreams(3)
    f = theano.function([], srng.uniform((4,)))
    (node,) = applies(f, "mrg_uniform")
    assert node.op.inplace and node.op.destroy_map == {0: [0]} and str(node.op) == "mrg_uniform{TensorType(float64, vector),inplace}"
    off = theano.function([], srng.uniform((4,)), mode=theano.compile.get_mode("FAST_RUN").excluding("random_make_inplace_mrg"))
    assert str(applies(off, "mrg_uniform")[0].op) == "mrg_uniform{TensorType(float64, vector),no_inplace}"
    state = srng.state_updates[0][0]
    before = state.get_value()
    f()
    assert not numpy.array_equal(before, state.get_value())


def test_sizes_symbolic_and_inferred():
    x, n = T.matrix("x"), T.lscalar("n")
    srng = MRG_RandomStreams(5)
    f = theano.function([x, n], [srng.uniform(x.shape, ndim=2, nstreams=6), srng.uniform((n, 3), nstreams=4), srng.uniform((n,)),
                                 srng.uniform(())])
    data = numpy.zeros((3, 5))
    a, b, c, d = f(data, 4)
    assert a.shape == (3, 5) and b.shape == (4, 3) and c.shape == (4,) and d.shape == ()
    shape = theano.function([x], srng.uniform(x.shape, ndim=2).shape, no_default_updates=True)
    assert not applies(shape, "mrg_uniform") and shape(data).tolist() == [3, 5]
    assert srng.uniform((n, 1)).broadcastable == (False, True)
    with pytest.raises(ValueError, match="size must have length 2"):
        theano.function([], mrg_uniform(T.dmatrix().type)(theano.shared(numpy.ones((2, 6), "int32")), theano.shared(numpy.array([3])))[1])()


def test_low_high_dtype_and_arguments():
    srng = MRG_RandomStreams(5)
    low = T.dscalar("low")
    wide = theano.function([low], srng.uniform((400,), low=low, high=10.0))(9.0)
    assert wide.min() > 9 and wide.max() < 10
    assert srng.uniform((2,), dtype="float32").dtype == "float32" and srng.binomial((2,), dtype="int8").dtype == "int8"
    for call, error, text in [
            (lambda: srng.uniform([2]), TypeError, "size must be a tuple"), (lambda: srng.uniform((0, 2)), ValueError, "value <= 0"),
            (lambda: srng.uniform((2,), other=1), TypeError, "unexpected keyword"), (lambda: srng.binomial((2,), n=2), NotImplementedError, "n > 1"),
            (lambda: MRG_RandomStreams(0), ValueError, "should not be 0"), (lambda: MRG_RandomStreams(2147462579), ValueError, "less than"),
            (lambda: MRG_RandomStreams([0, 0, 0, 1, 1, 1]), ValueError, "first 3"), (lambda: MRG_RandomStreams([1, 2]), TypeError, "6 integers"),
            (lambda: srng.uniform((1, 3), low=T.dmatrix()), NotImplementedError, "broadcasting pattern")]:
        with pytest.raises(error, match=text):
            call()


def test_binomial():
    p = T.vector("p")
    srng = MRG_RandomStreams(99)
    f = theano.function([p], srng.binomial((6, 4), p=p, nstreams=5))
    given = numpy.array([0.1, 0.5, 0.9, 1.0])
    states = mrg31k3p.Streams(99).take(5)
    for _ in range(2):
        got = f(given)
        assert got.dtype == "int64" and numpy.array_equal(got, mrg31k3p.uniform(states, (6, 4)) < given)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_normal_is_box_and_muller(mode, dtype):
    for size in [(4, 6), (3, 5)]:
        srng = MRG_RandomStreams(11)
        f = theano.function([], srng.normal(size, avg=2.0, std=3.0, dtype=dtype, nstreams=4), mode=mode)
        count = size[0] * size[1] + size[0] * size[1] % 2
        u = mrg31k3p.uniform(mrg31k3p.Streams(11).take(4), (count,), dtype).astype("float64")
        radius, angle = numpy.sqrt(-2 * numpy.log(u[:count // 2])), 2 * numpy.pi * u[count // 2:]
        expected = numpy.concatenate([radius * numpy.cos(angle), radius * numpy.sin(angle)])[:size[0] * size[1]].reshape(size) * 3 + 2
        got = f()
        assert got.dtype == dtype and numpy.allclose(got, expected, rtol=1e-4 if dtype == "float32" else 1e-12, atol=1e-5 if dtype == "float32" else 1e-12)


def test_normal_of_symbolic_size_and_its_moments():
    n = T.lscalar("n")
    f = theano.function([n], MRG_RandomStreams(3).normal((n, 7), avg=1.0, std=0.5))
    got = f(3000)
    assert got.shape == (3000, 7) and abs(got.mean() - 1) < 0.02 and abs(got.std() - 0.5) < 0.01
    assert f(3).shape == (3, 7)


def test_truncated_normal():
    srng = MRG_RandomStreams(21)
    got = theano.function([], srng.truncated_normal((5000,), avg=1.0, std=2.0))()
    assert abs(got - 1).max() <= 2 * 2 / 0.87962566103423978 and abs(got.std() - 2) < 0.1 and abs(got.mean() - 1) < 0.1
    cut = theano.function([], srng.normal((4001,), truncate=True))()
    assert cut.shape == (4001,) and abs(cut).max() <= 2


def multinomial(p, u, n):
    counts = numpy.zeros_like(p)
    for trial in range(n):
        for row in range(len(p)):
            for outcome, total in enumerate(numpy.cumsum(p[row].astype("float64"))):
                if total > u[trial * len(p) + row]:
                    counts[row, outcome] += 1
                    break
    return counts


def choice(p, u, n):
    chosen = -numpy.ones((len(p), n), "int64")
    p = p.copy()
    for trial in range(n):
        for row in range(len(p)):
            total = 0.0
            for outcome in range(p.shape[1]):
                total += float(p[row, outcome])
                if total > u[trial * len(p) + row]:
                    chosen[row, trial] = outcome
                    p[row, outcome] = 0
                    p[row] /= p[row].sum()
                    break
    return chosen


@pytest.mark.parametrize("mode", MODES)
def test_multinomial_and_choice(mode):
    rng = numpy.random.RandomState(4)
    p = rng.uniform(0.1, 1, (8, 5))
    p /= p.sum(1, keepdims=True)
    u1, u3 = rng.uniform(0, 1, 8), rng.uniform(0, 1, 24)
    a, u = T.dmatrix(), T.dvector()
    counts = theano.function([a, u], [MultinomialFromUniform("int64")(a, u), MultinomialFromUniform("auto")(a, u)], mode=mode)(p, u1)
    assert counts[0].dtype == "int64" and counts[1].dtype == "float64"
    assert all(numpy.array_equal(one, multinomial(p, u1, 1)) for one in counts)
    assert numpy.array_equal(theano.function([a, u], MultinomialFromUniform("float32")(a, u, 3), mode=mode)(p, u3), multinomial(p, u3, 3))
    assert numpy.array_equal(theano.function([a, u], ChoiceFromUniform()(a, u, 3), mode=mode)(p, u3), choice(p, u3, 3))
    with pytest.raises(ValueError, match="unis.shape"):
        theano.function([a, u], MultinomialFromUniform("int64")(a, u), mode=mode)(p, u3)
    with pytest.raises(ValueError, match="without replacement"):
        theano.function([a, u], ChoiceFromUniform()(a, u, 6), mode=mode)(p, numpy.zeros(48))


def test_multinomial_of_streams():
    pvals = T.fmatrix("p")
    srng = MRG_RandomStreams(8)
    draws = [srng.multinomial(pvals=pvals), srng.multinomial(n=4, pvals=pvals), srng.choice(size=2, p=pvals, replace=False)]
    f = theano.function([pvals], draws)
    p = numpy.full((6, 4), 0.25, "float32")
    once, often, two = f(p)
    assert (once.sum(1) == 1).all() and (often.sum(1) == 4).all() and once.dtype == "int64"
    assert (two[:, 0] != two[:, 1]).all() and two.min() >= 0 and two.max() < 4
    assert not numpy.array_equal(once, f(p)[0])
    with pytest.warns(UserWarning, match="deprecated"):
        assert srng.multinomial_wo_replacement(n=2, pvals=pvals).ndim == 2
    for call, error in [(lambda: srng.multinomial(), TypeError), (lambda: srng.multinomial(size=(1,), pvals=pvals), ValueError),
                        (lambda: srng.choice(p=pvals), NotImplementedError), (lambda: srng.multinomial(pvals=T.vector()), NotImplementedError)]:
        with pytest.raises(error):
            call()


def test_seed_and_saved_states():
    srng = MRG_RandomStreams(17)
    f = theano.function([], [srng.uniform((5,)), srng.normal((3,))])
    first, second = f(), f()
    srng.seed()
    assert all(numpy.array_equal(a, b) for a, b in zip(first, f()))
    saved = pickle.loads(pickle.dumps([update[0].get_value() for update in srng.state_updates]))
    third = f()
    assert all(numpy.array_equal(a, b) for a, b in zip(second, third))
    for update, value in zip(srng.state_updates, saved):
        update[0].set_value(value)
    assert all(numpy.array_equal(a, b) for a, b in zip(second, f()))
    srng.seed(18)
    other = MRG_RandomStreams(18)
    assert numpy.array_equal(f()[0], theano.function([], other.uniform((5,)))())


def test_two_functions_share_a_stream():
    drawn = MRG_RandomStreams(2).uniform((3,))
    f, g = theano.function([], drawn), theano.function([], drawn * 2)
    still = theano.function([], drawn, no_default_updates=True)
    states = mrg31k3p.Streams(2).take(3)
    one = mrg31k3p.uniform(states, (3,))
    assert numpy.array_equal(still(), one) and numpy.array_equal(f(), one)
    assert numpy.array_equal(g(), 2 * mrg31k3p.uniform(states, (3,)))
    both = theano.function([], [drawn, drawn + 1])()
    assert numpy.array_equal(both[0] + 1, both[1])


def test_gradients_are_undefined():
    srng = MRG_RandomStreams(1234)
    low, p = T.scalar(), T.matrix()
    for drawn, wrt in [(srng.uniform((), low=low), low), (srng.normal((), avg=low), low), (srng.binomial((), p=low).astype("float64"), low)]:
        with pytest.raises(theano.gradient.NullTypeGradError):
            theano.grad(drawn, low)
    x = T.vector("x")
    mask = srng.binomial(x.shape, p=0.5, dtype="float64")
    value, slope = theano.function([x], [(x * mask).sum(), T.grad((x * mask).sum(), x)])(numpy.ones(64))
    assert value == slope.sum() and set(slope) <= {0.0, 1.0}


def test_dropout_mask_in_a_scan():
    x = T.matrix("x")
    srng = MRG_RandomStreams(33)
    sums, updates = theano.scan(lambda row: (row * srng.uniform((4,), nstreams=2)).sum(), sequences=x)
    states = mrg31k3p.Streams(33).take(2)
    for mode in ("FAST_RUN", "DebugMode"):
        f = theano.function([x], sums, updates=updates, mode=mode)
        data = numpy.arange(12.0).reshape(3, 4)
        for _ in range(2):
            expected = [(row * mrg31k3p.uniform(states, (4,))).sum() for row in data]
            assert numpy.allclose(f(data), expected, rtol=1e-12)
    assert numpy.array_equal(srng.state_updates[0][0].get_value(), states)


def test_pickled_function_and_expression():
    drawn = MRG_RandomStreams(6).uniform((2, 2))
    f = pickle.loads(pickle.dumps(theano.function([], drawn)))
    states = mrg31k3p.Streams(6).take(guess_n_streams((2, 2)))
    assert numpy.array_equal(f(), mrg31k3p.uniform(states, (2, 2)))
    again = pickle.loads(pickle.dumps(drawn))
    assert numpy.array_equal(theano.function([], again)(), mrg31k3p.uniform(mrg31k3p.Streams(6).take(4), (2, 2)))
