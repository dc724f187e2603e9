"""Every linker's name is accepted and gives the same values."""
import numpy
import pytest
import theano
import theano.tensor as T

LINKERS = ("py", "c", "cvm", "vm", "c|py", "cvm_nogc", "vm_nogc", "c|py_nogc")


@pytest.mark.parametrize("linker", LINKERS)
def test_linker(linker):
    x = T.dvector("x")
    f = theano.function([x], [T.exp(x) * 2 + x, T.nnet.sigmoid(x).sum()], mode=theano.Mode(linker=linker))
    value = numpy.linspace(-3, 3, 100)
    for _ in range(5):  # kernels take over in between
        y, total = f(value)
        numpy.testing.assert_allclose(y, numpy.exp(value) * 2 + value, rtol=1e-14)
        numpy.testing.assert_allclose(total, (1 / (1 + numpy.exp(-value))).sum())


def test_unknown_linker():
    with pytest.raises(ValueError, match="no linker called 'jit'; known are"):
        theano.Mode(linker="jit")
