"""theano.tensor.shared_randomstreams: the numbers of numpy.random.RandomState, with Theano's seeds."""
import pickle
import sys

import numpy
import pytest

import theano
import theano.tensor as T
from theano.tensor import raw_random
from theano.tensor.raw_random import RandomFunction, random_state_type
from theano.tensor.shared_randomstreams import RandomStateSharedVariable, RandomStreams

MODES = ["FAST_RUN", "FAST_COMPILE", "DebugMode"]


def generators(seed, count):
    seeds = numpy.random.RandomState(seed)
    return [numpy.random.RandomState(int(seeds.randint(2 ** 30))) for _ in range(count)]


def draws_of(streams):
    """What each distribution draws, and what NumPy draws."""
    p = numpy.array([0.2, 0.3, 0.5])
    return [
        (streams.uniform((2, 2), low=-1, high=3), lambda r: r.uniform(-1, 3, (2, 2))),
        (streams.normal((7,), avg=2.0, std=0.5), lambda r: r.normal(2.0, 0.5, (7,))),
        (streams.binomial((5,), n=40, p=0.7), lambda r: r.binomial(40, 0.7, (5,))),
        (streams.random_integers((4, 3), low=-2, high=9), lambda r: numpy.array([r.randint(-2, 10) for _ in range(12)]).reshape(4, 3)),
        (streams.choice((6,), a=5), lambda r: r.choice(5, (6,))),
        (streams.choice((2,), a=3, replace=False, p=p), lambda r: r.choice(3, (2,), False, p)),
        (streams.poisson((3,), lam=4.0), lambda r: r.poisson(4.0, (3,))),
        (streams.permutation((2,), n=6), lambda r: numpy.array([r.permutation(6) for _ in range(2)])),
        (streams.permutation(n=5), lambda r: r.permutation(5)),
        (streams.multinomial((3,), n=7, pvals=p), lambda r: numpy.array([r.multinomial(7, p) for _ in range(3)])),
    ]


@pytest.mark.parametrize("mode", MODES)
def test_numbers_are_numpys(mode):
    drawn = draws_of(RandomStreams(234))
    references = generators(234, len(drawn))
    f = theano.function([], [variable for variable, _ in drawn], mode=mode)
    for _ in range(3):
        for got, (variable, reference), generator in zip(f(), drawn, references):
            expected = reference(generator)
            assert got.dtype == variable.dtype and got.shape == expected.shape and numpy.array_equal(got, expected)


@pytest.mark.parametrize("mode", MODES)
def test_sizes_from_arguments_and_symbols(mode):
    low, high, n = T.dvector("low"), T.dmatrix("high"), T.lscalar("n")
    streams = RandomStreams(9)
    drawn = [streams.uniform(low=low, high=high), streams.uniform((n, -1), low=low), streams.normal((n, 2)),
             streams.binomial(n=n, p=low / 10), streams.uniform(low.shape, ndim=1)]
    f = theano.function([low, high, n], drawn, mode=mode)
    a, b = numpy.array([1.0, 2.0, 3.0]), numpy.full((2, 3), 9.0)
    r = generators(9, 5)
    expected = [r[0].uniform(a, b), r[1].uniform(a, 1.0, (4, 3)), r[2].normal(0, 1, (4, 2)), r[3].binomial(4, a / 10), r[4].uniform(size=3)]
    for got, wanted in zip(f(a, b, 4), expected):
        assert got.shape == wanted.shape and numpy.array_equal(got, wanted)


def test_multinomial_of_rows():
    pvals = T.dmatrix("pvals")
    streams = RandomStreams(3)
    f = theano.function([pvals], [streams.multinomial(n=1, pvals=pvals), streams.multinomial((4, -1), n=2, pvals=pvals)])
    p = numpy.array([[0.1, 0.9], [0.5, 0.5], [0.7, 0.3]])
    r = generators(3, 2)
    one, many = f(p)
    assert numpy.array_equal(one, [r[0].multinomial(1, row) for row in p])
    assert numpy.array_equal(many, [[r[1].multinomial(2, row) for row in p] for _ in range(4)])


def test_shuffle_row_elements():
    x = T.dmatrix("x")
    streams = RandomStreams(12)
    shuffled = streams.shuffle_row_elements(x)
    f = theano.function([x], [shuffled, shuffled.permutation])
    data = numpy.arange(12.0).reshape(3, 4)
    got, order = f(data)
    (r,) = generators(12, 1)
    expected = [r.permutation(4) for _ in range(3)]
    assert numpy.array_equal(order, expected) and numpy.array_equal(got, [row[places] for row, places in zip(data, expected)])
    v = T.dvector()
    assert sorted(theano.function([v], streams.shuffle_row_elements(v))([3.0, 1.0, 2.0])) == [1, 2, 3]


def test_updates_and_states():
    streams = RandomStreams(234)
    u, v = streams.uniform((2, 2)), streams.normal((2, 2))
    f = theano.function([], u)
    still = theano.function([], v, no_default_updates=True)
    nearly_zeros = theano.function([], u + u - 2 * u)
    assert not numpy.array_equal(f(), f()) and numpy.array_equal(still(), still()) and not nearly_zeros().any()
    assert isinstance(u.rng, RandomStateSharedVariable) and u.update == streams.updates()[0] and u.rng.type == random_state_type
    # The value is a copy unless it is borrowed.
    state = u.rng.get_value(borrow=False)
    state.seed(89234)
    u.rng.set_value(state, borrow=True)
    assert numpy.array_equal(f(), numpy.random.RandomState(89234).uniform(size=(2, 2)))
    streams.seed(902340)
    r = generators(902340, 2)
    assert numpy.array_equal(f(), r[0].uniform(size=(2, 2))) and numpy.array_equal(still(), r[1].normal(size=(2, 2)))
    streams.seed()
    assert numpy.array_equal(f(), generators(234, 1)[0].uniform(size=(2, 2)))
    streams[u.rng] = numpy.random.RandomState(5)
    assert numpy.array_equal(f(), numpy.random.RandomState(5).uniform(size=(2, 2))) and streams[u.rng] is u.rng.get_value(borrow=True)
    assert streams.gen_seedgen.randint(2 ** 30) == numpy.random.RandomState(234).randint(2 ** 30, size=3)[2]


def test_states_can_be_saved_and_copied():
    streams = RandomStreams(1)
    f = theano.function([], streams.uniform((3,)))
    f()
    saved = pickle.loads(pickle.dumps([state.get_value() for state, _ in streams.state_updates]))
    second = f()
    for (state, _), value in zip(streams.state_updates, saved):
        state.set_value(value)
    assert numpy.array_equal(second, f())
    for (state, _), value in zip(streams.state_updates, saved):
        state.set_value(value)
    again = pickle.loads(pickle.dumps(f))
    assert numpy.array_equal(second, again()) and numpy.array_equal(second, f())
    other = f.copy()
    assert other() is not None


def test_state_is_drawn_from_in_place():
    streams = RandomStreams(7)
    f = theano.function([], streams.uniform((2,)))
    (node,) = f.maker.fgraph.toposort()
    assert node.op.inplace and node.op.destroy_map == {0: [0]} and str(node.op) == "RandomFunction{uniform}"
    assert node.op.fn is numpy.random.RandomState.uniform and node.op.outtype == T.dvector and node.op.ndim_added == 0
    slow = theano.function([], streams.uniform((2,)), mode="FAST_COMPILE")
    assert not slow.maker.fgraph.toposort()[0].op.inplace
    held = streams.state_updates[0][0].get_value(borrow=True)
    f()
    assert streams.state_updates[0][0].get_value(borrow=True) is held


@pytest.mark.parametrize("drawn", [lambda s: s.normal((10,)), lambda s: s.uniform((2, 5), low=-1, high=T.constant(3, dtype="int8")), lambda s: s.binomial((4,), n=9, p=0.3)])
def test_no_python_runs_around_few_numbers(drawn):
    f = theano.function([], drawn(RandomStreams(7)))
    f()
    called = []
    sys.setprofile(lambda frame, event, argument: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        f()
    finally:
        sys.setprofile(None)
    assert called == []


def test_draws_in_place_have_the_dtype_and_the_sizes_that_were_said():
    streams = RandomStreams(12)
    drawn = [streams.normal((3, 2), dtype="float32"), streams.binomial((5,), n=100, p=0.5, dtype="int8"), streams.uniform((2,), low=numpy.array([1.0, 2.0])),
             streams.poisson((4,), lam=numpy.float32(2.5), dtype="float64"), streams.uniform((0, 3)), streams.normal(())]
    r = generators(12, len(drawn))
    wanted = [r[0].normal(size=(3, 2)).astype("float32"), r[1].binomial(100, 0.5, 5).astype("int8"), r[2].uniform([1.0, 2.0], 1.0),
              r[3].poisson(2.5, 4).astype("float64"), numpy.zeros((0, 3)), numpy.array(r[5].normal())]
    for got, value in zip(theano.function([], drawn)(), wanted):
        assert got.dtype == value.dtype and got.shape == numpy.shape(value) and numpy.array_equal(got, value)
    with pytest.raises(ValueError, match="scale < 0"):
        theano.function([], streams.normal((2,), std=-1.0))()
    state = theano.shared(numpy.random.RandomState(1))
    for sizes, alpha, dimensions in (((2,), [1.0, 2.0], 2), ((1,), [1.0, 1.0, 1.0], 1)):
        op = RandomFunction("dirichlet", T.TensorType("float64", (False,) * dimensions), inplace=True)
        with pytest.raises(ValueError, match="Shape mismatch: the result of RandomFunction{dirichlet}"):
            after, sample = op(state, sizes, alpha)
            theano.function([], sample, updates=[(state, after)], accept_inplace=True)()


def test_draws_by_hand():
    state = random_state_type()
    after, drawn = raw_random.uniform(state, (4,))
    f = theano.function([theano.In(state, value=numpy.random.RandomState(55), update=after, mutable=True)], [drawn], accept_inplace=True)
    r = numpy.random.RandomState(55)
    assert numpy.array_equal(f()[0], r.uniform(size=4)) and numpy.array_equal(f()[0], r.uniform(size=4))
    # An argument that may not be changed is not.
    own = numpy.random.RandomState(3)
    g = theano.function([state], [after, drawn])
    (new, value), again = g(own), g(own)
    assert numpy.array_equal(value, again[1]) and numpy.array_equal(value, numpy.random.RandomState(3).uniform(size=4))
    assert numpy.array_equal(new.uniform(size=2), again[0].uniform(size=2))

    def twice(random, scale, size):
        return 2 * scale * random.uniform(size=size)
    made = RandomFunction(twice, T.dvector)(state, (3,), 0.5)[1]
    assert numpy.array_equal(theano.function([state], made)(numpy.random.RandomState(8)), numpy.random.RandomState(8).uniform(size=3))
    assert RandomFunction("uniform", T.dvector) == RandomFunction("uniform", T.dvector) != RandomFunction("normal", T.dvector)


def test_errors_name_what_is_wrong():
    streams = RandomStreams(2)
    x = T.dmatrix("x")
    with pytest.raises(ValueError, match="ndim should be equal to len"):
        streams.uniform((2, 2), ndim=3)
    with pytest.raises(ValueError, match="at least as big"):
        streams.uniform((2,), low=x)
    with pytest.raises(TypeError, match="just one permutation"):
        streams.permutation(ndim=2, n=3)
    with pytest.raises(ValueError, match="probabilities|sum"):
        theano.function([], streams.choice((2,), a=2, p=numpy.array([0.5, 0.9])))()
    with pytest.raises(theano.gradient.NullTypeGradError):
        T.grad(streams.normal((), avg=T.scalar("m")), streams.state_updates[-1][1].owner.inputs[2])
    y = streams.uniform((2, 2), low=x)
    with pytest.raises(theano.gradient.NullTypeGradError):
        T.grad(y.sum(), x)


@pytest.mark.parametrize("mode", MODES)
def test_in_a_scan(mode):
    x = T.dmatrix("x")
    streams = RandomStreams(41)
    sums, updates = theano.scan(lambda row: (row * streams.normal((3,))).sum(), sequences=x)
    f = theano.function([x], sums, updates=updates, mode=mode)
    (r,) = generators(41, 1)
    data = numpy.arange(12.0).reshape(4, 3)
    for _ in range(2):
        assert numpy.allclose(f(data), [(row * r.normal(size=3)).sum() for row in data], rtol=1e-12)


def test_printed_as_theano_does():
    f = theano.function([], RandomStreams(2).uniform((2,)) * 2)
    assert "RandomFunction{uniform}.1" in theano.printing.debugprint(f, file="str")
