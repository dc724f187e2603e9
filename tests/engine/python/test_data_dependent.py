"""Functions with sizes that are known only after something ran: interpreted apply by apply, on compiled kernels where layouts stay."""
import numpy
import theano
import theano.tensor as T
from croton import _core


def build():
    x = T.dmatrix("x")
    y = T.exp(x) * x + 3 * x - 1  # of a known size
    places = (y > 0).nonzero()
    return theano.function([x], [y, places[0], places[1], y[places].sum()], mode="FAST_RUN")


def check(f, value):
    y, rows, columns, total = f(value)
    wanted = numpy.exp(value) * value + 3 * value - 1
    numpy.testing.assert_allclose(y, wanted, rtol=1e-12)
    numpy.testing.assert_array_equal(numpy.stack([rows, columns]), numpy.stack(numpy.nonzero(wanted > 0)))
    numpy.testing.assert_allclose(total, wanted[wanted > 0].sum())


def test_what_keeps_its_size_is_compiled():
    f = build()
    value = numpy.random.RandomState(1).randn(30, 40)
    for _ in range(3):
        check(f, value)
    before = [array.copy() for array in f(value)]
    assert _core.function_compile_kernels(f) >= 1
    check(f, value)
    for mine, theirs in zip(f(value), before):  # the same bits on both tiers
        numpy.testing.assert_array_equal(mine, theirs)


def test_sizes_change_from_call_to_call():
    f = build()
    random = numpy.random.RandomState(2)
    for shape in [(3, 4), (3, 4), (3, 4), (7, 2), (0, 5), (1, 1), (3, 4), (3, 4), (3, 4), (3, 4)]:
        check(f, random.randn(*shape))


class Twice(theano.Op):
    """No infer_shape."""
    __props__ = ()

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = numpy.repeat(inputs[0], 2)


def test_an_op_without_infer_shape():
    x = T.dvector("x")
    y = Twice()(T.exp(x) + 2 * x)
    f = theano.function([x], y * y - 1 / y)
    value = numpy.linspace(1, 2, 50)
    wanted = numpy.repeat(numpy.exp(value) + 2 * value, 2)
    for _ in range(5):
        numpy.testing.assert_allclose(f(value), wanted * wanted - 1 / wanted)
    _core.function_compile_kernels(f)
    numpy.testing.assert_allclose(f(value), wanted * wanted - 1 / wanted)
