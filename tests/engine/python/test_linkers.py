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


def test_every_apply_is_wrapped():
    """As old documentation steps through a function: a mode whose linker calls a function around each apply."""
    seen = []

    class PrintEverythingMode(theano.Mode):
        def __init__(self):
            def show(i, node, fn):
                seen.append((i, node, [cell[0] for cell in fn.inputs]))
                fn()
                seen.append([cell[0] for cell in fn.outputs])

            super().__init__(theano.gof.WrapLinkerMany([theano.gof.OpWiseCLinker()], [show]), optimizer="fast_run")

    x, w = T.dscalar("x"), theano.shared(1.0)
    f = theano.function([x], T.sqr(x) + w, updates=[(w, w + x)], mode=PrintEverythingMode().excluding("fusion"))
    assert f(3) == 10 and w.get_value() == 4
    assert [(i, str(node)) for i, node, _ in seen[::2]] == [(i, str(node)) for i, node in enumerate(f.maker.fgraph.toposort())]
    assert any(entry[2] == [3.0] and after == [9.0] for entry, after in zip(seen[::2], seen[1::2]))
    assert f(2) == 8
    mode = theano.Mode(theano.gof.WrapLinker([theano.gof.OpWiseCLinker(), theano.gof.PerformLinker()], lambda i, node, a, b: (a(), b())))
    assert theano.function([x], T.exp(x), mode=mode)(0) == 1


def test_a_linker_calls_back():
    seen = []

    def after(node, thunk, storage_map, compute_map):
        seen.append((str(node.op), storage_map[node.outputs[0]][0], compute_map[node.outputs[0]][0]))

    x = T.dvector("x")
    mode = theano.Mode(theano.gof.vm.VM_Linker(callback=after)).excluding("fusion", "inplace")
    numpy.testing.assert_array_equal(theano.function([x], T.exp(x) + 1, mode=mode)([0.0]), [2])
    assert [(name, value.tolist(), done) for name, value, done in seen] == [("Elemwise{exp,no_inplace}", [1.0], True),
                                                                            ("Elemwise{add,no_inplace}", [2.0], True)]
