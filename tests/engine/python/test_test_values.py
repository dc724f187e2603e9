"""Test values: off, ignore, warn, raise."""
import warnings

import numpy
import pytest
import theano
import theano.tensor as T
from theano.configparser import change_flags
from theano.sandbox.rng_mrg import MRG_RandomStreams
from theano.tensor.shared_randomstreams import RandomStreams


@pytest.fixture(params=["ignore", "warn", "raise"])
def on(request):
    with change_flags(compute_test_value=request.param):
        yield request.param


def test_off_computes_nothing():
    x = T.dvector("x")
    x.tag.test_value = numpy.ones(3)
    assert not hasattr((x * 2).tag, "test_value")


def test_values_travel_along(on):
    x, w = T.dvector("x"), theano.shared(numpy.arange(3.0))
    x.tag.test_value = numpy.ones(3)
    y = T.exp(x * 0) + w
    assert y.tag.test_value.tolist() == [1, 2, 3]
    assert (y.sum() * 2).tag.test_value == 12
    assert x.dimshuffle("x", 0).tag.test_value.shape == (1, 3)
    assert y[1:].tag.test_value.tolist() == [2, 3]
    assert T.dot(x, w).tag.test_value == 3
    assert theano.gof.op.get_test_value(y).tolist() == [1, 2, 3]


def test_gradients_have_test_values(on):
    x = T.dvector("x")
    x.tag.test_value = numpy.asarray([1.0, 2.0])
    assert T.grad((x ** 2).sum(), x).tag.test_value.tolist() == [2, 4]


def test_shape_mistakes_are_found_where_they_are_written(on):
    x, y = T.dvectors("x", "y")
    x.tag.test_value, y.tag.test_value = numpy.ones(3), numpy.ones(4)
    with pytest.raises(ValueError, match="mis-match"):
        x + y


def test_a_missing_value():
    x = T.dvector("x")
    with change_flags(compute_test_value="ignore"):
        assert not hasattr((x * 2).tag, "test_value")
    with change_flags(compute_test_value="warn"), warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert not hasattr((x * 2).tag, "test_value")
        assert any("test value" in str(w.message) for w in seen)
    with change_flags(compute_test_value="raise"):
        with pytest.raises((ValueError, AttributeError)) as caught:
            x * 2
    assert "test_test_values.py" in str(caught.value) and "x" in str(caught.value)


def test_a_value_of_the_wrong_type(on):
    x = T.dmatrix("x")
    x.tag.test_value = numpy.ones(3)
    with pytest.raises(TypeError, match="Wrong number of dimensions"):
        x * 2


def test_user_ops_run(on):
    @theano.as_op([T.dvector], [T.dvector])
    def twice(x):
        return x * 2
    x = T.dvector("x")
    x.tag.test_value = numpy.ones(2)
    assert twice(x).tag.test_value.tolist() == [2, 2]


def test_in_a_function(on):
    x = T.dvector("x")
    x.tag.test_value = numpy.ones(3)
    y = x * 2
    assert theano.function([x], y)([5.0]).tolist() == [10]


def test_print_test_value():
    x = T.dvector("x")
    x.tag.test_value = numpy.ones(2)
    with change_flags(print_test_value=True):
        assert "1." in repr(x)


def test_constants_and_shared_variables_need_no_tag(on):
    assert (theano.shared(2.0) * T.constant(3.0)).tag.test_value == 6


def test_no_test_value():
    with pytest.raises(AttributeError, match="no test value"):
        theano.gof.op.get_test_value(T.dvector("x"))


def test_bad_choice():
    with pytest.raises(ValueError):
        with change_flags(compute_test_value="sometimes"):
            pass


def test_in_a_loop_and_of_random_numbers(on):
    x, h = T.dmatrix("x"), T.dvector("h")
    x.tag.test_value, h.tag.test_value = numpy.ones((3, 2)), numpy.zeros(2)
    streams = MRG_RandomStreams(4)
    seen = []

    def step(row, before):
        seen.append((row.tag.test_value.shape, before.tag.test_value.shape))
        return before + row * streams.uniform((2,))
    values, _ = theano.scan(step, x, h)
    assert seen == [((2,), (2,))] and values.tag.test_value.shape == (3, 2)
    assert streams.multinomial(pvals=x / 2).tag.test_value.sum() == 3
    assert RandomStreams(1).normal(x.shape, ndim=2).tag.test_value.shape == (3, 2)
    if theano.config.compute_test_value == "raise":
        with pytest.raises(ValueError):
            theano.scan(lambda row, before: T.dot(before, x), x, h)


def test_clones_have_the_values_of_their_originals():
    """What they are given instead of an input needs none."""
    with theano.configparser.change_flags(compute_test_value="raise"):
        x, new = T.dvector("x"), T.dvector("new")
        x.tag.test_value = numpy.array([1.0, 2.0])
        y = T.exp(x) * 2
        copy = theano.clone(y, {x: new})
        numpy.testing.assert_array_equal((copy - y).tag.test_value, [0, 0])
        with pytest.raises(ValueError, match="missing default value"):
            new + 1
