"""Functions with sizes that are known only after something ran: in stages, each by plans and kernels of its own."""
import os
import subprocess
import sys

import numpy
import pytest
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


class Named(theano.Op):
    """An op of a lambda on arrays, without infer_shape."""
    __props__ = ("name",)
    table = {}

    def __init__(self, name, function, outputs=1):
        self.name = name
        Named.table[name] = function

    def make_node(self, *inputs):
        inputs = [T.as_tensor_variable(x) for x in inputs]
        return theano.Apply(self, inputs, [T.TensorType(inputs[0].dtype, (False,) * inputs[0].ndim)()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = numpy.asarray(Named.table[self.name](*inputs))


def test_a_product_of_chosen_rows():
    x, w, y = T.dmatrix("x"), T.dvector("w"), T.dvector("y")
    rows = (y > 0).nonzero()
    p = T.nnet.sigmoid(T.dot(x[rows], w))
    cost = T.mean(T.sqr(p - y[rows]))
    f = theano.function([x, y, w], [cost, T.grad(cost, w), p])
    random = numpy.random.RandomState(3)
    for count in (20, 20, 20, 31, 20, 1, 20):
        a, b, v = random.randn(count, 5), random.randn(count), random.randn(5)
        b[0] = 1
        chosen, target = a[b > 0], b[b > 0]
        wanted = 1 / (1 + numpy.exp(-chosen.dot(v)))
        cost_, gradient, got = f(a, b, v)
        numpy.testing.assert_allclose(got, wanted)
        numpy.testing.assert_allclose(cost_, ((wanted - target) ** 2).mean())
        numpy.testing.assert_allclose(gradient, chosen.T.dot(2 * (wanted - target) * wanted * (1 - wanted)) / len(target))


def test_masks_read_and_write():
    x = T.dmatrix("x")
    f = theano.function([x], [x[x > 0], T.set_subtensor(x[(x < 0).nonzero()], 0), x[x.sum(axis=1) > 0]])
    for shape in ((3, 4), (3, 4), (1, 1), (0, 3), (5, 2)):
        a = numpy.random.RandomState(4).randn(*shape)
        kept = a.copy()
        chosen, cut, rows = f(a)
        numpy.testing.assert_array_equal(chosen, a[a > 0])
        numpy.testing.assert_array_equal(cut, numpy.maximum(a, 0))
        numpy.testing.assert_array_equal(rows, a[a.sum(axis=1) > 0])
        numpy.testing.assert_array_equal(a, kept)


def test_two_cuts_one_behind_the_other():
    x = T.dvector("x")
    large = T.exp(x)[(T.exp(x) > 1).nonzero()]
    larger = (large * 2)[(large > 3).nonzero()]
    f = theano.function([x], [T.sum(larger), larger + large.shape[0], T.sum(x * x)])
    for size in (50, 50, 7, 50):
        a = numpy.random.RandomState(size).randn(size)
        b = numpy.exp(a)[numpy.exp(a) > 1]
        c = (b * 2)[b > 3]
        total, values, squares = f(a)
        numpy.testing.assert_allclose(total, c.sum())
        numpy.testing.assert_allclose(values, c + len(b))
        numpy.testing.assert_allclose(squares, (a * a).sum())


def test_what_a_cut_made_is_returned_and_not_overwritten():
    x = T.dvector("x")
    made = Named("evens", lambda a: a[::2].copy())(x * 2)
    f = theano.function([x], [made, T.exp(made) + 1, made * 3])
    a = numpy.arange(5.0)
    first = f(a)
    numpy.testing.assert_allclose(first[0], [0, 4, 8])
    numpy.testing.assert_allclose(first[1], numpy.exp([0, 4, 8]) + 1)
    numpy.testing.assert_allclose(first[2], [0, 12, 24])
    second = f(a + 1)
    numpy.testing.assert_allclose(first[0], [0, 4, 8])
    numpy.testing.assert_allclose(second[0], [2, 6, 10])
    assert not any(numpy.shares_memory(p, q) for p in first for q in second)
    assert not numpy.shares_memory(first[0], first[1]) and not numpy.shares_memory(first[0], a)


def test_an_op_that_gives_an_array_it_may_not_share():
    kept = numpy.ones(3)
    frozen = numpy.arange(3.0)
    frozen.flags.writeable = False
    x = T.dvector("x")
    wide = Named("wide", lambda a: numpy.broadcast_to(a[:1], (4,)))(x)
    same = Named("frozen", lambda a: frozen)(x)
    f = theano.function([x], [T.exp(wide) - T.arange(4), T.sqrt(same + 1)])
    for _ in range(3):
        got, other = f(kept)
        numpy.testing.assert_allclose(got, numpy.e - numpy.arange(4))
        numpy.testing.assert_allclose(other, numpy.sqrt([1, 2, 3]))
        assert frozen.tolist() == [0, 1, 2] and kept.tolist() == [1, 1, 1]


def test_a_random_state_goes_through():
    class Draw(theano.Op):
        __props__ = ()

        def make_node(self, state, count):
            return theano.Apply(self, [state, count], [state.type(), T.dvector()])

        def perform(self, node, inputs, outputs):
            state, count = inputs
            outputs[0][0] = state
            outputs[1][0] = numpy.asarray(state.uniform(size=int(count)))
    state = theano.gof.generic("state")
    n = T.lscalar("n")
    _, drawn = Draw()(state, n + 1)
    f = theano.function([state, n], [T.log(drawn) * 2 + drawn, n * 2])
    mine, reference = numpy.random.RandomState(7), numpy.random.RandomState(7)
    for count in (3, 3, 5, 3):
        values, twice = f(mine, count)
        wanted = reference.uniform(size=count + 1)
        numpy.testing.assert_allclose(values, numpy.log(wanted) * 2 + wanted)
        assert twice == 2 * count


def test_shared_variables_behind_a_cut():
    x = T.dvector("x")
    w, steps = theano.shared(numpy.ones(3), "w"), theano.shared(0, "steps")
    gain = x[(x > 0).nonzero()].sum()
    f = theano.function([x], [w.sum(), gain], updates=[(w, w * 0.5 + gain), (steps, steps + 1)])
    value = numpy.ones(3)
    for a in ([1.0, -2.0], [3.0], [-1.0, -1.0], [2.0, 5.0]):
        total, got = f(a)
        assert total == value.sum() and got == sum(v for v in a if v > 0)
        value = value * 0.5 + got
        numpy.testing.assert_allclose(w.get_value(), value)
    assert steps.get_value() == 4


def test_an_error_behind_a_cut():
    x, y = T.dvectors("x", "y")
    w = theano.shared(numpy.zeros(2), "w")
    part = x[(x > 0).nonzero()]
    f = theano.function([x, y], part + y, updates=[(w, w + 1)])
    assert f([1, -1, 2], [10, 20]).tolist() == [11, 22]
    assert w.get_value().tolist() == [1, 1]
    with pytest.raises(ValueError) as caught:
        f([1, 1, 2], [10, 20])
    text = str(caught.value)
    assert "Apply node that caused the error: Elemwise" in text and "(3,)" in text and "(2,)" in text and "Toposort index: " in text
    assert (w.get_value() == 1).all() or "may have changed before the error: w" in text
    assert f([1, -1, 2], [10, 20]).tolist() == [11, 22]

    def fails(a):
        raise KeyError("in the middle")
    g = theano.function([x], T.exp(Named("fails", fails)(T.exp(x))))
    with pytest.raises(KeyError) as caught:
        g([1.0])
    assert "in the middle" in str(caught.value) and "Inputs shapes: [(1,)]" in str(caught.value)


def test_a_function_calls_itself_from_within():
    box = []
    x = T.dvector("x")
    f = theano.function([x], T.exp(Named("calls", lambda a: box[0](a) if box else a)(x * 2)))
    assert f([0.0]) == 1
    box.append(f)
    with pytest.raises(RuntimeError):
        f([0.0])
    box.clear()
    assert f([0.0]) == 1


def test_borrowed_outputs_and_mutable_inputs():
    x = T.dvector("x")
    w = theano.shared(numpy.arange(3.0), "w", borrow=True)
    part = x[(x > 0).nonzero()]
    f = theano.function([theano.In(x, mutable=True)], [theano.Out(w, borrow=True), theano.Out(part, borrow=True), x * 2])
    a = numpy.array([1.0, -1.0, 3.0])
    for _ in range(3):
        kept, chosen, twice = f(a.copy())
        assert kept.tolist() == [0, 1, 2] and chosen.tolist() == [1, 3] and twice.tolist() == [2, -2, 6]


def test_an_op_that_overwrites_a_constant_or_a_merged_value():
    class Halve(theano.Op):
        __props__ = ()
        destroy_map = {0: [0]}

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

        def perform(self, node, inputs, outputs):
            inputs[0][...] *= 0.5
            outputs[0][0] = inputs[0]
    x = T.dvector("x")
    constant = T.exp(T.constant(numpy.zeros(2)))
    f = theano.function([x], [Halve()(constant) + x[:2], constant, Halve()(T.exp(x)) * 1.5, T.exp(x)])
    for _ in range(3):
        halves, ones, quarters, powers = f([0.0, 0.0, 0.0])
        assert halves.tolist() == [0.5, 0.5] and ones.tolist() == [1, 1]
        assert quarters.tolist() == [0.75] * 3 and powers.tolist() == [1, 1, 1]


def test_every_apply_is_counted():
    x = T.dmatrix("x")
    part = T.exp(x)[(x > 0).nonzero()]
    f = theano.function([x], [T.sum(part * part), T.sum(x)], profile=True)
    for size in (3, 3, 4, 3, 2):
        f(numpy.random.RandomState(size).randn(size, size))
    statistics = _core.function_statistics(f)
    assert statistics["calls"] == 5
    assert len(statistics["applies"]) == len(f.maker.fgraph.toposort())
    assert all(calls == 5 for calls, _ in statistics["applies"])
    assert sum(seconds for _, seconds in statistics["applies"]) <= statistics["call_time"]


def test_after_a_fork():
    program = """
import os, sys, numpy, theano, theano.tensor as T
x = T.dvector("x")
part = T.exp(x)[(x > 0).nonzero()]
f = theano.function([x], T.sum(part * part))
a = numpy.linspace(-1, 1, 1000)
wanted = f(a)
child = os.fork()
if child == 0:
    os._exit(0 if abs(f(a) - wanted) < 1e-9 and abs(f(a[:500]) - 0) < 1e-9 else 3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert f(a) == wanted
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60, env=dict(os.environ, CROTON_COMPILE_WAIT="1"))


def test_checking_modes_see_every_apply():
    x = T.dvector("x")
    part = T.exp(x)[(x > 0).nonzero()]
    seen = []
    mode = theano.compile.MonitorMode(post_func=lambda i, node, fn: seen.append(i))
    f = theano.function([x], T.sum(part * 2), mode=mode)
    assert abs(f([0.0, 1.0]) - 2 * numpy.e) < 1e-12
    assert seen == list(range(len(f.maker.fgraph.toposort())))
    for checking in ("DebugMode", "NanGuardMode"):
        g = theano.function([x], T.sum(part * 2), mode=checking)
        assert abs(g([0.0, 1.0]) - 2 * numpy.e) < 1e-12
    with pytest.raises(AssertionError, match="NaN"):
        theano.function([x], T.log(part - 100), mode="NanGuardMode")([1.0])
