"""theano.scan: values against plain Python loops, arguments, updates, errors."""
import io
import warnings

import numpy
import pytest

import theano
import theano.tensor as T


def loop(step, sequences, taps, states, reach, n_steps, fixed=()):
    """The same in Python: sequences with their taps, states with theirs (rows oldest first)."""
    low = [min(t + [0]) for t in taps]
    history = [list(numpy.asarray(s)) for s in states]
    results = None
    for t in range(n_steps):
        arguments = [s[t + k - lo] for s, ts, lo in zip(sequences, taps, low) for k in ts]
        arguments += [h[len(h) + k] for h, ts in zip(history, reach) for k in ts]
        made = step(*arguments, *fixed)
        made = made if isinstance(made, (list, tuple)) else [made]
        results = results or [[] for _ in made]
        for k, value in enumerate(made):
            results[k].append(value)
            if k < len(history):
                history[k].append(value)
    return [numpy.array(r) for r in results]


def test_pow():
    k, A = T.iscalar("k"), T.dvector("A")
    result, updates = theano.scan(fn=lambda prior, A: prior * A, outputs_info=T.ones_like(A), non_sequences=A, n_steps=k)
    power = theano.function([A, k], result[-1], updates=updates)
    assert numpy.array_equal(power(range(10), 2), numpy.arange(10.) ** 2)
    assert numpy.array_equal(power(range(10), 4), numpy.arange(10.) ** 4)


def test_polynomial():
    c, x = T.dvector("c"), T.dscalar("x")
    parts, _ = theano.scan(lambda c, p, x: c * x ** p, sequences=[c, T.arange(1000)], outputs_info=None, non_sequences=x)
    assert theano.function([c, x], parts.sum())([1, 0, 2], 3) == 19.0


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
def test_random_taps_and_shapes(seed, mode):
    rng = numpy.random.RandomState(seed)
    shape = tuple(rng.randint(1, 4, size=rng.randint(0, 3)))
    taps = [sorted(rng.choice(range(-3, 4), size=rng.randint(1, 4), replace=False).tolist(), key=lambda _: rng.rand())
            for _ in range(rng.randint(0, 3))]
    reach = [[-1] if rng.rand() < 0.4 else sorted(rng.choice(range(-4, 0), size=rng.randint(1, 4), replace=False).tolist())
             for _ in range(rng.randint(1, 4))]
    steps = int(rng.randint(1, 7))
    backwards = bool(rng.randint(2)) and bool(taps)
    length = steps + 6
    sequences = [rng.uniform(-1, 1, (length,) + shape) for _ in taps]
    states = [rng.uniform(-1, 1, (-min(ts),) + shape) for ts in reach]
    fixed = [rng.uniform(-1, 1, shape)]

    def step(*arguments):
        total = arguments[-1] * 0.5
        for number, value in enumerate(arguments[:-1]):
            total = total * 0.9 + (number + 1) * value
        return [total * (k + 1) * 0.1 for k in range(len(reach))] + [total - 1]

    kind = T.TensorType("float64", (False,) * len(shape))
    rows = T.TensorType("float64", (False,) * (len(shape) + 1))
    xs, hs, w = [rows() for _ in taps], [rows() for _ in reach], kind()
    n = T.lscalar()
    infos = [dict(initial=h[0] if ts == [-1] else h, taps=ts) for h, ts in zip(hs, reach)] + [None]
    outputs, updates = theano.scan(step, [dict(input=x, taps=ts) for x, ts in zip(xs, taps)], infos, w, n_steps=n, go_backwards=backwards)
    f = theano.function(xs + hs + [w, n], outputs, updates=updates, mode=mode)
    for count in (steps, 1):
        given = sequences
        if backwards:  # each tap's part is read from its end
            spans = [max(ts + [0]) - min(ts + [0]) for ts in taps]
            used = length - max(spans)
            given = None
        got = f(*sequences, *states, *fixed, count)
        if given is None:
            parts, places = [], []
            for s, ts in zip(sequences, taps):
                low, high = min(ts + [0]), max(ts + [0])
                for tap in ts:
                    part = s[tap - low:length - (high - tap)]
                    parts.append(part[::-1])
                    places.append([0])
            expected = loop(step, parts, places, states, reach, count, fixed)
            assert used > 0
        else:
            expected = loop(step, sequences, taps, states, reach, count, fixed)
        for one, other in zip(got, expected):
            assert one.shape == other.shape
            assert numpy.allclose(one, other, rtol=1e-10)


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE", "DebugMode"])
def test_until(mode):
    bound = T.dscalar()
    values, _ = theano.scan(lambda p, bound: (p * 2, theano.scan_module.until(p * 2 > bound)), outputs_info=numpy.float64(1),
                            non_sequences=bound, n_steps=50)
    f = theano.function([bound], [values, values[-1], values.shape[0]], mode=mode)
    whole, last, count = f(100)
    assert whole.tolist() == [2, 4, 8, 16, 32, 64, 128] and last == 128 and count == 7
    assert f(0)[0].tolist() == [2]
    assert len(f(1e300)[0]) == 50


def test_until_alone_and_with_updates():
    seen = theano.shared(0)
    result, updates = theano.scan(lambda: ({seen: seen + 3}, theano.scan_module.until(seen > 5)), n_steps=100)
    assert result is None
    theano.function([], [], updates=updates)()
    assert seen.get_value() == 9


def test_no_steps_and_more_than_there_are():
    x, n = T.dmatrix(), T.lscalar()
    total, _ = theano.scan(lambda row, before: before + row, x, T.zeros_like(x[0]), n_steps=n)
    f = theano.function([x, n], total)
    data = numpy.arange(6.).reshape(3, 2)
    assert f(data, 0).shape == (0, 2)
    assert numpy.array_equal(f(data, 2), data.cumsum(0)[:2])
    with pytest.raises(ValueError, match="Sequence is shorter then the required number of steps"):
        f(data, 4)
    with pytest.raises(ValueError, match="negative number of step"):
        f(data, -1)


@pytest.mark.parametrize("n_steps", [0, 1, 3])
def test_steps_as_a_number(n_steps):
    x = T.dvector()
    values, _ = theano.scan(lambda a, b: a + b, x, numpy.float64(0), n_steps=n_steps)
    f = theano.function([x], values)
    assert numpy.array_equal(f(numpy.arange(5.)), numpy.arange(5.).cumsum()[:n_steps])
    scans = [node for node in f.maker.fgraph.toposort() if isinstance(node.op, theano.scan_module.scan_op.Scan)]
    assert bool(scans) == (n_steps != 1)


def test_updates_of_shared_variables():
    total, count = theano.shared(numpy.zeros(2)), theano.shared(0)
    x = T.dmatrix()

    def step(row):
        return total.sum(), {total: total + row, count: count + 1}
    seen, updates = theano.scan(step, x)
    assert set(updates) == {total, count}
    f = theano.function([x], seen, updates=updates)
    assert f([[1, 2], [3, 4], [5, 6]]).tolist() == [0, 3, 10]
    assert total.get_value().tolist() == [9, 12] and count.get_value() == 3
    f([[1, 1]])
    assert total.get_value().tolist() == [10, 13] and count.get_value() == 4


def test_default_updates_go_through_the_loop():
    state = theano.shared(numpy.float64(1))
    state.default_update = state * 2
    values, updates = theano.scan(lambda: state + 0, n_steps=4)
    f = theano.function([], values, updates=updates)
    assert f().tolist() == [1, 2, 4, 8] and state.get_value() == 16
    assert f()[0] == 16


def test_names_and_order_of_arguments():
    x, y, h, w = T.dvector("x"), T.dvector("y"), T.dvector("h"), T.dscalar("w")
    seen = []

    def step(*arguments):
        seen.extend(arguments)
        return arguments[0] + arguments[3] + arguments[-1], arguments[1]
    theano.scan(step, [dict(input=x, taps=[1, -1]), y], [dict(initial=h, taps=[-2, -1]), None], w)
    assert [one.name for one in seen] == ["x[t+1]", "x[t-1]", "y[t]", "h[t-2]", "h[t-1]", "w"]


def test_results_are_bare_or_lists():
    x = T.dvector()
    assert isinstance(theano.scan(lambda a: a, x)[0], theano.Variable)
    assert isinstance(theano.scan(lambda a: a, x, return_list=True)[0], list)
    assert isinstance(theano.scan(lambda a: [a, a], x)[0], list)
    assert theano.scan(lambda a: [a, a], x, n_steps=1)[0][0].ndim == 1


def test_free_variables_are_found_and_strict_refuses_shared_ones():
    x, w, s = T.dvector("x"), T.dscalar("w"), theano.shared(3.0, name="s")
    values, _ = theano.scan(lambda a: a * w + s, x)
    assert theano.function([x, w], values)([1, 2], 10).tolist() == [13, 23]
    values, _ = theano.scan(lambda a: a * w * T.exp(w), x, strict=True)
    assert numpy.allclose(theano.function([x, w], values)([1, 2], 10), numpy.array([10, 20]) * numpy.exp(10))
    for step in (lambda a: a * s, lambda a: a * (s + w)):
        with pytest.raises(theano.gof.MissingInputError, match="shared variable s.* pass it as a non_sequence"):
            theano.scan(step, x, strict=True)
    values, _ = theano.scan(lambda a, w, s: a * w + s, x, non_sequences=[w, s], strict=True)
    assert theano.function([x, w], values)([1, 2], 10).tolist() == [13, 23]


def test_map_reduce_foldl_foldr():
    x = T.dvector()
    doubled, _ = theano.map(lambda a: a * 2, x)
    last, _ = theano.reduce(lambda a, b: a + b, x, numpy.float64(0))
    left, _ = theano.foldl(lambda a, b: b * 2 + a, x, numpy.float64(0))
    right, _ = theano.foldr(lambda a, b: b * 2 + a, x, numpy.float64(0))
    results = theano.function([x], [doubled, last, left, right])([1, 2, 3])
    assert results[0].tolist() == [2, 4, 6] and [float(r) for r in results[1:]] == [6, 1 * 4 + 2 * 2 + 3, 3 * 4 + 2 * 2 + 1]


def test_loops_in_loops():
    x = T.dmatrix()
    inner = lambda row: theano.scan(lambda a, b: a + b, row, numpy.float64(0))[0]
    values, _ = theano.scan(inner, x)
    data = numpy.arange(12.).reshape(3, 4)
    assert numpy.array_equal(theano.function([x], values)(data), data.cumsum(1))


def test_sizes_that_follow_from_values():
    n = T.lvector()
    sums, _ = theano.scan(lambda k: T.arange(k).sum(), n)
    assert theano.function([n], sums)([3, 0, 5, 1]).tolist() == [3, 0, 10, 0]
    i, x = T.lvector(), T.dmatrix()
    picked, _ = theano.scan(lambda k, x: x[k] * 2, i, None, x)
    data = numpy.arange(6.).reshape(3, 2)
    assert numpy.array_equal(theano.function([i, x], picked)([2, 0, -1], data), data[[2, 0, -1]] * 2)


def test_a_step_may_return_what_it_was_given():
    x, h = T.dvector(), T.dscalar()
    values, _ = theano.scan(lambda a, before: [before, a, before, T.constant(7.0)], x, [h, None, None, None])
    got = theano.function([x, h], values)([1, 2, 3], 5)
    assert [list(one) for one in got] == [[5] * 3, [1, 2, 3], [5] * 3, [7] * 3]


def test_strided_and_backward_sequences():
    x = T.dmatrix()
    values, _ = theano.scan(lambda row: row * 2, x.T[::2], go_backwards=True)
    data = numpy.arange(12.).reshape(3, 4)
    assert numpy.array_equal(theano.function([x], values)(data), data.T[::2][::-1] * 2)


def test_an_initial_state_of_another_shape():
    x, h = T.dmatrix(), T.dvector()
    f = theano.function([x, h], theano.scan(lambda row, before: row, x, h)[0])
    with pytest.raises(ValueError, match="initial state must have the shape of what a step returns"):
        f(numpy.ones((3, 2)), numpy.ones(3))


@pytest.mark.parametrize("make, message", [
    (lambda x: theano.scan(lambda a: a), "No information about the number of steps"),
    (lambda x: theano.scan(lambda a, b: a + b, x, T.constant(0.0)), "upcast or downcast: cast what the step returns"),
    (lambda x: theano.scan(lambda a, b: T.stack([a, b]), x, numpy.float64(0)), r"has 0 dimension\(s\), but the corresponding output"),
    (lambda x: theano.scan(lambda a, b: b + T.ones((3, 3)) * a, x, T.ones((1, 3))), r"theano.tensor.unbroadcast\(x, 0\)"),
    (lambda x: theano.scan(lambda a, b: [a, b], x, [numpy.float64(0)]), "Please provide None as outputs_info for any output"),
    (lambda x: theano.scan(lambda a, b: a, x, dict(taps=[-1])), "you need to provide a initial state"),
    (lambda x: theano.scan(lambda a, b: a, x, dict(initial=x, taps=[1])), "Can not use future taps of outputs"),
    (lambda x: theano.scan(lambda a, b: a, T.dscalar("q")), "sequence q has no leading dimension"),
    (lambda x: theano.scan(lambda a: (a, "text"), x), "Scan can not parse the return value"),
    (lambda x: theano.scan(lambda a: a, x, n_steps=-3), "n_steps counts steps"),
    (lambda x: theano.scan_module.until(x), r"take its any\(\) or all\(\)"),
])
def test_what_is_wrong_is_said(make, message):
    with pytest.raises(ValueError, match=message):
        make(T.dvector("x"))


def test_an_error_in_a_step_names_the_step():
    x, w = T.dmatrix("x"), T.dvector("w")
    f = theano.function([x, w], theano.scan(lambda row: row + w, x)[0])
    with pytest.raises(ValueError, match="mis-match|mismatch"):
        f(numpy.ones((3, 2)), numpy.ones(4))


def test_how_it_is_printed():
    x = T.dvector("x")
    values, _ = theano.scan(lambda a, b: a + b, x, numpy.float64(0), name="adding")
    text = theano.printing.debugprint(values, file="str")
    assert "for{cpu,adding}" in text and "Inner graphs of the scan ops:" in text and " >Elemwise{add,no_inplace}" in text
    assert "x[t]" in text
    f = theano.function([x], theano.scan(lambda a, b: (a + b, theano.scan_module.until(b > 3)), x, numpy.float64(0))[0], mode="FAST_COMPILE")
    assert any(str(node.op) == "do_while{cpu,scan_fn}" for node in f.maker.fgraph.toposort())


def test_equal_loops_run_once():
    x = T.dvector()
    both = [theano.scan(lambda a, b: a + b, x, numpy.float64(0))[0] for _ in range(2)]
    f = theano.function([x], [both[0].sum(), both[1].max()])
    assert sum(node.op.__class__.__name__ == "Scan" for node in f.maker.fgraph.toposort()) == 1


def test_checkpoints():
    x, h, w = T.dmatrix(), T.dvector(), T.dscalar()
    step = lambda row, before, w: T.tanh(before * w + row)
    kept, _ = theano.scan_checkpoints(step, x, h, w, save_every_N=3)
    whole, _ = theano.scan(step, x, h, w)
    f = theano.function([x, h, w], [kept, whole])
    for rows in (9, 6, 7):
        few, all_ = f(numpy.random.RandomState(rows).randn(rows, 2), numpy.zeros(2), 0.7)
        assert numpy.allclose(few, numpy.concatenate([all_[2::3], all_[-1:]])[:len(few)]) and numpy.allclose(few[-1], all_[-1])


@pytest.mark.parametrize("option, value", [("mode", "FAST_COMPILE"), ("profile", True), ("allow_gc", False)])
def test_what_scan_ignores_is_said(option, value):
    with pytest.warns(UserWarning, match="%s= of scan is accepted and ignored" % option):
        theano.scan(lambda h: h + 1, outputs_info=T.zeros((2,), "float64"), n_steps=3, **{option: value})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        theano.scan(lambda h: h + 1, outputs_info=T.zeros((2,), "float64"), n_steps=3)


def test_nan_guard_finds_what_steps_make():
    x = T.dvector("x")
    values, _ = theano.scan(lambda one, before: before + T.log(one), x, numpy.float64(0))
    f = theano.function([x], values[-1], mode=theano.compile.nanguardmode.NanGuardMode(nan_is_error=True, inf_is_error=True, big_is_error=True))
    assert numpy.allclose(f([1.0, 2.0]), numpy.log(2))
    with pytest.raises(AssertionError, match="NaN"):
        f([1.0, -2.0])


NAN_INSIDE = {
    "a state": lambda x: theano.scan(lambda one, before: T.sqrt(before - one), x, numpy.float64(9))[0][-1],
    "two taps": lambda x: theano.scan(lambda one, b, a: T.sqrt(a - one) + 0 * b, x, dict(initial=x[:2] * 0 + 9, taps=[-2, -1]))[0].sum(),
    "a map": lambda x: theano.scan(lambda one, w: T.sqrt(9 - one * T.exp(w * one)).sum(), x, non_sequences=[x * 0])[0].sum(),
    "while": lambda x: theano.scan(lambda one, before: (T.sqrt(before - one), theano.until(one > 100)), x, numpy.float64(9))[0][-1],
    "a gradient": lambda x: T.grad(theano.scan(lambda one, before: before * T.sqrt(one - 5 + before), x, numpy.float64(9))[0][-1], x).sum(),
}


@pytest.mark.parametrize("kind", sorted(NAN_INSIDE))
def test_nan_guard_names_the_apply_inside_and_its_step(kind):
    x = T.dvector("x")
    f = theano.function([x], NAN_INSIDE[kind](x), mode=theano.compile.nanguardmode.NanGuardMode(True, False, False))
    assert numpy.isfinite(f([1.0, 1.5, 1.0]))
    with pytest.raises(AssertionError, match="NaN detected") as seen:
        f([1.0, 20.0, 30.0] if kind != "a gradient" else [1.0, -200.0, 30.0])
    if kind != "a map":  # its work is done for all steps at once
        assert "step 1 of the loop" in str(seen.value) and "test_scan.py" in str(seen.value), str(seen.value)


def test_the_report_has_a_block_for_each_loop():
    x = T.dmatrix("x")
    values, _ = theano.scan(lambda row, before: T.tanh(row + before), x, T.zeros((4,)), name="steps")
    f = theano.function([x], values[-1], profile=True)
    for _ in range(3):
        f(numpy.ones((10, 4)))
    report = io.StringIO()
    f.profile.summary(report)
    f.profile = None
    block = report.getvalue().split("Scan Op profiling ( steps )\n==================\n")
    assert len(block) == 2 and "Time in 3 calls of the op (for a total of 30 steps)" in block[1]
    assert "Total time spent in calling the VM" in block[1] and "Elemwise" in block[1]


def test_names_inside_of_a_loop():
    """As Theano has them: elements by their step, what only is read and what is updated as copies."""
    x, w, s = T.dvector("x"), T.dscalar("w"), theano.shared(0.0, name="s")
    values, updates = theano.scan(lambda a, b, w: ([a + b * w], {s: s + a}), x, T.constant(numpy.float64(0), name="h"), w)
    text = theano.printing.debugprint([values] + list(updates.values()), file="str")
    inner = text[text.index("Inner graphs of the scan ops:"):]
    for name in ("x[t] [id", "h[t-1] [id", "w_copy [id", "s_copy [id"):
        assert name in inner, inner


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE", "DebugMode"])
def test_rows_of_no_steps_have_their_sizes(mode):
    """What a step would have given tells them, although none runs."""
    x, w = T.dtensor3(), T.dmatrix()
    results, _ = theano.scan(lambda row, w: [row.sum(axis=0), T.dot(row, w)], x, None, [w])
    slope = theano.grad(T.tanh(results[1]).sum() + results[0].sum(), x)
    run = theano.function([x, w], results + [slope], mode=mode)
    assert [value.shape for value in run(numpy.zeros((0, 3, 2)), numpy.ones((2, 4)))] == [(0, 2), (0, 3, 4), (0, 3, 2)]
    assert [value.shape for value in run(numpy.zeros((2, 3, 2)), numpy.ones((2, 4)))] == [(2, 2), (2, 3, 4), (2, 3, 2)]
