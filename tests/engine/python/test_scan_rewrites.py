"""What rewriting makes of loops: less memory, less work in a step; the values stay."""
import numpy
import pytest

import theano
import theano.tensor as T


def loops(f):
    return [node for node in f.maker.fgraph.toposort() if node.op.__class__.__name__ == "Scan"]


def inner_ops(node):
    return [str(one.op) for one in theano.gof.graph.io_toposort(node.op.inputs, node.op.outputs)]


def plain():
    return theano.compile.get_default_mode().excluding("scan")


def test_the_last_step_alone_is_kept():
    A, k = T.dvector(), T.lscalar()
    f = theano.function([A, k], theano.scan(lambda p, A: p * A, outputs_info=T.ones_like(A), non_sequences=A, n_steps=k)[0][-1])
    g = theano.function([A, k], theano.scan(lambda p, A: p * A, outputs_info=T.ones_like(A), non_sequences=A, n_steps=k)[0][-1], mode=plain())
    for function in (f, g):
        for steps in (1, 2, 3, 50):
            assert numpy.allclose(function(numpy.linspace(0.9, 1.1, 1000), steps), numpy.linspace(0.9, 1.1, 1000) ** steps)
    assert str(loops(f)[0].op) == "forall_inplace,cpu,scan_fn}"

    def kept(function):
        loop = loops(function)[0]
        return theano.function(function.maker.fgraph.inputs, loop.inputs[1].shape[0], on_unused_input="ignore")(numpy.ones(3), 50)
    assert kept(f) == 2 and kept(g) == 51


@pytest.mark.parametrize("last", [1, 2, 3])
@pytest.mark.parametrize("steps", range(1, 7))
def test_the_last_rows(last, steps):
    x, h = T.dvector(), T.dvector()
    one, two, three = theano.scan(lambda a, p, q, w: [a + p, p * 0.5 + q, a * w], x, [h[0], dict(initial=h, taps=[-3]), None],
                                  numpy.float64(2))[0]
    outputs = [value[-last:] for value in (one, two, three)] + [value[-1] for value in (one, two, three)]
    data, start = numpy.arange(1., steps + 1), numpy.array([0.1, 0.2, 0.3])
    got = [theano.function([x, h], outputs, mode=mode)(data, start) for mode in (None, plain(), "FAST_COMPILE")]
    for others in got[1:]:
        for value, other in zip(got[0], others):
            assert value.shape == other.shape and numpy.allclose(value, other)


def test_what_is_the_same_in_all_steps_is_done_once():
    x, w = T.dmatrix(), T.dmatrix()
    values, _ = theano.scan(lambda row, h: T.tanh(T.dot(h, T.exp(w).T) + row), x, T.zeros((3,)))
    f = theano.function([x, w], values)
    assert not any("exp" in name or "DimShuffle{1,0}" in name for name in inner_ops(loops(f)[0]))
    g = theano.function([x, w], values, mode=plain())
    assert any("exp" in name for name in inner_ops(loops(g)[0]))
    rng = numpy.random.RandomState(0)
    given = rng.randn(4, 3), rng.randn(3, 3)
    assert numpy.allclose(f(*given), g(*given))


def test_nothing_is_written_over_that_is_read_again():
    x, b = T.dvector(), T.dvector()
    start = T.exp(b)
    values, _ = theano.scan(lambda a, h: h * a, x, start)
    f = theano.function([x, b], [values, values[-1], start])
    out, last, first = f([2., 3.], [0., 1.])
    assert numpy.allclose(first, numpy.exp([0, 1])) and numpy.allclose(out, [2 * first, 6 * first]) and numpy.allclose(last, out[-1])


def test_values_under_until_when_only_the_last_is_kept():
    bound = T.dscalar()
    values, _ = theano.scan(lambda p, bound: (p * 2, theano.scan_module.until(p * 2 > bound)), outputs_info=numpy.float64(1),
                            non_sequences=bound, n_steps=1000)
    f = theano.function([bound], values[-1])
    assert [float(f(b)) for b in (0, 3, 100, 1e9)] == [2, 4, 128, 2.0 ** 30]


def test_gradients_stay():
    x, w = T.dmatrix(), T.dmatrix()
    values, _ = theano.scan(lambda row, h, w: T.tanh(T.dot(h, w) + row), x, T.zeros((3,)), w)
    wanted = theano.grad((values[-1] ** 2).sum(), [x, w])
    rng = numpy.random.RandomState(1)
    given = rng.randn(5, 3), rng.randn(3, 3)
    results = [theano.function([x, w], wanted, mode=mode)(*given) for mode in (None, plain(), "FAST_COMPILE")]
    for other in results[1:]:
        assert all(numpy.allclose(one, two) for one, two in zip(results[0], other))


def test_constants_are_known_inside_of_the_loop():
    x, w = T.dvector(), T.dvector()
    two = T.constant(numpy.float64(2))
    values, _ = theano.scan(lambda a, b, h, w, v, k: h * b * w + h * a * v * k, [x, x], numpy.float64(1), [w.sum(), w.sum(), two])
    f = theano.function([x, w], values)
    (loop,) = loops(f)
    assert loop.op.n_seqs == 1 and loop.op.info["n_non_seqs"] == 1
    assert numpy.allclose(f([1.0, 2.0], [3.0]), theano.function([x, w], values, mode=plain())([1.0, 2.0], [3.0]))


def weights_of_a_recurrence(batched):
    x, w, u = (T.tensor3() if batched else T.matrix()), T.matrix(), T.matrix()
    start = T.zeros((x.shape[1], w.shape[0])) if batched else T.zeros((w.shape[0],))
    values, _ = theano.scan(lambda row, h, w, u: T.tanh(T.dot(h, w) + T.dot(row, u)), x, start, [w, u])
    return [x, w, u], theano.grad((values[-1] ** 2).sum() + values.sum(), [w, u])


@pytest.mark.parametrize("batched", [True, False])
def test_gradients_of_weights_are_one_product_after_the_loop(batched):
    inputs, terms = weights_of_a_recurrence(batched)
    rng = numpy.random.RandomState(3)
    given = rng.randn(*((6, 2, 3) if batched else (6, 3))), rng.randn(4, 4), rng.randn(3, 4)
    f = theano.function(inputs, terms)
    back = [loop for loop in loops(f) if "grad_of" in str(loop.op)][0]
    assert sum("dot" in name.lower() or "gem" in name.lower() or "ger" in name.lower() for name in inner_ops(back)) == 1, inner_ops(back)
    assert back.op.info["n_sit_sot"] == 0
    for mode in (plain(), "FAST_COMPILE", "DebugMode"):
        for one, other in zip(f(*given), theano.function(inputs, terms, mode=mode)(*given)):
            numpy.testing.assert_allclose(one, other, rtol=1e-10)


def test_tied_weights_have_two_products():
    x, w = T.tensor3(), T.matrix()
    values, _ = theano.scan(lambda row, h, w: T.tanh(T.dot(T.tanh(T.dot(h, w)), w) + row), x, T.zeros((x.shape[1], w.shape[0])), w)
    term = theano.grad(values.sum(), w)
    rng = numpy.random.RandomState(4)
    given = rng.randn(5, 2, 3), rng.randn(3, 3)
    f = theano.function([x, w], term)
    assert all(loop.op.info["n_sit_sot"] == 0 for loop in loops(f) if "grad_of" in str(loop.op))
    numpy.testing.assert_allclose(f(*given), theano.function([x, w], term, mode=plain())(*given), rtol=1e-10)


def test_sums_that_are_read_step_by_step_stay():
    x = T.tensor3()
    values, _ = theano.scan(lambda row, s: s + T.dot(row.T, row), x, T.zeros((x.shape[2], x.shape[2])))
    given = numpy.random.RandomState(5).randn(4, 2, 3)
    f = theano.function([x], values)
    assert len(loops(f)) == 1
    numpy.testing.assert_allclose(f(given), numpy.cumsum([row.T.dot(row) for row in given], 0))
    g = theano.function([x], values[-1])
    numpy.testing.assert_allclose(g(given), sum(row.T.dot(row) for row in given))


def test_loops_of_as_many_steps_are_one():
    x, y = T.vector(), T.vector()
    n = T.lscalar()
    one, _ = theano.scan(lambda a, h: h * 0.5 + a, x, T.zeros(()), n_steps=n, name="one")
    two, _ = theano.scan(lambda b, a, h: [T.tanh(h + b * a)], [y, x], T.zeros(()), n_steps=n, name="two")
    f = theano.function([x, y, n], [one, two[-1]])
    (loop,) = loops(f)
    assert "one&two" in str(loop.op) or "two&one" in str(loop.op)
    assert loop.op.n_seqs == 2
    given = numpy.arange(4.0), numpy.linspace(-1, 1, 4), 4
    for mode in (plain(), "DebugMode"):
        for a, b in zip(f(*given), theano.function([x, y, n], [one, two[-1]], mode=mode)(*given)):
            numpy.testing.assert_allclose(a, b)
    after, _ = theano.scan(lambda a, h: h + a, one, T.zeros(()), n_steps=n)
    assert len(loops(theano.function([x, n], after))) == 2


def test_what_nobody_reads_of_a_loop_is_not_computed():
    x, w = T.dmatrix(), T.dmatrix()
    both, _ = theano.scan(lambda row, h, w: [T.tanh(T.dot(h, w) + row), T.exp(h).sum()], x, [T.zeros((3,)), None], w)
    f = theano.function([x, w], both[0][-1])
    assert not any("exp" in name for name in inner_ops(loops(f)[0]))
    given = numpy.random.RandomState(6).randn(4, 3), numpy.random.RandomState(7).randn(3, 3)
    numpy.testing.assert_allclose(f(*given), theano.function([x, w], both[0][-1], mode=plain())(*given))
