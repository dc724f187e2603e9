"""Loops over small arrays as one kernel: the bits of the same loop step by step, modes that look at steps, interrupts and errors."""
import io
import os
import re
import signal
import subprocess
import sys
import threading

os.environ["CROTON_COMPILE_WAIT"] = "1"  # the first call has its kernel

import numpy
import pytest

import theano
import theano.tensor as T

KERNEL, STEPS = theano.Mode(optimizer="fast_run"), theano.Mode(optimizer="fast_run").excluding("croton_loop_in_one_kernel")
FEW, MANY = 5, 300


def loop_of(f):
    return next(node.op for node in f.maker.fgraph.toposort() if type(node.op).__name__ == "Scan")


def compare(inputs, outputs, values, exact=True):
    """With the rewrite and without it."""
    with_kernel, by_steps = (theano.function(inputs, outputs, mode=mode, on_unused_input="ignore") for mode in (KERNEL, STEPS))
    got, wanted = with_kernel(*values), by_steps(*values)
    assert not theano.compile.kernels.failures()
    for one, other in zip(got, wanted):
        if exact:
            assert numpy.array_equal(one, other, equal_nan=True), (one, other)
        else:
            assert numpy.allclose(one, other, rtol=1e-9 if one.dtype == numpy.float64 else 1e-4, equal_nan=True)
        assert one.dtype == other.dtype and one.shape == other.shape


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "bool"])
@pytest.mark.parametrize("steps", [0, 1, FEW, MANY])
def test_numbers(dtype, steps):
    x, a = T.vector("x", dtype=dtype), T.scalar("a", dtype=dtype)
    step = (lambda r, h, a: T.cast(h * a + r, dtype)) if dtype != "bool" else (lambda r, h, a: T.and_(T.or_(h, r), T.invert(a)))
    h = theano.scan(step, sequences=x, outputs_info=T.constant(numpy.zeros((), dtype)), non_sequences=a)[0]
    random = numpy.random.RandomState(1)
    value = (random.randn(steps) * 3).astype(dtype)
    compare([x, a], [h], [value, numpy.asarray(0.5 if dtype.startswith("float") else 3).astype(dtype)])


@pytest.mark.parametrize("steps", [3, MANY])
def test_taps_traces_and_last_steps(steps):
    x = T.dvector("x")
    first = T.constant(numpy.array([0.5, -0.25, 1.0]))
    (h, g, out), _ = theano.scan(lambda r, r2, h3, h1, g: (0.3 * h3 - 0.2 * h1 + r, T.tanh(g * r2) + h1, h3 * g),
                                 sequences=dict(input=x, taps=[0, 1]), outputs_info=[dict(initial=first, taps=[-3, -1]), numpy.float64(0.1), None])
    values = [numpy.random.RandomState(2).randn(steps + 1)]
    compare([x], [h, g, out], values)
    compare([x], [h[-1], g[-2:], out[-1]], values)


@pytest.mark.parametrize("size", [1, 3, 7, 20, 200])
def test_vectors(size):
    x, b = T.dmatrix("x"), T.dvector("b")
    random = numpy.random.RandomState(3)

    def step(r, h, b):
        z = T.exp(-h * h) + b * r
        return T.set_subtensor(z[0], z.sum() / size - z.max()) + T.concatenate([h[1:], h[:1]]) * z.min()

    h = theano.scan(step, sequences=x, outputs_info=b, non_sequences=b)[0]
    compare([x, b], [h, h[-1]], [random.randn(50, size), random.randn(size)])
    compare([x, b], [h], [random.randn(50, size)[::-2], random.randn(2 * size)[::2]])


@pytest.mark.parametrize("m", [1, 2, 5, 12, 40])
def test_products(m):
    A, P = T.dmatrix("A"), T.dmatrix("P")
    random = numpy.random.RandomState(4)
    step = lambda v, P, A: (T.tanh(T.dot(A, v) + T.dot(v, P)), T.dot(T.dot(A, P), A.T) + T.outer(v, v))
    (v, p), _ = theano.scan(step, outputs_info=[T.ones_like(A[0]), P], non_sequences=A, n_steps=20)
    compare([A, P], [v, p[-1]], [random.randn(m, m) * 0.3 / m, random.randn(m, m)], exact=False)


def test_gradients():
    x, a = T.dvector("x"), T.dvector("a")
    h = theano.scan(lambda r, h1, h2, a: a[0] * T.tanh(h1) + a[1] * h2 * r + a[2], sequences=x,
                    outputs_info=dict(initial=T.constant(numpy.array([0.1, 0.2])), taps=[-1, -2]), non_sequences=a)[0]
    values = [numpy.random.RandomState(5).randn(MANY), numpy.array([0.4, 0.2, 0.1])]
    compare([x, a], T.grad((h ** 2).sum(), [x, a]), values)
    compare([x, a], T.grad(h[-1], [x, a]), values)


def test_until():
    n, limit = T.lscalar("n"), T.dscalar("limit")
    h = theano.scan(lambda h, limit: (h * 2 + 1, theano.scan_module.until(h > limit)), outputs_info=numpy.float64(0), non_sequences=limit,
                    n_steps=n)[0]
    for most in [1, 2, 7, 64, 1000]:
        for bound in [-1.0, 0.5, 30.0, 1e12, 1e300]:
            compare([n, limit], [h], [most, bound]) if (most, bound) in ((1000, 1e12), (7, 30.0)) else None
            f = theano.function([n, limit], h, mode=KERNEL)
            wanted, state = [], 0.0
            for _ in range(most):
                before, state = state, state * 2 + 1
                wanted.append(state)
                if before > bound:
                    break
            assert numpy.array_equal(f(most, bound), wanted)


def test_what_a_kernel_cannot_do_runs_by_itself():
    x, s = T.dmatrix("x"), T.dvector("s")
    h = theano.scan(lambda r, h: T.sort(h) * 0.5 + T.nlinalg.matrix_inverse(T.diag(T.exp(r))).sum(axis=0) + h[::-1], sequences=x,
                    outputs_info=s)[0]
    random = numpy.random.RandomState(6)
    compare([x, s], [h], [random.randn(40, 4), random.randn(4)])


def test_the_rewrite_can_be_left_out():
    x = T.dvector("x")
    h = theano.scan(lambda r, h: h * r, sequences=x, outputs_info=numpy.float64(1))[0]
    first, second = (theano.function([x], h, mode=mode) for mode in (KERNEL, STEPS))
    assert str(loop_of(first)) == str(loop_of(second))
    assert numpy.array_equal(first([1.0, 2.0]), second([1.0, 2.0]))


def test_an_interrupt_ends_it():
    n = T.lscalar("n")
    f = theano.function([n], theano.scan(lambda h: h * 0.999 + 1, outputs_info=numpy.float64(0), n_steps=n)[0][-1], mode=KERNEL)
    f(1)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        f(1 << 45)
    assert f(1) == 1


def test_an_error_names_the_apply():
    x, s = T.dvector("x"), T.dmatrix("s")
    h = theano.scan(lambda r, h: T.nlinalg.matrix_inverse(h) * r, sequences=x, outputs_info=s)[0]
    f = theano.function([x, s], h, mode=KERNEL)
    good = numpy.eye(2)
    assert numpy.array_equal(f(numpy.ones(20), good)[-1], good)
    with pytest.raises(ValueError) as told:
        f(numpy.array([1.0] * 10 + [0.0] + [1.0] * 10), good)
    assert "MatrixInverse" in str(told.value)


def test_errors_are_those_of_steps():
    """The apply, and the values that it was given, among them one that only the kernel has."""
    x, s = T.ivector("x"), T.dvector("s")
    h = theano.scan(lambda r, h: T.tanh(h) + h[T.stack([r, r * 0 + 1])][0], sequences=x, outputs_info=s)[0]
    texts = []
    for mode in (KERNEL, STEPS):
        f = theano.function([x, s], h, mode=mode)
        with pytest.raises(ValueError) as told:
            f(numpy.array([1] * 20 + [7, 2], dtype="int32"), numpy.ones(3))
        texts.append(re.sub("0x[0-9a-f]+", "", str(told.value)))
        assert numpy.isfinite(f(numpy.ones(30, "int32"), numpy.ones(3))).all()
    assert texts[0] == texts[1]
    assert "index 7 is out of bounds" in texts[0] and "[7 1]]" in texts[0]


def test_a_loop_in_a_loop():
    x, n = T.dvector("x"), T.lscalar("n")
    inner = lambda start, n: theano.scan(lambda b, n: b * 0.5 + n, outputs_info=start, non_sequences=n, n_steps=n)[0][-1]
    h = theano.scan(lambda r, h, n: T.tanh(h) + inner(r, n), sequences=x, outputs_info=numpy.float64(0), non_sequences=n)[0]
    compare([x, n], [h, h[-1]], [numpy.linspace(0, 1, 30), 7])


def test_views_by_values_that_are_the_same_in_all_steps():
    x, s, k = T.dmatrix("x"), T.dvector("s"), T.lscalar("k")
    step = lambda r, h, k: T.set_subtensor(h[:2], T.tanh(h[k:k + 2]) + r) * 0.5 + h[::-1].sum()
    h = theano.scan(step, sequences=x, outputs_info=s, non_sequences=k)[0]
    with_kernel, by_steps = (theano.function([x, s, k], h, mode=mode) for mode in (KERNEL, STEPS))
    random = numpy.random.RandomState(8)
    values = random.rand(20, 2), random.rand(6)
    for place in [0, 1, 4, 0, -4, 1]:
        assert numpy.array_equal(with_kernel(*values, place), by_steps(*values, place))
    with pytest.raises(ValueError):
        with_kernel(*values, 5)
    assert numpy.array_equal(with_kernel(*values, 2), by_steps(*values, 2))


def test_a_state_that_another_one_becomes():
    x = T.dscalar("x")
    (a, b), _ = theano.scan(lambda a, b: (b, a * 0.5 + b * 0.5), outputs_info=[x, x + 1], n_steps=50)
    compare([x], [a, b[-1]], [0.25])


def test_sizes_that_change_again_and_again():
    x, s = T.dmatrix("x"), T.dvector("s")
    h = theano.scan(lambda r, h: T.exp(-h * h) * r + h.sum(), sequences=x, outputs_info=s)[0]
    with_kernel, by_steps = (theano.function([x, s], h, mode=mode) for mode in (KERNEL, STEPS))
    random = numpy.random.RandomState(7)
    for size in list(range(1, 12)) * 2:
        values = random.rand(6, size), random.rand(size)
        assert numpy.array_equal(with_kernel(*values), by_steps(*values))


@pytest.mark.parametrize("shapes, least, most", [([(5, 4)], 1, 1), ([(5, 4), (9, 4), (0, 4), (1, 4)], 1, 1), ([(5, 4), (5, 3)], 2, 2),
                                                 ([(5, size) for size in range(2, 14)], 6, 8)])
def test_kernels_are_counted(tmp_path, shapes, least, most):
    """One for a loop whose steps have several applies, whatever the number of steps; where sizes change and change, those of applies do."""
    script = """if True:
        import numpy, theano, theano.tensor as T
        x = T.dmatrix()
        step = lambda r, h, g: (T.tanh(h) * T.exp(-r).sum(), T.concatenate([g[1:], T.exp(-g[:1]) * h]))
        h, g = theano.scan(step, x, [numpy.float64(0), numpy.ones(3)])[0]
        f = theano.function([x], [h, g], mode=theano.Mode(optimizer="fast_run"))
        for shape in %r:
            f(numpy.ones(shape))
    """ % (shapes,)
    subprocess.run([sys.executable, "-c", script], env=dict(os.environ, CROTON_CACHE_DIR=str(tmp_path), CROTON_COMPILE_WAIT="1"), check=True, timeout=120)
    found = [set(re.findall(rb"croton_kernel_\d+", path.read_bytes())) for path in (tmp_path / "kernels").glob("*.so")]
    assert least <= sum(map(len, found)) <= most, found


def test_a_profile_has_shares_of_all_applies():
    x = T.dmatrix("x")
    values, _ = theano.scan(lambda row, before: T.tanh(T.dot(row, before) + before).max() * before, x, T.ones((4,)), name="shared_out")
    f = theano.function([x], values[-1], profile=True, mode=KERNEL)
    for _ in range(3):
        f(numpy.ones((100, 4)))
    report = io.StringIO()
    f.profile.summary(report)
    f.profile = None
    block = report.getvalue().split("Scan Op profiling ( shared_out )")[1]
    assert "Time in 3 calls of the op (for a total of 300 steps)" in block
    table = block.split("<# call>")[1] if "<# call>" in block else block
    assert "Elemwise" in table and re.search(r"\b300\b", table), block
