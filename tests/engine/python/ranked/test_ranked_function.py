"""theano.function and its arguments."""
import collections

import numpy
import pytest
import theano
import theano.tensor as T
from items import item, run, same


@item(1, "theano.function")
def test_function():
    """Takes variables, gives what can be called with arrays, lists and numbers; a lone output comes bare."""
    x, f = T.dvector(), T.fvector()
    same(theano.function([x], x * 2)([1, 2]), [2, 4], "float64")
    same(theano.function([f], f * 2)([1.5, 2]), [3, 4], "float32")
    with pytest.raises(TypeError, match="allow_input_downcast"):
        theano.function([f], f)(numpy.zeros(2))


@item(8, "theano.function(updates=)")
def test_updates():
    """Right-hand sides read the values from before the call, outputs too."""
    a, b = theano.shared(1.0), theano.shared(2.0)
    assert run([], a + b, updates=[(a, b), (b, a + b)]) == 3
    assert (a.get_value(), b.get_value()) == (2, 3)


@item(13, "theano.function(updates=other)")
def test_updates_built_in_a_loop():
    """Tuples, lists of two, an OrderedDict, or what scan gave."""
    shared = [theano.shared(numpy.full(2, float(k))) for k in range(3)]
    for build in (lambda: [(s, s + 1) for s in shared], lambda: [[s, s + 1] for s in shared],
                  lambda: collections.OrderedDict((s, s + 1) for s in shared), lambda: theano.updates.OrderedUpdates((s, s + 1) for s in shared)):
        run([], [], updates=build())
    assert [s.get_value().tolist() for s in shared] == [[4, 4], [5, 5], [6, 6]]


@item(86, "theano.function(updates=list)")
def test_updates_as_a_list():
    """Sums of lists of pairs are one list; a variable that stands in it twice is refused."""
    s, t = theano.shared(0), theano.shared(0)
    run([], [], updates=[(s, s + 1)] + [(t, t - 1)])
    assert (s.get_value(), t.get_value()) == (1, -1)
    with pytest.raises(ValueError, match="already has an update"):
        theano.function([], [], updates=[(s, s + 1)] + [(s, s + 2)])


@item(112, "theano.function(updates=dict)")
def test_updates_as_a_dict():
    """A plain dict, too."""
    s, t = theano.shared(1), theano.shared(2)
    run([], [], updates={s: t, t: s})
    assert (s.get_value(), t.get_value()) == (2, 1)


@item(17, "theano.function: list of outputs")
def test_list_of_outputs():
    """A list of arrays, in order; a list of one stays a list."""
    x = T.dscalar()
    found = run([x], [x, x * 2, x * 3], 2)
    assert isinstance(found, list) and [float(v) for v in found] == [2, 4, 6]
    assert run([x], [x], 2) == [2]


@item(183, "theano.function: no outputs (updates only)")
def test_no_outputs():
    """Called for its updates, gives an empty list."""
    s = theano.shared(0)
    f = theano.function([], updates=[(s, s + 1)])
    assert f() == [] and f() == [] and s.get_value() == 2


@item(21, "theano.function(inputs=)")
def test_inputs():
    """By keyword; a variable alone is refused: inputs are a list."""
    x = T.dscalar("x")
    assert theano.function(inputs=[x], outputs=x + 1)(1) == 2
    with pytest.raises(Exception, match="list"):
        theano.function(inputs=x, outputs=x)


@item(22, "theano.function(outputs=)")
def test_outputs():
    """By keyword: a variable, a list, or a dict with names."""
    x = T.dscalar()
    assert theano.function([x], outputs=x + 1)(1) == 2
    found = theano.function([x], outputs={"twice": 2 * x, "thrice": 3 * x})(1)
    assert found["twice"] == 2 and found["thrice"] == 3


@item(41, "theano.function(name=)")
def test_name():
    """Kept and shown."""
    f = theano.function([], T.constant(1), name="train_model")
    assert f.name == "train_model" and "train_model" in repr(f)


@item(51, "theano.function(givens=)")
def test_givens():
    """Replaces inputs, shared variables and inner expressions: minibatches by index above all."""
    data, i, x = theano.shared(numpy.arange(10.0)), T.lscalar(), T.dvector()
    inner = x * 2
    batch = theano.function([i], inner.sum(), givens={x: data[i * 3:(i + 1) * 3]})
    assert batch(1) == 24 and batch(3) == 18
    assert run([x], inner + 1, [5.0], givens={inner: x * 0}) == [1]
    assert run([], data.sum(), givens={data: T.constant(numpy.ones(4))}) == 4


@item(55, "theano.function(givens=dict)")
def test_givens_as_a_dict():
    """From a dict; values that are no variables become constants of the function."""
    x, y = T.dscalars("x", "y")
    assert run([], x - y, givens={x: numpy.float64(5), y: 3.0 * T.ones((), "float64")}) == 2


@item(360, "theano.function(givens=list)")
def test_givens_as_a_list():
    """From pairs; one that replaces another's replacement is refused."""
    x, y = T.dscalars("x", "y")
    assert run([y], x * 2, 4, givens=[(x, y + 1)]) == 10
    with pytest.raises(AssertionError, match="not allowed"):
        theano.function([], x + y, givens=[(x, y), (y, x + 1)])


@item(94, "theano.function(mode=)")
def test_mode():
    """A name or a Mode, with rewrites included and excluded."""
    x = T.dvector()
    fast = theano.compile.mode.get_default_mode()
    for mode in ("FAST_RUN", "FAST_COMPILE", "DebugMode", fast, fast.excluding("fusion"), fast.including("fusion"), None):
        same(run([x], T.exp(x) * 2 + 1, [0.0, 1.0], mode=mode), [3, 2 * numpy.e + 1])
    fused, apart = (theano.function([x], T.exp(x) * 2 + 1, mode=mode) for mode in ("FAST_RUN", theano.Mode("cvm", "fast_run").excluding("fusion")))
    assert len(fused.maker.fgraph.toposort()) < len(apart.maker.fgraph.toposort())


@item(129, "theano.function(profile=)")
def test_profile():
    """True keeps times that `f.profile.summary()` prints; False keeps none."""
    import io
    x, text = T.dvector(), io.StringIO()
    f = theano.function([x], T.exp(x), profile=True, name="profiled")
    f([1.0])
    f.profile.summary(text)
    assert "Message: profiled" in text.getvalue() and "Time in 1 calls" in text.getvalue()
    assert theano.function([x], x, profile=False).profile is None
    theano.compile.profiling._printed.clear()


@item(135, "theano.function(allow_input_downcast=)")
def test_allow_input_downcast():
    """True takes float64 where float32 is declared; without it that is an error that says so."""
    x = T.fvector()
    same(run([x], x, numpy.array([0.1]), allow_input_downcast=True), numpy.float32([0.1]), "float32")
    with pytest.raises(TypeError, match="allow_input_downcast"):
        run([x], x, numpy.array([0.1]), allow_input_downcast=False)


@item(136, "theano.function(on_unused_input=)")
def test_on_unused_input():
    """'raise' by default, 'warn', 'ignore'."""
    x, y = T.dscalars("x", "y")
    with pytest.raises(theano.compile.UnusedInputError):
        theano.function([x, y], x)
    with pytest.warns(UserWarning, match="not part of the computational graph"):
        theano.function([x, y], x, on_unused_input="warn")
    assert theano.function([x, y], x, on_unused_input="ignore")(1, 2) == 1


@item(164, "theano.In")
def test_in():
    """Default values, calls by keyword, values by f[x], updates of an input."""
    x, y, total = T.dscalars("x", "y", "total")
    f = theano.function([x, theano.In(y, value=1), theano.In(total, value=0.0, update=total + x)], [x + y, total])
    assert f(3) == [4, 0] and f(x=2, y=5) == [7, 3] and f[total] == 5
    f[y] = 10
    assert f(0)[0] == 10


@item(181, "theano.In(value=)")
def test_in_value():
    """The value where the call gives none; it is there again at the next call."""
    x, y = T.dscalars("x", "y")
    f = theano.function([x, theano.In(y, value=7)], x + y)
    assert [float(v) for v in (f(1), f(1, 2), f(1))] == [8, 3, 8]


@item(337, "theano.In(name=)")
def test_in_name():
    """The keyword by which it is given."""
    x = T.dscalar("x")
    f = theano.function([theano.In(x, value=2, name="width")], x * 2)
    assert f() == 4 and f(width=5) == 10 and f["width"] == 2


@item(344, "theano.compile.io.In")
def test_io_in():
    """The same class under its long name."""
    assert theano.compile.io.In is theano.In
    x = T.dvector()
    assert run([theano.compile.io.In(x, borrow=True)], x.sum(), numpy.ones(3)) == 3


@item(345, "theano.compile.io.In(value=)")
def test_io_in_value():
    """As theano.In(value=); a value of another type is refused."""
    x = T.dscalar("x")
    assert theano.function([theano.compile.io.In(x, value=3)], x + 1)() == 4
    with pytest.raises(TypeError):
        theano.function([theano.compile.io.In(x, value="three")], x + 1)()


@item(346, "theano.compile.io.Out")
def test_io_out():
    """Around an output, alone or in a list."""
    x = T.dscalar()
    assert run([x], theano.compile.io.Out(x * 2), 3) == 6
    assert run([x], [theano.compile.io.Out(x * 2), x], 3) == [6, 3]


@item(347, "theano.compile.io.Out(borrow=)")
def test_io_out_borrow():
    """True may give the memory itself; without it what comes back is the caller's alone."""
    s = theano.shared(numpy.zeros(3))
    kept = run([], theano.compile.io.Out(s, borrow=False))
    kept[0] = 9
    assert s.get_value()[0] == 0
    same(run([], theano.compile.io.Out(s + 1, borrow=True)), numpy.ones(3))


@item(361, "theano.function_dump")
def test_function_dump(tmp_path):
    """Writes what function() was asked, to be loaded and built elsewhere."""
    import pickle
    x = T.dscalar("x")
    theano.function_dump(str(tmp_path / "dump.pkl"), [x], x * 2, name="dumped")
    with open(tmp_path / "dump.pkl", "rb") as file:
        asked = pickle.load(file)
    f = theano.function(**{name: value for name, value in asked.items() if value is not None})
    assert f(4) == 8 and f.name == "dumped"


@item(157, "Var.eval()")
def test_eval():
    """Compiles once and computes; takes {variable: value}."""
    x, y = T.dvectors("x", "y")
    total = x + y
    same(total.eval({x: [1], y: [2]}), [3])
    same(total.eval({"x": [5], "y": [2]}), [7])
    assert T.constant(2).eval() == 2 and theano.shared(3).eval() == 3
