"""Loops, and choices."""
import numpy
import pytest
import theano
import theano.tensor as T
from items import item, run, same

x, v, n = T.dmatrix("x"), T.dvector("v"), T.iscalar("n")
A = numpy.arange(6.0).reshape(3, 2)


@item(26, "theano.scan")
def test_scan():
    """Runs a function over steps; gives outputs and updates; arguments are slices of sequences, prior outputs, the rest."""
    seen = []

    def step(row, prior, fixed):
        seen.append((row.ndim, prior.ndim, fixed.ndim))
        return prior * fixed + row.sum()

    values, updates = theano.scan(step, x, T.constant(0.0, dtype="float64"), v.sum())
    assert seen[0] == (1, 0, 0) and not updates
    same(run([x, v], values, A, [2.0]), [1, 7, 23])
    both, _ = theano.scan(lambda row: [row, row.sum()], x)
    assert isinstance(both, list) and len(both) == 2


@item(31, "theano.scan(outputs_info=)")
def test_outputs_info():
    """None, a variable, a dict, or a list of these."""
    (total, square), _ = theano.scan(lambda a, s: [s + a, a * a], v, outputs_info=[T.zeros(()), None])
    same(run([v], total, [1.0, 2, 3]), [1, 3, 6])
    same(run([v], square, [1.0, 2, 3]), [1, 4, 9])
    with pytest.raises(Exception, match="[Ii]nconsistency|same|dtype|type"):
        theano.scan(lambda s: T.cast(s, "float32") + 1, outputs_info=[T.zeros((), "float64") * T.dscalar()], n_steps=3)[0].eval()


@item(35, "theano.scan(sequences=)")
def test_sequences():
    """One or several, cut to the shortest; a dict has taps."""
    values, _ = theano.scan(lambda a, b: a * b, sequences=[v, T.arange(3)])
    same(run([v], values, [5.0, 6, 7, 8]), [0, 6, 14])
    values, _ = theano.scan(lambda before, now, after: before + now + after, sequences=dict(input=v, taps=[-1, 0, 1]))
    same(run([v], values, [1.0, 2, 4, 8]), [7, 14])


@item(45, "theano.scan(non_sequences=)")
def test_non_sequences():
    """What each step gets whole."""
    w = T.dmatrix()
    values, _ = theano.scan(lambda h, w: T.tanh(T.dot(h, w)), outputs_info=v, non_sequences=w, n_steps=2)
    W = numpy.array([[0.5, -1], [1, 0.25]])
    h = numpy.tanh(numpy.dot([1.0, 2], W))
    same(run([v, w], values, [1.0, 2], W), [h, numpy.tanh(h.dot(W))])


@item(59, "theano.scan(n_steps=)")
def test_n_steps():
    """A number, or known as it runs."""
    values, updates = theano.scan(lambda p, a: p * a, outputs_info=T.ones_like(v), non_sequences=v, n_steps=n)
    power = theano.function([v, n], values[-1], updates=updates)
    same(power([1.0, 2, 3], 4), [1, 16, 81])


@item(65, "scan: outputs_info None (map-like output)")
def test_map_like():
    """No state: steps are independent."""
    values, _ = theano.scan(lambda c, k, at: c * at ** k, [v, T.arange(10)], None, T.constant(2.0))
    same(run([v], values.sum(), [1.0, 2, 3]), 1 + 4 + 12)


@item(83, "theano.scan(fn=)")
def test_fn():
    """By keyword, also a lambda that gives a dict of updates."""
    count = theano.shared(0)
    _, updates = theano.scan(fn=lambda: {count: count + 2}, n_steps=5)
    run([], [], updates=updates)
    assert count.get_value() == 10


@item(113, "theano.scan(name=)")
def test_scan_name():
    """Shown in graphs and profiles."""
    values, _ = theano.scan(lambda a: T.exp(a), v, name="encoder")
    assert "encoder" in theano.printing.debugprint(values, file="str")


@item(114, "theano.scan(strict=)")
def test_strict():
    """True refuses what a step uses without being given it."""
    w = theano.shared(2.0)
    with pytest.raises(Exception, match="strict|non_sequences|[Mm]issing"):
        theano.scan(lambda a: a * w, v, strict=True)
    values, _ = theano.scan(lambda a, w: a * w, v, non_sequences=w, strict=True)
    same(run([v], values, [1.0, 2]), [2, 4])


@item(151, "theano.scan(profile=)")
def test_scan_profile():
    """Accepted; the steps of a profiled function have a profile of their own."""
    values, _ = theano.scan(lambda a: a * 2, v, profile=True)
    same(run([v], values, [1.0]), [2])


@item(165, "theano.scan(truncate_gradient=)")
def test_truncate_gradient():
    """How many steps back a gradient goes."""
    w = T.dscalar()
    for steps, wanted in ((-1, 1 + 2 + 3), (2, 1 + 1), (1, 1)):
        values, _ = theano.scan(lambda a, s, w: s * w + a, v, T.zeros(()), w, truncate_gradient=steps)
        found = run([v, w], T.grad(values[-1], v), numpy.ones(3), 1.0)
        assert numpy.count_nonzero(found) == (3 if steps == -1 else steps), wanted


@item(180, "scan: outputs_info dict (taps/initial)")
def test_taps():
    """States from further back: initial holds the oldest first."""
    start = T.dvector()
    values, _ = theano.scan(lambda two, one: one + two, outputs_info=dict(initial=start, taps=[-2, -1]), n_steps=6)
    same(run([start], values, [0.0, 1]), [1, 2, 3, 5, 8, 13])


@item(366, "theano.scan(go_backwards=)")
def test_go_backwards():
    """From the end of the sequences."""
    values, _ = theano.scan(lambda a, s: s + a, v, T.zeros(()), go_backwards=True)
    same(run([v], values, [1.0, 2, 4]), [4, 6, 7])


@item(371, "theano.until")
def test_until():
    """Stops after the step where the condition holds."""
    values, _ = theano.scan(lambda s: (s * 2, theano.until(s * 2 > 20)), outputs_info=T.ones(()), n_steps=100)
    same(run([], values), [2, 4, 8, 16, 32])


@item(115, "theano.ifelse.ifelse")
def test_ifelse():
    """Computes the branch that is taken, and no other; branches may be lists."""
    from theano.ifelse import ifelse
    c, a, b = T.dscalars("c", "a", "b")
    ran = []
    loud = theano.printing.Print("branch", global_fn=lambda op, value: ran.append(op.message))
    f = theano.function([c, a, b], ifelse(T.gt(c, 0), loud(a) * 2, b), on_unused_input="ignore")
    assert f(1, 3, 4) == 6 and ran == ["branch"]
    assert f(-1, 3, 4) == 4 and ran == ["branch"]
    same(run([c, a, b], ifelse(T.gt(c, 0), [a, b], [b, a]), 1, 3, 4), [3, 4])


@item(368, "theano.typed_list.TypedListType")
def test_typed_list_type():
    """A list of arrays of one type."""
    kind = theano.typed_list.TypedListType(T.dvector)
    items = kind("items")
    same(run([items], items[1] + items[0], [numpy.ones(2), numpy.arange(2.0)]), [1, 2])
    with pytest.raises(TypeError):
        run([items], items[0], [numpy.ones((2, 2))])


@item(369, "theano.typed_list.append")
def test_typed_list_append():
    """A list with one more."""
    items = theano.typed_list.TypedListType(T.dvector)()
    found = run([items, v], theano.typed_list.append(items, v), [numpy.ones(2)], [3.0])
    assert [a.tolist() for a in found] == [[1, 1], [3]]


@item(370, "theano.typed_list.length")
def test_typed_list_length():
    """How many there are."""
    items = theano.typed_list.TypedListType(T.dvector)()
    assert run([items], theano.typed_list.length(items), [numpy.ones(2)] * 3) == 3
