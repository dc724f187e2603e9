"""Ops written in Python that return views of their inputs or overwrite them."""
import numpy
import pytest
import theano
import theano.tensor as T


def test_view_map():
    class Tail(theano.Op):
        __props__ = ()
        view_map = {0: [0]}

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0][1:]

    x = T.dvector("x")
    f = theano.function([x], Tail()(x))
    a = numpy.arange(4.0)
    result = f(a)
    assert result.tolist() == [1, 2, 3]
    result[:] = 9
    assert a.tolist() == [0, 1, 2, 3]
    g = theano.function([x], Tail()(x) * 2)
    assert g(a).tolist() == [2, 4, 6]


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
def test_what_overwrites_a_view_overwrites_what_it_views(mode):
    class Reversed(theano.Op):
        __props__ = ()
        view_map = {0: [0]}

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0][::-1]

    class Halved(Reversed):
        view_map, destroy_map = {}, {0: [0]}

        def perform(self, node, inputs, outputs):
            outputs[0][0] = numpy.multiply(inputs[0], 0.5, inputs[0])

    state = theano.shared(numpy.arange(3.0))
    run = theano.function([], updates=[(state, Halved()(Reversed()(state)))], mode=mode)
    for wanted in ([1, 0.5, 0], [0, 0.25, 0.5], [0.25, 0.125, 0]):
        run()
        assert state.get_value().tolist() == wanted
    state.set_value(numpy.zeros(0))
    run()
    assert state.get_value().shape == (0,)


class AddOneInPlace(theano.Op):
    __props__ = ()
    destroy_map = {0: [0]}

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        inputs[0] += 1
        outputs[0][0] = inputs[0]


def test_destroy_map_of_an_intermediate():
    x = T.dvector("x")
    y = T.exp(x)
    f = theano.function([x], [AddOneInPlace()(y * 2)])
    numpy.testing.assert_allclose(f([0.0, 1.0])[0], 2 * numpy.exp([0, 1]) + 1)


def test_destroy_map_never_reaches_an_argument():
    x = T.dvector("x")
    a = numpy.arange(3.0)
    try:
        f = theano.function([x], AddOneInPlace()(x))
    except theano.gof.InconsistencyError:
        pass  # as Theano: the input is protected
    else:
        assert f(a).tolist() == [1, 2, 3]
    assert a.tolist() == [0, 1, 2]


def test_destroy_map_with_a_second_reader():
    x = T.dvector("x")
    y = T.exp(x)
    a = numpy.asarray([0.0, 1.0])
    f = theano.function([x], [AddOneInPlace()(y), y * 10])
    first, second = f(a)
    numpy.testing.assert_allclose(first, numpy.exp(a) + 1)
    numpy.testing.assert_allclose(second, numpy.exp(a) * 10)
