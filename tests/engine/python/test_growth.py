"""What is small in a script may be large in its graph: any number of operands, any depth, and a compile time that grows with the graph."""
import importlib.util
import subprocess
import sys
import time
from pathlib import Path

import numpy
import pytest
import theano
import theano.tensor as T
from croton import _core

spec = importlib.util.spec_from_file_location("growth", Path(__file__).parents[2] / "bench" / "growth.py")
growth = importlib.util.module_from_spec(spec)
spec.loader.exec_module(growth)


def both_tiers(f, *arguments):
    """What a function returns before its kernels are compiled, and after."""
    first = f(*arguments)
    _core.function_compile_kernels(f)
    return first, f(*arguments)


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
@pytest.mark.parametrize("n", [127, 128, 140, 1000])
def test_sums_of_any_number_of_inputs(n, mode):
    xs = T.fvectors(*["x%d" % k for k in range(n)])
    values = [numpy.asarray([k % 7 + 0.1, -k * 1e-3, k], "float32") for k in range(n)]
    expected = values[0]
    for value in values[1:]:
        expected = expected + value  # rounded from term to term
    for total in (T.add(*xs), sum(xs[1:], xs[0])):
        for result in both_tiers(theano.function(xs, total, mode=mode), *values):
            numpy.testing.assert_array_equal(result, expected)


def test_ten_thousand_operands():
    n = 10000
    xs = T.dvectors(*["x%d" % k for k in range(n)])
    values = [numpy.asarray([k % 7 + 0.25, -k]) for k in range(n)]
    both = theano.function(xs, [T.add(*xs), T.mul(*[1 + 1e-6 * x for x in xs]).sum()])
    total, product = both(*values)
    numpy.testing.assert_array_equal(total, numpy.sum(values, axis=0))
    numpy.testing.assert_allclose(product, numpy.prod(1 + 1e-6 * numpy.asarray(values), axis=0).sum(), rtol=1e-9)


@pytest.mark.parametrize("dtypes", [("int8", "int64"), ("float32", "float64"), ("bool", "int16"), ("float16", "float32"), ("float64", "complex128")])
def test_long_sums_of_two_dtypes(dtypes):
    n = 150
    xs = [T.vector(dtype=dtypes[k >= n // 2]) for k in range(n)]
    values = [numpy.asarray([k % 2, 1, k % 3 != 0]).astype(x.dtype) for k, x in enumerate(xs)]
    expected = numpy.sum([value.astype(dtypes[1]) for value in values], axis=0, dtype=dtypes[1])
    for result in both_tiers(theano.function(xs, T.add(*xs)), *values):
        assert result.dtype == dtypes[1]
        numpy.testing.assert_array_equal(result, expected)


def test_operands_of_many_layouts():
    n = 140
    rows, columns = T.matrices(*["r%d" % k for k in range(n)]), T.cols(*["c%d" % k for k in range(n)])
    values = [numpy.arange(12.0).reshape(4, 3).T + k for k in range(n)]
    ends = [numpy.arange(3.0)[:, None] * k for k in range(n)]
    total = T.add(*[r * c for r, c in zip(rows, columns)])
    f = theano.function(rows + columns, [total, total.sum(axis=0), total.max(axis=1)])
    expected = sum(v * e for v, e in zip(values, ends))
    for results in both_tiers(f, *(values + ends)):
        for result, right in zip(results, (expected, expected.sum(0), expected.max(1))):
            numpy.testing.assert_allclose(result, right, rtol=1e-12)


def test_penalty_over_many_parameters():
    ws = [theano.shared(numpy.full(3, 1.0 + k)) for k in range(140)]
    cost = sum(T.sqr(w).sum() for w in ws)
    step = theano.function([], cost, updates=[(w, w - 0.25 * g) for w, g in zip(ws, T.grad(cost, ws))])
    expected = sum(3 * (1.0 + k) ** 2 for k in range(140))
    assert [float(step()) for _ in range(3)] == [expected, expected / 4, expected / 16]


@pytest.mark.parametrize("steps", [80, 130])
def test_losses_over_time(steps):
    x, y, w = T.matrix("x"), T.matrix("y"), theano.shared(0.5)
    h, loss = x[0], 0
    for k in range(steps):
        h = T.tanh(h * w + x[k])
        loss = loss + ((h - y[k]) ** 2).mean()
    f = theano.function([x, y], [loss, T.grad(loss, w)])
    a, b = numpy.linspace(-1, 1, steps * 3).reshape(steps, 3), numpy.linspace(1, -1, steps * 3).reshape(steps, 3)

    def by_hand(w):
        h, loss = a[0], 0.0
        for k in range(steps):
            h = numpy.tanh(h * w + a[k])
            loss += ((h - b[k]) ** 2).mean()
        return loss
    for loss, gradient in both_tiers(f, a, b):
        numpy.testing.assert_allclose(loss, by_hand(0.5), rtol=1e-12)
        numpy.testing.assert_allclose(gradient, (by_hand(0.5 + 1e-6) - by_hand(0.5 - 1e-6)) / 2e-6, rtol=1e-6)


def seconds(build, n):
    """Of the compiling thread, the best of a few."""
    arguments = build(n)
    best, begin = float("inf"), time.perf_counter()
    while time.perf_counter() - begin < 0.02 or best == float("inf"):
        start = time.thread_time()
        theano.function(*arguments[:2], updates=arguments[2] if len(arguments) > 2 else None, mode="FAST_RUN", on_unused_input="ignore")
        best = min(best, time.thread_time() - start)
    return best


# What grows with the square is caught at 240 steps; what doubles with every step, before.
@pytest.mark.timing
@pytest.mark.parametrize("name", growth.FAMILIES)
def test_compile_time_grows_with_the_graph(name, bound):
    build = growth.FAMILIES[name]
    theano.function(*build(6)[:2], on_unused_input="ignore")  # what is done once
    for first, n in ((6, 9), (9, 12), (12, 18), (18, 24), (24, 48), (24, 240)):
        for attempt in range(4):  # somebody else's work may come in between
            before, now = seconds(build, first), seconds(build, n)
            what = "%s: %.2f ms for %d steps, %.2f ms for %d" % (name, before * 1e3, first, now * 1e3, n)
            print(what)
            if now <= 1.5 * before * (n / first) ** 1.3:
                break
        else:
            bound(False, what)


@pytest.mark.parametrize("name", ["flattened", "written elements"])
def test_products_that_others_read_are_not_opened_again_and_again(name, capsys):
    with theano.configparser.change_flags(optimizer_verbose=True):
        theano.function(*growth.FAMILIES[name](240)[:2], mode="FAST_RUN")
    assert capsys.readouterr().out.count("local_mul_canonizer") <= 2 * 240


@pytest.mark.parametrize("steps", [50, 6000])
def test_memory_is_written_over_however_much_follows(steps):
    x = T.dvector("x")
    shared = T.cumsum(x)
    follows = T.exp(shared)
    for _ in range(steps):
        follows = T.cumsum(follows)
    f = theano.function([x], [follows, T.cumsum(shared)])
    exponentials = [node.op for node in f.maker.fgraph.toposort() if isinstance(node.op, T.Elemwise)]
    assert [op.destroy_map for op in exponentials] == [{0: [0]}]


def test_a_game_of_life():
    x = T.lmatrix("x")

    def step(e):
        around = sum(T.roll(T.roll(e, i, axis=0), j, axis=1) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        return T.or_(T.eq(around, 3), T.and_(T.eq(around, 2), T.eq(e, 1))) * T.constant(1, dtype="int64")
    glider = numpy.zeros((8, 8), "int64")
    glider[[0, 1, 2, 2, 2], [1, 2, 0, 1, 2]] = 1
    f = theano.function([x], step(step(step(step(x)))))
    numpy.testing.assert_array_equal(f(glider), numpy.roll(numpy.roll(glider, 1, 0), 1, 1))


def test_rolls_shifts_and_reshapes_keep_their_values():
    x, y = T.matrix("x"), T.matrix("y")
    rolled, turned, shifted = x, x, x
    for k in range(12):
        rolled = T.roll(rolled, k + 1, axis=k % 2)
        turned = turned.reshape((turned.shape[1], turned.shape[0])) * 1.5
        shifted = T.concatenate([T.set_subtensor(shifted[0], y[0])[1:], y[:1]])
    a, b = numpy.arange(12.0).reshape(3, 4), numpy.full((1, 4), -1.0)
    right, moved = a, a
    for k in range(12):
        right = numpy.roll(right, k + 1, axis=k % 2)
        moved = numpy.concatenate([moved[1:], b])
    for results in both_tiers(theano.function([x, y], [rolled, turned, shifted]), a, b):
        numpy.testing.assert_array_equal(results[0], right)
        numpy.testing.assert_allclose(results[1], a * 1.5 ** 12)
        numpy.testing.assert_array_equal(results[2], moved)


def test_a_chain_of_a_hundred_thousand():
    """Nothing recurses: the stack of a thread is small here."""
    program = """
import resource, sys, threading
import numpy, theano, theano.tensor as T
def work():
    x = T.dvector("x")
    e = x
    for k in range(100000):
        e = T.sin(e) if k % 2 else e + 0.5
    g = T.grad(e.sum(), x)
    f = theano.function([x], [e, g])
    f(numpy.zeros(2))
    theano.printing.debugprint(e, file="str")
    theano.pp(e)
    del f, e, g
threading.stack_size(1 << 20)
thread = threading.Thread(target=work)
thread.start()
thread.join()
print("done")
"""
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.endswith("done\n"), done.stderr[-2000:]
