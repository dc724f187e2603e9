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


def test_requests_have_all_their_fields_and_known_words():
    from croton import _core
    x = T.dvector("x")
    request = theano.function([x], x * 2).__dict__["_request"]
    assert type(_core.compile(request.but(name="again"))([1.0])) is numpy.ndarray
    with pytest.raises(TypeError, match="the fields of a Request are inputs, outputs"):
        request.but(output=[x])
    with pytest.raises(ValueError, match="the field on_unused_input cannot be 'shrug'"):
        _core.compile(request.but(on_unused_input="shrug"))
    with pytest.raises(ValueError, match="there is no linker 'cvn'"):
        _core.compile(request.but(mode=request.mode.but(linker="cvn")))
    with pytest.raises(TypeError, match="the field bare of a Request cannot be 'no'"):
        _core.compile(request.but(bare="no"))


@pytest.mark.parametrize("linker", [theano.gof.PerformLinker, theano.gof.CLinker, theano.gof.DualLinker, theano.gof.vm.VM_Linker])
def test_graphs_that_are_linked_by_hand(linker):
    x, y = T.dscalars("x", "y")
    assert linker().accept(theano.gof.FunctionGraph([x, y], [(x + y) * 2])).make_function()(1.0, 2.0) == 6
    both = linker().accept(theano.gof.FunctionGraph([x, y], [x + y, x - y]))
    assert both.make_function()(1.0, 2.0) == [3, -1]
    thunk, inputs, outputs = both.make_thunk()
    inputs[0].data, inputs[1].data = 4, 1
    thunk()
    assert [container.data for container in outputs] == [5, 3]
    from theano.scalar import float64
    a, b = float64("a"), float64("b")
    assert linker().accept(theano.gof.FunctionGraph([a, b], [a * b])).make_function()(3.0, 2.0) == 6
