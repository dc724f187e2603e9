"""theano.typed_list, and breakpoints."""
import numpy
import pytest

import theano
import theano.tensor as T
from theano.tests.breakpoint import PdbBreakpoint
from theano.typed_list import (TypedListType, append, count, extend, getitem, index_, insert, length, make_list, remove, reverse)

MODES = ["FAST_RUN", "FAST_COMPILE", "DebugMode"]
A, B, C = numpy.ones((2, 2)), numpy.zeros((1, 3)), numpy.full((2, 1), 5.0)


def same(a, b):
    return len(a) == len(b) and all(numpy.array_equal(x, y) for x, y in zip(a, b))


@pytest.mark.parametrize("mode", MODES)
def test_lists(mode):
    xs, ys, x, i = TypedListType(T.dmatrix)("xs"), TypedListType(T.dmatrix)("ys"), T.dmatrix("x"), T.lscalar("i")
    f = theano.function([xs, ys, x, i], [append(xs, x), extend(xs, ys), insert(xs, i, x), remove(xs, x), reverse(xs), getitem(xs, i), xs[1:],
                                         length(xs), count(xs, x), index_(xs, x)], mode=mode)
    got = f([A, B, A], [C], A, 1)
    for made, wanted in zip(got[:5], [[A, B, A, A], [A, B, A, C], [A, A, B, A], [B, A], [A, B, A]]):
        assert same(made, wanted)
    assert numpy.array_equal(got[5], B) and same(got[6], [B, A]) and [int(one) for one in got[7:]] == [3, 2, 0]


def test_elements_belong_to_the_list():
    xs = TypedListType(T.dvector)("xs")
    x = T.dvector("x")
    given = numpy.ones(3)
    made = theano.function([xs, x], xs.append(x))([given], given)
    given[:] = 7
    assert same(made, [numpy.ones(3)] * 2)
    assert theano.function([x], (make_list([x, 2 * x])[1] + 1).sum())(numpy.ones(2)) == 6


def test_types():
    kind = TypedListType(T.fscalar)
    assert kind == TypedListType(T.fscalar) != TypedListType(T.dscalar) and str(kind) == "TypedList <TensorType(float32, scalar)>"
    assert TypedListType(T.fscalar, 2).get_depth() == 2 and kind().ttype == T.fscalar and TypedListType(T.fmatrix)().ndim == 3
    for call, error in [(lambda: TypedListType(None), TypeError), (lambda: TypedListType(T.fscalar, -1), ValueError),
                        (lambda: append(kind(), T.dscalar()), TypeError), (lambda: kind()[1.5], TypeError), (lambda: len(kind()), TypeError),
                        (lambda: make_list([T.dscalar(), T.fscalar()]), TypeError)]:
        with pytest.raises(error):
            call()
    xs = kind("xs")
    with pytest.raises(TypeError):
        theano.function([xs], length(xs))(3)


def test_breakpoint(monkeypatch, capsys):
    from theano.tests import breakpoint as module
    opened = []

    def change(*args):
        import sys
        opened.append(sys._getframe(1).f_locals["monitored"][0].tolist())
        sys._getframe(1).f_locals["monitored"][0][:] = 0
    monkeypatch.setattr(module.pdb, "set_trace", change)
    x, y = T.vector("x"), T.vector("y")
    error = (x - y) ** 2
    watched, given = PdbBreakpoint("too far")(T.gt(error.sum(), 100), error, x)
    f = theano.function([x, y], [watched, given, T.grad(watched.sum(), x)])
    assert f([10, 0], [10, 5])[0].tolist() == [0, 25] and not opened
    assert f([0, 0], [10, 5])[0].tolist() == [0, 0] and opened == [[100, 25]]
    assert "Conditional breakpoint 'too far' activated" in capsys.readouterr().out
    with pytest.raises(ValueError, match="scalar"):
        PdbBreakpoint("v")(x, x)
