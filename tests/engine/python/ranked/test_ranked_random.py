"""Random streams."""
import numpy
import pytest
import theano
import theano.tensor as T
from items import item, run, same
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams

BOTH = pytest.mark.parametrize("streams", [MRG_RandomStreams, RandomStreams])
MANY = 20000


def drawn(expression):
    return theano.function([], expression)()


@item(40, "theano.sandbox.rng_mrg.MRG_RandomStreams")
def test_mrg():
    """The numbers of Theano's MRG31k3p: a seed gives the same run, each call goes on."""
    from theano.sandbox.rng_mrg import MRG_RandomStreams as RandomStreams
    one, two = (theano.function([], RandomStreams(seed=1234).uniform((3,))) for _ in range(2))
    first = one()
    assert first.tolist() == two().tolist() and first.tolist() != one().tolist() and ((first > 0) & (first < 1)).all()


@item(155, "T.shared_randomstreams.RandomStreams")
def test_shared_streams():
    """NumPy's numbers; each draw has a state of its own, seed() starts again."""
    streams = T.shared_randomstreams.RandomStreams(seed=234)
    u = streams.uniform((2, 2))
    f = theano.function([], u)
    state = numpy.random.RandomState(int(numpy.random.RandomState(234).randint(2 ** 30)))
    same(f(), state.uniform(size=(2, 2)))
    same(f(), state.uniform(size=(2, 2)))
    streams.seed(234)
    same(f(), numpy.random.RandomState(int(numpy.random.RandomState(234).randint(2 ** 30))).uniform(size=(2, 2)))
    assert isinstance(u.rng.get_value(borrow=True), numpy.random.RandomState)
    frozen = theano.function([], u, no_default_updates=[u.rng])
    assert frozen().tolist() == frozen().tolist()


@item(60, "RandomStreams.binomial")
@BOTH
def test_binomial(streams):
    """Zeros and ones: masks of dropout; drawn once a call, however often it is used."""
    mask = streams(1).binomial(size=(MANY,), n=1, p=0.3)
    first, second = theano.function([], [mask, mask * 2])()
    assert set(first.tolist()) == {0, 1} and abs(first.mean() - 0.3) < 0.02 and (second == 2 * first).all()


@item(66, "RandomStreams.binomial(p=)")
@BOTH
def test_binomial_p(streams):
    """A number, or a probability for each element that is known as it runs: Gibbs sampling."""
    p = T.dmatrix()
    found = run([p], streams(2).binomial(size=p.shape, n=1, p=p), numpy.repeat([[0.0, 0.5, 1.0]], MANY, 0))
    assert abs(found.mean(0) - [0, 0.5, 1]).max() < 0.02 and found[:, 0].max() == 0 and found[:, 2].min() == 1


@item(73, "RandomStreams.binomial(dtype=)")
@BOTH
def test_binomial_dtype(streams):
    """The dtype of the mask."""
    for dtype in ("float32", "int32", theano.config.floatX):
        assert drawn(streams(3).binomial((4,), p=0.5, dtype=dtype)).dtype == dtype


@item(75, "RandomStreams.binomial(n=)")
def test_binomial_n():
    """How many trials: any number; of MRG_RandomStreams one, as in Theano, and the error says what to do for more."""
    found = drawn(RandomStreams(4).binomial((MANY,), n=10, p=0.5))
    assert abs(found.mean() - 5) < 0.1 and abs(found.var() - 2.5) < 0.15
    with pytest.raises(NotImplementedError, match="sum n draws with n=1"):
        MRG_RandomStreams(4).binomial((MANY,), n=10, p=0.5)


@item(106, "RandomStreams.binomial(size=)")
@BOTH
def test_binomial_size(streams):
    """Numbers, or the shape of another variable."""
    x = T.dmatrix()
    assert run([x], streams(5).binomial(size=x.shape, p=0.5), numpy.zeros((3, 4))).shape == (3, 4)
    assert drawn(streams(5).binomial(size=(2, 5), p=0.5)).shape == (2, 5)


@item(148, "RandomStreams.multinomial")
@BOTH
def test_multinomial(streams):
    """One of each row's classes, as a row with a one."""
    p = T.dmatrix()
    found = run([p], streams(6).multinomial(n=1, pvals=p), numpy.tile([0.2, 0.3, 0.5], (MANY, 1)))
    assert (found.sum(1) == 1).all() and abs(found.mean(0) - [0.2, 0.3, 0.5]).max() < 0.02


@item(149, "RandomStreams.multinomial(pvals=)")
@BOTH
def test_multinomial_pvals(streams):
    """From the graph: what a softmax gives; a class of probability one is always drawn."""
    x = T.dmatrix()
    found = run([x], streams(7).multinomial(pvals=T.nnet.softmax(x)), numpy.array([[0.0, 800.0], [800.0, 0.0]]))
    same(found, [[0, 1], [1, 0]])


@item(168, "RandomStreams.normal")
@BOTH
def test_normal(streams):
    """Mean zero and deviation one."""
    found = drawn(streams(8).normal((MANY,)))
    assert abs(found.mean()) < 0.03 and abs(found.std() - 1) < 0.03


@item(240, "RandomStreams.normal(avg=)")
@BOTH
def test_normal_avg(streams):
    """Another mean."""
    assert abs(drawn(streams(9).normal((MANY,), avg=5.0)).mean() - 5) < 0.05


@item(241, "RandomStreams.normal(std=)")
@BOTH
def test_normal_std(streams):
    """Another deviation."""
    assert abs(drawn(streams(10).normal((MANY,), avg=0.0, std=0.1)).std() - 0.1) < 0.005


@item(169, "RandomStreams.uniform")
@BOTH
def test_uniform(streams):
    """Between zero and one."""
    found = drawn(streams(11).uniform((MANY,)))
    assert found.min() >= 0 and found.max() < 1 and abs(found.mean() - 0.5) < 0.02 and abs(found.var() - 1 / 12) < 0.01


@item(242, "RandomStreams.uniform(dtype=)")
@BOTH
def test_uniform_dtype(streams):
    """float32 or float64."""
    assert drawn(streams(12).uniform((3,), dtype="float32")).dtype == numpy.float32


@item(243, "RandomStreams.uniform(high=)")
@BOTH
def test_uniform_high(streams):
    """Where it ends."""
    found = drawn(streams(13).uniform((MANY,), low=0.0, high=4.0))
    assert 3.9 < found.max() < 4


@item(244, "RandomStreams.uniform(low=)")
@BOTH
def test_uniform_low(streams):
    """Where it begins."""
    found = drawn(streams(14).uniform((MANY,), low=-2.0, high=0.0))
    assert -2 <= found.min() < -1.9 and found.max() < 0
