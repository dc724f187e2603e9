"""Derivatives of theano.scan: against finite differences and against the same steps written out."""
import numpy
import pytest

import theano
import theano.tensor as T


def both(make, values, mode=None):
    """The gradients of a cost by scan and written out."""
    results = []
    for by_scan in (True, False):
        variables = [T.TensorType("float64", (False,) * numpy.ndim(value))() for value in values]
        cost = make(by_scan, *variables)
        f = theano.function(variables, [cost] + theano.grad(cost, variables, disconnected_inputs="ignore"), mode=mode)
        results.append(f(*values))
    return results


def steps_of(step, by_scan, sequences, states, fixed, length, taps=None):
    """The outputs of `length` steps. States are given by their rows, oldest first."""
    reach = taps or [[-1]] * len(states)
    if by_scan:
        infos = [dict(initial=h[0] if ts == [-1] else h, taps=ts) for h, ts in zip(states, reach)]
        return theano.scan(step, sequences, infos, fixed, n_steps=length, return_list=True)[0]
    history = [[h[i] for i in range(-min(ts))] for h, ts in zip(states, reach)]
    for t in range(length):
        made = step(*([s[t] for s in sequences] + [h[tap] for h, ts in zip(history, reach) for tap in ts] + fixed))
        for h, value in zip(history, made if isinstance(made, list) else [made]):
            h.append(value)
    return [T.stack(h[-min(ts):]) for h, ts in zip(history, reach)]


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
@pytest.mark.parametrize("taps", [[[-1]], [[-2, -1]], [[-3, -1], [-1]], [[-2], [-3]]])
def test_recurrences_against_the_written_out(taps, mode):
    rng = numpy.random.RandomState(len(taps))
    length = 5

    def step(x, *rest):
        states, w = rest[:-1], rest[-1]
        total = x + sum((k + 1) * 0.3 * h for k, h in enumerate(states))
        return [T.tanh(T.dot(total, w) + k) for k in range(len(taps))]

    def make(by_scan, x, w, *states):
        outputs = steps_of(step, by_scan, [x], list(states), [w], length, taps)
        return sum((out ** 2).sum() for out in outputs) + outputs[0][-1].sum()
    values = [rng.randn(length, 3), rng.randn(3, 3) * 0.3] + [rng.randn(-min(ts), 3) for ts in taps]
    for one, other in zip(*both(make, values, mode)):
        assert numpy.allclose(one, other, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("last", [1, 2, 3])
@pytest.mark.parametrize("taps", [[-1], [-2, -1], [-2], [-3, -1]])
@pytest.mark.parametrize("is_linear", [True, False])
def test_gradients_of_the_last_rows(is_linear, taps, last):
    """Of both orders, where only the last rows are read: the steps before are not kept, their gradients are."""
    def step(x, *states):
        total = x + sum((k + 1) * 0.3 * h for k, h in enumerate(states))
        return total if is_linear else T.tanh(total)

    for part in (slice(-last, None), -last, [-last, -1]):
        for length in (3, 4, 6):
            def make(by_scan, x, h):
                out = steps_of(step, by_scan, [x], [h], [], length, [taps])[0]
                slopes = theano.grad((out[part] ** 3).sum(), [x, h])
                return sum((T.sin(slope) * (k + 1)).sum() for k, slope in enumerate(slopes)) + (out[part] ** 2).sum()
            rng = numpy.random.RandomState(length)
            for one, other in zip(*both(make, [rng.randn(length), rng.randn(-min(taps))], "FAST_RUN")):
                assert numpy.allclose(one, other, rtol=1e-9, atol=1e-12), (part, length)


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
@pytest.mark.parametrize("taps,read", [([-2, -1], 1), ([-3, -2, -1], 1), ([-3, -1], 0), ([-2, -1], 0)])
def test_second_derivatives_where_a_tap_is_not_read(taps, read, mode):
    def make(by_scan, x, h):
        out = steps_of(lambda x, *states: states[read] * 0.5 + x, by_scan, [x], [h], [], 5, [taps])[0]
        return sum((g ** 2).sum() for g in theano.grad((out ** 3).sum(), [x, h]))
    rng = numpy.random.RandomState(7)
    for one, other in zip(*both(make, [rng.randn(5), rng.randn(-min(taps))], mode)):
        assert numpy.allclose(one, other, rtol=1e-9)


def test_finite_differences():
    rng = numpy.random.RandomState(0)

    def run(x, h, w):
        return theano.scan(lambda x, h, w: T.tanh(T.dot(h, w) + x), x, h, w)[0]
    theano.tests.unittest_tools.verify_grad(run, [rng.randn(4, 2), rng.randn(2), rng.randn(2, 2)], rng=rng)
    theano.tests.unittest_tools.verify_grad(lambda x, h, w: run(x, h, w)[-1], [rng.randn(4, 2), rng.randn(2), rng.randn(2, 2)], rng=rng)

    def mapped(x, w):
        return theano.map(lambda row, w: T.exp(row * w), x, w)[0]
    theano.tests.unittest_tools.verify_grad(mapped, [rng.randn(3, 2), rng.randn(2)], rng=rng)

    def two(x, h):
        first, second = theano.scan(lambda a, b, h1, h2: [a * h2 + h1, T.sin(h1) * b], [x[:, 0], dict(input=x[:, 1], taps=[0])],
                                    [h[0], h[1]])[0]
        return first * 2 + second
    theano.tests.unittest_tools.verify_grad(two, [rng.randn(4, 2), rng.randn(2)], rng=rng)

    def shifted(x, h):
        return theano.scan(lambda a, b, h2, h1: a * b * h1 + h2, dict(input=x, taps=[-1, 1]), dict(initial=h, taps=[-2, -1]))[0]
    theano.tests.unittest_tools.verify_grad(shifted, [rng.randn(6), rng.randn(2)], rng=rng)

    def backwards(x, h):
        return theano.scan(lambda a, h: T.tanh(a * h + a), x, h, go_backwards=True)[0]
    theano.tests.unittest_tools.verify_grad(backwards, [rng.randn(4, 3), rng.randn(3)], rng=rng)


def test_a_loop_that_ends_early():
    x, h = T.dvector(), T.dscalar()
    values, _ = theano.scan(lambda a, before: (before * a, theano.scan_module.until(before * a > 10)), x, h)
    cost = values.sum()
    f = theano.function([x, h], [cost] + theano.grad(cost, [x, h]))
    data = numpy.array([2., 3, 4, 5, 6])
    value, by_x, by_h = f(data, 1.0)
    assert value == 2 + 6 + 24
    assert numpy.allclose(by_x, [1 + 3 + 12, 2 + 8, 6, 0, 0]) and by_h == 32


@pytest.mark.parametrize("truncate", [1, 2, 4, 9])
def test_truncated(truncate):
    x, h, w = T.dvector(), T.dscalar(), T.dscalar()
    values, _ = theano.scan(lambda a, before, w: T.tanh(before * w + a), x, h, w, truncate_gradient=truncate)
    f = theano.function([x, h, w], theano.grad(values[-1], [x, h, w]))
    data, start, weight = numpy.random.RandomState(1).randn(5), 0.3, 0.8
    states = [start]
    for a in data:
        states.append(numpy.tanh(states[-1] * weight + a))
    g, by_x, by_w = 1.0, numpy.zeros(5), 0.0
    for t in reversed(range(max(0, 5 - truncate), 5)):
        d = g * (1 - states[t + 1] ** 2)
        by_x[t], by_w, g = d, by_w + d * states[t], d * weight
    got = f(data, start, weight)
    assert numpy.allclose(got[0], by_x) and numpy.allclose(got[2], by_w)
    assert numpy.allclose(got[1], g if truncate >= 5 else 0)


@pytest.mark.parametrize("truncate", [1, 2, 4, 9])
@pytest.mark.parametrize("taps", [[-1], [-2, -1]])
def test_second_derivatives_of_truncated_ones(truncate, taps):
    """A truncated gradient is a formula like any other; written out, the steps that it does not come to are disconnected."""
    length = 5

    def step(a, *states):
        return a * states[-1] + states[0] * states[0] * 0.5

    def make(by_scan, x, h):
        if by_scan:
            values = theano.scan(step, x, dict(initial=h if len(taps) > 1 else h[0], taps=taps), truncate_gradient=truncate)[0]
        else:
            values = [h[k] for k in range(len(taps))]
            for t in range(length):
                value = step(x[t], *values[-len(taps):])
                values.append(value if t >= length - truncate else theano.gradient.disconnected_grad(value))
            values = T.stack(values[len(taps):])
        return sum((g ** 2).sum() for g in theano.grad((values ** 2).sum(), [x, h], disconnected_inputs="ignore"))
    rng = numpy.random.RandomState(5)
    for one, other in zip(*both(make, [rng.randn(length), rng.randn(len(taps))])):
        assert numpy.allclose(one, other, rtol=1e-9)


def test_second_derivatives():
    rng = numpy.random.RandomState(3)

    def step(x, h, w):
        return [T.tanh(h * w + x)]

    def make(by_scan, x, w, h):
        out = steps_of(step, by_scan, [x], [h], [w], 4)[0]
        return sum((g ** 2).sum() for g in theano.grad((out ** 2).sum(), [x, w, h]))
    for one, other in zip(*both(make, [rng.randn(4, 2), rng.randn(2), rng.randn(1, 2)])):
        assert numpy.allclose(one, other, rtol=1e-9)


def test_gradients_of_loops_in_loops():
    rng = numpy.random.RandomState(4)

    def run(x, w):
        inner = lambda row, total, w: total + theano.scan(lambda a, b, w: T.tanh(a * w + b), row, T.zeros_like(w), w)[0][-1]
        return theano.scan(inner, x, T.zeros_like(w), w)[0]
    theano.tests.unittest_tools.verify_grad(run, [rng.randn(3, 2), rng.randn()], rng=rng)


def test_integers_beside_what_is_differentiated():
    x, w = T.dvector(), T.dscalar()
    values, _ = theano.scan(lambda i, a, count, before, w: [count + 1, before * w + a * i + count], [T.arange(x.shape[0]), x],
                            [numpy.int64(0), numpy.float64(1)], w)
    f = theano.function([x, w], theano.grad(values[1][-1], [x, w]))
    by_x, by_w = f([1., 2, 3], 2.0)
    assert by_x.tolist() == [0, 2, 2] and by_w == 15


def test_shared_parameters_learn():
    rng = numpy.random.RandomState(5)
    w, u = theano.shared(rng.randn(3, 3) * 0.3), theano.shared(rng.randn(3) * 0.3)
    x, y = T.dmatrix(), T.dscalar()
    states, _ = theano.scan(lambda row, h: T.tanh(T.dot(h, w) + row), x, T.zeros((3,)))
    cost = (T.dot(states[-1], u) - y) ** 2
    train = theano.function([x, y], cost, updates=[(p, p - 0.1 * theano.grad(cost, p)) for p in (w, u)])
    data = rng.randn(6, 3)
    costs = [float(train(data, 0.7)) for _ in range(30)]
    assert costs[-1] < 1e-3 * costs[0]


def test_rop():
    rng = numpy.random.RandomState(6)
    x, h, w = T.dmatrix(), T.dvector(), T.dvector()
    dx, dh, dw = T.dmatrix(), T.dvector(), T.dvector()
    values, _ = theano.scan(lambda row, before, w: T.tanh(before * w + row), x, h, w)
    forward = theano.Rop(values, [x, h, w], [dx, dh, dw])
    f = theano.function([x, h, w, dx, dh, dw], [values, forward], on_unused_input="ignore")
    data = [rng.randn(4, 2), rng.randn(2), rng.randn(2)]
    along = [rng.randn(4, 2), rng.randn(2), rng.randn(2)]
    eps = 1e-6
    plus = f(*[a + eps * b for a, b in zip(data, along)], *along)[0]
    minus = f(*[a - eps * b for a, b in zip(data, along)], *along)[0]
    assert numpy.allclose(f(*data, *along)[1], (plus - minus) / (2 * eps), rtol=1e-6)


def test_checkpoints_give_the_same_gradients():
    x, h, w = T.dmatrix(), T.dvector(), T.dvector()
    step = lambda row, before, w: T.tanh(before * w + row)
    kept, _ = theano.scan_checkpoints(step, x, h, w, save_every_N=3)
    whole, _ = theano.scan(step, x, h, w)
    f = theano.function([x, h, w], theano.grad(kept[-1].sum(), [x, h, w]) + theano.grad(whole[-1].sum(), [x, h, w]))
    rng = numpy.random.RandomState(7)
    got = f(rng.randn(9, 2), rng.randn(2), rng.randn(2))
    for one, other in zip(got[:3], got[3:]):
        assert numpy.allclose(one, other)
