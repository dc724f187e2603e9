"""What rewrites put into each other has one constant a product and one a sum."""
import numpy
import pytest
import theano
import theano.tensor as T

x, y, z, f = T.dvector("x"), T.dvector("y"), T.dmatrix("z"), T.fvector("f")
sigmoid = T.nnet.sigmoid
MODE = theano.compile.get_mode("FAST_RUN").excluding("fusion", "inplace")


def constants_that_meet(node):
    """How many numbers an apply has, those of applies of its kind that only it reads among them."""
    count = 0
    for term in node.inputs:
        if isinstance(term, theano.Constant):
            count += 1
        elif term.owner is not None and term.owner.op == node.op and len(term.clients) == 1:
            count += constants_that_meet(term.owner)
    return count


@pytest.mark.parametrize("expression, reference", [
    (3.7 * T.log(sigmoid(x)), lambda v: -3.7 * numpy.logaddexp(0, -v)),
    (-(3.7 * T.log(1 - sigmoid(x))), lambda v: 3.7 * numpy.logaddexp(0, v)),
    (2.5 * T.log(T.sqrt(T.exp(x))), lambda v: 1.25 * v),
    (2 * T.log(T.sqrt(x * x + 1)), lambda v: numpy.log(v * v + 1)),
    (T.log2(sigmoid(x)), lambda v: -numpy.logaddexp(0, -v) / numpy.log(2)),
    (3.7 * T.log(sigmoid(x) ** 1.5), lambda v: -5.55 * numpy.logaddexp(0, -v)),
    (3.7 + T.log((T.exp(x) + T.exp(2 * x)) / 2), lambda v: 3.7 + numpy.logaddexp(v, 2 * v) - numpy.log(2)),
    (0.5 + T.log(2 * T.sum(T.exp(x))), lambda v: 0.5 + numpy.log(2) + numpy.log(numpy.exp(v).sum())),
], ids=str)
def test_constants_of_nested_terms_are_one(expression, reference):
    compiled = theano.function([x], expression, mode=MODE)
    for node in compiled.maker.fgraph.toposort():
        if node.op in (T.mul, T.add):
            assert constants_that_meet(node) <= 1, theano.printing.debugprint(compiled, file="str")
    values = numpy.array([-2.0, -0.3, 0.0, 0.7, 3.0])
    numpy.testing.assert_allclose(compiled(values), reference(values), rtol=1e-12, atol=1e-15)


def test_the_number_is_rounded_once():
    third = numpy.float32(0.1) * numpy.float64(3)
    compiled = theano.function([f], numpy.float32(0.1) * T.log(sigmoid(f)) * 3, mode=MODE)
    number, = [term for node in compiled.maker.fgraph.toposort() if node.op == T.mul for term in node.inputs if isinstance(term, theano.Constant)]
    assert number.dtype == "float32" and float(number.data.ravel()[0]) == -float(numpy.float32(third))


def test_what_others_read_stays():
    inner = T.log(T.sqrt(T.exp(x) + 1))
    compiled = theano.function([x], [inner, 3 * inner], mode=MODE)
    values = numpy.array([-1.0, 2.0])
    numpy.testing.assert_allclose(compiled(values)[1], 1.5 * numpy.logaddexp(0, values))
    assert sum(node.op == T.mul for node in compiled.maker.fgraph.toposort()) == 2


def test_whole_numbers_are_exact():
    n = T.lvector("n")
    large = 2 ** 53 + 1
    compiled = theano.function([n], -(large * n) * 3, mode=MODE)
    assert compiled(numpy.array([1]))[0] == -3 * large
    assert theano.function([n], large * (-n), mode=MODE)(numpy.array([1]))[0] == -large
