"""theano.ifelse: one of two branches, and only that one."""
import io

import numpy
import pytest

import theano
import theano.tensor as T
from theano.ifelse import IfElse, ifelse

MODES = ["FAST_RUN", "FAST_COMPILE", "DebugMode"]


class Seen(theano.Op):
    """x, and notes that it ran."""
    __props__ = ("name",)

    def __init__(self, name, notes, shaped=True):
        self.name, self.notes, self.shaped = name, notes, shaped

    def make_node(self, x):
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        self.notes.append(self.name)
        outputs[0][0] = inputs[0].copy()

    def infer_shape(self, node, shapes):
        if not self.shaped:
            raise T.ShapeError()
        return shapes

    def grad(self, inputs, gradients):
        return gradients

    def do_constant_folding(self, node):
        return False


@pytest.mark.parametrize("shaped", [True, False])
@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
def test_only_what_is_chosen_runs(mode, shaped):
    notes = []
    a, b, x, y = T.scalar("a"), T.scalar("b"), T.matrix("x"), T.matrix("y")
    left = Seen("left 2", notes, shaped)(T.exp(Seen("left", notes, shaped)(x))).mean()
    right = Seen("right", notes, shaped)(y).mean()
    f = theano.function([a, b, x, y], ifelse(T.lt(a, b), left, right), mode=mode)
    data = numpy.ones((3, 4)), 2 * numpy.ones((2, 2))
    assert numpy.allclose(f(1, 2, *data), numpy.exp(1)) and notes == ["left", "left 2"]
    del notes[:]
    assert f(2, 1, *data) == 2 and notes == ["right"]


@pytest.mark.parametrize("shaped", [True, False])
def test_what_both_branches_need_runs(shaped):
    notes = []
    c, x = T.iscalar("c"), T.vector("x")
    shared = Seen("both", notes, shaped)(x)
    one, other, outside = (Seen(name, notes, shaped) for name in ("one", "other", "outside"))
    f = theano.function([c, x], [ifelse(c, one(shared), other(shared) * 2), outside(one(x + 1))])
    assert f(0, [1.0])[0].tolist() == [2] and sorted(notes) == ["both", "one", "other", "outside"]
    del notes[:]
    assert f(1, [1.0])[0].tolist() == [1] and sorted(notes) == ["both", "one", "one", "outside"]


@pytest.mark.parametrize("shaped", [True, False])
@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
def test_choices_in_branches(mode, shaped):
    notes = []
    c, d, x = T.iscalar("c"), T.iscalar("d"), T.vector("x")
    seen = {name: Seen(name, notes, shaped)(x * place) for place, name in enumerate(["cd", "c", "d", "none"], 1)}
    asked = Seen("asked", notes, shaped)(d)
    f = theano.function([c, d, x], ifelse(c, ifelse(asked, seen["cd"], seen["c"]), ifelse(d, seen["d"], seen["none"])), mode=mode)
    for given, ran, value in [((1, 1), ["asked", "cd"], 1), ((1, 0), ["asked", "c"], 2), ((0, 1), ["d"], 3), ((0, 0), ["none"], 4)]:
        del notes[:]
        assert f(*given, [1.0]).tolist() == [value] and sorted(notes) == sorted(ran)


@pytest.mark.parametrize("mode", MODES)
def test_values_of_many_kinds(mode):
    c = T.dscalar("c")
    x, y = T.vector("x"), T.vector("y")
    f = theano.function([c, x, y], [ifelse(c > 0, x, y), ifelse(c, T.outer(x, x), T.zeros((2, 3))), ifelse(T.lt(c, 0), x.sum(), y.sum())], mode=mode)
    a, b = numpy.arange(4.0), numpy.ones(4)
    for value in (-1.0, 0.0, 2.5):
        got = f(value, a, b)
        assert numpy.array_equal(got[0], a if value > 0 else b)
        assert numpy.array_equal(got[1], numpy.outer(a, a) if value else numpy.zeros((2, 3)))
        assert got[2] == (a.sum() if value < 0 else b.sum())
    assert f(1.0, a, numpy.ones(7))[0].shape == (4,) and f(-1.0, a, numpy.ones(7))[0].shape == (7,)
    # What is given back is nobody else's.
    got = f(1.0, a, b)[0]
    got[:] = 9
    assert a.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("mode", MODES)
def test_several_values_and_gradients(mode):
    c, x, y = T.iscalar("c"), T.vector("x"), T.vector("y")
    first, second = ifelse(c, [x ** 2, y * 3], (y + 1, x * y))
    cost = (first * 2).sum() + second.sum()
    f = theano.function([c, x, y], [first, second] + T.grad(cost, [x, y]), mode=mode)
    a, b = numpy.array([1.0, 2.0]), numpy.array([3.0, 4.0])
    for got, wanted in zip(f(1, a, b), [a ** 2, b * 3, 4 * a, [3, 3]]):
        assert numpy.allclose(got, wanted)
    for got, wanted in zip(f(0, a, b), [b + 1, a * b, b, 2 + a]):
        assert numpy.allclose(got, wanted)
    v = T.vector("v")
    forward = theano.function([c, x, v], T.Rop(ifelse(c, x ** 2, x * 3), x, v), mode=mode)
    assert forward(1, a, [1.0, 1.0]).tolist() == [2, 4] and forward(0, a, [1.0, 1.0]).tolist() == [3, 3]


def test_gradients_are_lazy():
    notes = []
    c, x = T.iscalar("c"), T.vector("x")
    cost = ifelse(c, Seen("left", notes)(T.tanh(x)), Seen("right", notes)(T.exp(x))).sum()
    f = theano.function([c, x], T.grad(cost, x))
    assert numpy.allclose(f(1, [0.5]), 1 - numpy.tanh(0.5) ** 2) and "right" not in notes
    del notes[:]
    assert numpy.allclose(f(0, [0.5]), numpy.exp(0.5)) and "left" not in notes


def test_what_cannot_work_in_the_other_branch_does_no_harm():
    c, x, y = T.iscalar("c"), T.matrix("x"), T.matrix("y")
    checked = T.opt.Assert("never")(x.sum(), T.lt(x.sum(), 0))
    f = theano.function([c, x, y], [ifelse(c, T.dot(x, y).sum(), x.sum()), ifelse(c, checked, x.max())])
    ones = numpy.ones((2, 3))
    assert f(0, ones, ones) == [6, 1]
    with pytest.raises(ValueError):
        f(1, ones, ones)


def test_kernels_keep_branches_apart():
    c, x = T.iscalar("c"), T.vector("x")
    f = theano.function([c, x], [ifelse(c, T.exp(x), T.sin(x)), x * 2], profile=True)
    f(1, [0.5])
    calls = {str(node.op): count for node, count in f.profile.apply_callcount.items()}
    f.profile = None
    assert sorted(calls.values()) == [0, 1, 1, 1], calls


def test_shared_variables_and_updates():
    w = theano.shared(numpy.arange(3.0), "w")
    c = T.iscalar("c")
    f = theano.function([c], w.sum(), updates=[(w, ifelse(c, w * 2, w))])
    for choice, after in [(1, [0, 2, 4]), (0, [0, 2, 4]), (1, [0, 4, 8])]:
        f(choice)
        assert w.get_value().tolist() == after


def test_in_a_scan():
    x = T.vector("x")
    steps, _ = theano.scan(lambda one: ifelse(T.lt(one, 0), -one, T.sqrt(one)), sequences=x)
    for mode in MODES:
        assert numpy.allclose(theano.function([x], steps, mode=mode)([4.0, -3.0, 0.25]), [2, 3, 0.5])


def test_in_a_stepped_mode():
    c, x = T.iscalar("c"), T.vector("x")
    mode = theano.compile.nanguardmode.NanGuardMode(nan_is_error=True, inf_is_error=True, big_is_error=True)
    f = theano.function([c, x], ifelse(c, T.log(x), x + 1), mode=mode)
    assert f(0, [-1.0]).tolist() == [0]
    with pytest.raises(AssertionError, match="NaN"):
        f(1, [-1.0])


def test_calls_that_are_counted_are_those_that_ran():
    c, x = T.iscalar("c"), T.matrix("x")
    f = theano.function([c, x], ifelse(c, T.dot(x, x).sum(), x.sum()), profile=True)
    for choice in (1, 0, 0):
        f(choice, numpy.ones((2, 2)))
    calls = {str(node.op): count for node, count in f.profile.apply_callcount.items()}
    assert calls["if{inplace}"] == 3 and calls["Dot22"] == 1, calls
    report = io.StringIO()
    f.profile.summary(report)
    assert "Dot22" in report.getvalue() and "if{inplace}" in theano.printing.debugprint(f, file="str")
    f.profile = None


def choices_of(f):
    return [node.op for node in f.maker.fgraph.toposort() if isinstance(node.op, IfElse)]


@pytest.mark.parametrize("mode", ["FAST_RUN", "DebugMode"])
def test_the_result_takes_the_memory_of_a_branch(mode):
    c, x = T.iscalar("c"), T.vector("x")
    value = numpy.arange(1.0, 5.0)
    y = T.exp(x)
    cases = [  # expression, its values, does it write over a branch?
        (ifelse(c, y + 1, T.sin(x) * 2), numpy.sin(value) * 2, numpy.exp(value) + 1, True),
        (ifelse(c, x, T.sin(x)), numpy.sin(value), value, True), (ifelse(c, x, x[::-1]), value[::-1], value, False),
        (ifelse(c, y, y[::-1]), numpy.exp(value[::-1]), numpy.exp(value), False), (ifelse(c, y, y[1:]), numpy.exp(value[1:]), numpy.exp(value), False),
        (ifelse(c, T.concatenate([y, y]), y * 2), 2 * numpy.exp(value), numpy.exp(numpy.tile(value, 2)), True),
        (ifelse(c, y, y * 3) + y, 4 * numpy.exp(value), 2 * numpy.exp(value), None),
    ]
    for expression, otherwise, then, over in cases:
        f = theano.function([c, x], expression, mode=mode)
        for choice in (0, 1, 1, 0):
            numpy.testing.assert_allclose(f(choice, value), then if choice else otherwise)
        if over is not None and mode == "FAST_RUN":
            assert [op.as_view for op in choices_of(f)] == [over]
            assert str(choices_of(f)[0]) == ("if{inplace}" if over else "if{}")
    f = theano.function([c, x], list(ifelse(c, [y, T.sin(x)], [T.cos(x), y + 1], name="two")) + [y], mode=mode)
    for choice in (0, 1):
        wanted = [numpy.exp(value), numpy.sin(value)] if choice else [numpy.cos(value), numpy.exp(value) + 1]
        for found, right in zip(f(choice, value), wanted + [numpy.exp(value)]):
            numpy.testing.assert_allclose(found, right)
    if mode == "FAST_RUN":
        assert [str(op) for op in choices_of(f)] == ["if{two,inplace}"]
        f = theano.function([c, x], cases[0][0], mode=theano.compile.get_default_mode().excluding("cond_make_inplace"))
        assert [str(op) for op in choices_of(f)] == ["if{}"]


@pytest.mark.parametrize("mode", ["FAST_RUN", "DebugMode"])
def test_a_shared_variable_that_changes_sometimes(mode):
    c = T.iscalar("c")
    state = theano.shared(numpy.arange(4.0))
    f = theano.function([c], [state.sum()], updates=[(state, ifelse(c, state * 2, state))], mode=mode)
    assert [float(f(choice)[0]) for choice in (0, 1, 1, 0, 0)] == [6, 6, 12, 24, 24]
    assert state.get_value().tolist() == [0, 4, 8, 12]


def test_arguments():
    c, x, i = T.iscalar("c"), T.vector("x"), T.ivector("i")
    with pytest.raises(TypeError, match="identical types"):
        ifelse(c, x, i)
    with pytest.raises(ValueError, match="same number"):
        ifelse(c, [x, x], [x])
    with pytest.raises(TypeError, match="scalar"):
        ifelse(x, x, x)
    assert isinstance(ifelse(c, [x], [x]), list) and isinstance(ifelse(c, (x,), (x,)), tuple)
    made = ifelse(c, x, 2 * x, name="here")
    assert isinstance(made.owner.op, IfElse) and str(made.owner.op) == "if{here}" and made.owner.op.name == "here"
    row = T.row("r")
    assert ifelse(c, T.matrix(), row).broadcastable == (False, False)
    assert theano.function([], ifelse(T.constant(0), T.constant(1.5), T.constant(2.5)))() == 2.5


def test_known_conditions_leave_one_branch():
    x = T.vector("x")
    f = theano.function([x], ifelse(T.constant(1), T.exp(x), T.sin(x)))
    assert [type(node.op).__name__ for node in f.maker.fgraph.toposort()] == ["Elemwise"]
    c = T.iscalar("c")
    g = theano.function([c, x], ifelse(c, ifelse(c, T.exp(x), T.sin(x)), T.cos(x)))
    assert sum(isinstance(node.op, IfElse) for node in g.maker.fgraph.toposort()) == 1
