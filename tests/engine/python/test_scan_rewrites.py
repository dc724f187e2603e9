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
