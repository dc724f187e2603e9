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


def test_each_apply_is_tried_out_once_where_it_is_made(on):
    seen = []

    class Counted(theano.Op):
        __props__ = ()
        itypes, otypes = [T.dvector], [T.dvector]

        def perform(self, node, inputs, outputs):
            seen.append(1)
            outputs[0][0] = inputs[0] + 1

    x = T.dvector("x")
    x.tag.test_value = numpy.zeros(2)
    y = x
    for _ in range(10):
        y = Counted()(y)
    assert len(seen) == 10 and y.tag.test_value.tolist() == [10, 10]
    z = T.stack([y, y * 2])
    assert len(seen) == 10 and z.tag.test_value.tolist() == [[10, 10], [20, 20]]
    theano.function([x], z)
    assert len(seen) == 10


def test_what_was_built_before_the_flag_was_set():
    x, unknown = T.dvector("x"), T.dvector("unknown")
    x.tag.test_value = numpy.ones(2)
    before, missing = T.tile(x + 1, (2,)), unknown * 2
    with change_flags(compute_test_value="raise"):
        assert (before * 2).tag.test_value.tolist() == [4, 4, 4, 4]
        with pytest.raises(ValueError, match="input 0 .unknown."):
            missing + 1


def test_mistakes_are_found_inside_of_composed_functions(on):
    """Functions that build several applies, by the one that does not fit."""
    m, v = T.dmatrix("m"), T.dvector("v")
    m.tag.test_value, v.tag.test_value = numpy.ones((3, 4)), numpy.ones(3)
    for build, kind in ((lambda: T.nlinalg.matrix_inverse(m), numpy.linalg.LinAlgError),
                        (lambda: T.stack([m[0], v]), ValueError), (lambda: T.nnet.bn.batch_normalization_test(m, v, v, v, v), ValueError),
                        (lambda: T.tensordot(m, m, 1), ValueError), (lambda: T.nlinalg.matrix_dot(m, m), ValueError)):
        with pytest.raises(kind):
            build()


def test_the_insides_of_loops_need_none(on):
    """The engine builds them of variables of its own."""
    x, h = T.dmatrix("x"), T.dvector("h")
    x.tag.test_value, h.tag.test_value = numpy.ones((3, 2)), numpy.ones(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        states, _ = theano.scan(lambda row, before: T.tanh(row * before), x, h)
        slope = T.grad((states ** 2).sum(), h)
        second = T.grad(slope.sum(), h)
        forward = T.Rop(states, h, h)
    f = theano.function([x, h], [slope, second, forward])
    for made, wanted in zip((slope, second, forward), f(x.tag.test_value, h.tag.test_value)):
        numpy.testing.assert_allclose(made.tag.test_value, wanted)


def test_rewrites_of_scripts_have_a_flag_of_their_own():
    from theano.gof.opt import local_optimizer
    seen = []

    @local_optimizer([T.arcsinh])
    def to_square(node):
        if node.op == T.arcsinh:
            made = T.sqr(node.inputs[0])
            seen.append(hasattr(made.tag, "test_value"))
            return [made]
        return False

    mode = theano.Mode(optimizer=theano.gof.Query(include=["fast_compile"])).register((theano.tensor.opt.in2out(to_square, name="to_square"), 1.5))
    x = T.dvector("x")
    x.tag.test_value = numpy.ones(2)
    with change_flags(compute_test_value="raise"):
        y = T.arcsinh(x)
        del x.tag.test_value
        assert theano.function([x], y, mode=mode)([3.0]).tolist() == [9] and set(seen) == {False}
        assert theano.config.compute_test_value == "raise"
        x.tag.test_value = numpy.ones(2)
        seen.clear()
        with change_flags(compute_test_value_opt="ignore"):
            assert theano.function([x], y, mode=mode)([3.0]).tolist() == [9]
            assert len(seen) > 0


def test_an_earlier_error_of_an_op_is_not_taken_for_a_later_one():
    class Failing(theano.Op):
        __props__ = ()
        itypes, otypes = [T.dvector], [T.dvector]

        def perform(self, node, inputs, outputs):
            raise KeyError("of the op")

    x = T.dvector("x")
    x.tag.test_value = numpy.ones(2)
    with change_flags(compute_test_value="raise"):
        for _ in range(2):
            with pytest.raises(KeyError, match="of the op"):
                Failing()(x)
            with pytest.raises(ValueError, match="mis-match"):
                x + numpy.ones(3)
    from croton import _core
    with pytest.raises(ValueError, match="2 inputs, it was given 1 values"):
        _core.run_apply((x + x).owner, [numpy.ones(2)])


def test_what_was_built_without_is_not_tried_out_when_it_is_handed_on():
    with theano.config.change_flags(compute_test_value="off"):
        x = T.dvector("x")
        y = x * 2
    with theano.config.change_flags(compute_test_value="raise"):
        assert T.as_tensor_variable(y) is y
        with pytest.raises(ValueError, match="Cannot compute test value"):
            y + 1


@pytest.mark.parametrize("build, error", [
    (lambda x: T.opt.Assert("no")(x, T.eq(x.shape[0], 3)), AssertionError), (lambda x: T.specify_shape(x, (3,)), AssertionError),
    (lambda x: x[5], IndexError), (lambda x: T.dot(x, T.ones(3)), ValueError)])
def test_an_op_fails_on_test_values_as_it_does_in_a_function(build, error):
    x = T.dvector("x")
    with pytest.raises(error):
        build(x).eval({x: numpy.ones(2)})
    x.tag.test_value = numpy.ones(2)
    with change_flags(compute_test_value="raise"), pytest.raises(error):
        build(x)
