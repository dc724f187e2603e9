"""Updates, givens, default updates, unused and missing inputs, profiles."""
import collections
import warnings

import numpy
import pytest
import theano
import theano.tensor as T


# --- updates ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
@pytest.mark.parametrize("change", [lambda s: s[:2], lambda s: s[:2] * 2, lambda s: s[1:], lambda s: s[::2], lambda s: s[::-1], lambda s: s[:0], lambda s: s.repeat(2)])
def test_an_update_may_be_of_another_size(mode, change):
    for reads_it in (False, True):
        value = numpy.array([1.0, 2, 3])
        s = theano.shared(value, "s")
        f = theano.function([], [s * 1] * reads_it, updates=[(s, change(s))], mode=mode)
        for _ in range(2):
            value = change(value)
            f()
            numpy.testing.assert_array_equal(s.get_value(), value)


@pytest.mark.parametrize("form", [
    lambda a, b: [(a, a + 1), (b, a + b)], lambda a, b: [[a, a + 1], [b, a + b]],
    lambda a, b: collections.OrderedDict([(a, a + 1), (b, a + b)]), lambda a, b: {a: a + 1, b: a + b},
    lambda a, b: ((a, a + 1), (b, a + b)), lambda a, b: theano.OrderedUpdates([(a, a + 1), (b, a + b)]),
], ids=["pairs", "lists", "ordered", "dict", "tuples", "updates"])
def test_forms_of_updates_read_old_values(form):
    a, b = theano.shared(1.0, name="a"), theano.shared(10.0, name="b")
    f = theano.function([], [a, b], updates=form(a, b))
    assert f() == [1, 10]
    assert (a.get_value(), b.get_value()) == (2, 11)
    assert f() == [2, 11]
    assert (a.get_value(), b.get_value()) == (3, 13)


def test_swap_through_updates():
    a, b = theano.shared(numpy.zeros(3)), theano.shared(numpy.ones(3))
    theano.function([], updates=[(a, b), (b, a)])()
    assert a.get_value().tolist() == [1] * 3 and b.get_value().tolist() == [0] * 3
    a.set_value(a.get_value() + 5)
    assert b.get_value().tolist() == [0] * 3


def test_two_updates_of_one_variable():
    a = theano.shared(1.0, name="a")
    with pytest.raises(ValueError, match="already has an update expression"):
        theano.function([], updates=[(a, a + 1), (a, a + 2)])


def test_only_shared_variables_are_updated():
    x = T.dscalar("x")
    with pytest.raises(TypeError, match="update target must be a SharedVariable"):
        theano.function([x], x, updates=[(x, x + 1)])


@pytest.mark.parametrize("value, word", [
    (lambda: theano.shared(numpy.ones(2, "float32")) * numpy.float64(1.0), "astype"),
    (lambda: T.dmatrix("m"), "dimensions"),
])
def test_update_of_another_type_says_what_to_do(value, word):
    w = theano.shared(numpy.ones(2, "float32"), name="w")
    new = value()
    inputs = [new] if new.owner is None else []
    with pytest.raises(TypeError) as caught:
        theano.function(inputs, [], updates=[(w, new)])
    assert word in str(caught.value)
    assert "shared_var=w" in str(caught.value)


def test_update_has_the_broadcast_pattern_of_its_variable():
    w = theano.shared(numpy.ones((2, 3)), name="w")
    row = theano.shared(numpy.zeros((1, 3)), broadcastable=(True, False), name="row")
    for target, value in ((w, row * 1.0), (row, w * 1.0), (w, w.sum(axis=1, keepdims=True)), (row, T.ones((2, 3)))):
        with pytest.raises(TypeError, match="broadcast"):
            theano.function([], updates=[(target, value)])
        target.default_update = value
        with pytest.raises(TypeError):
            theano.function([], target)
        del target.default_update
    theano.function([], updates=[(w, T.unbroadcast(row * 1.0, 0)), (row, numpy.ones((1, 3)))])()
    assert w.get_value().shape == (1, 3) and row.get_value().tolist() == [[1, 1, 1]]


def test_updates_take_numbers():
    w = theano.shared(3.0)
    theano.function([], updates=[(w, 0.0)])()
    assert w.get_value() == 0


# --- default updates --------------------------------------------------------------------------------------
def counter():
    w = theano.shared(0.0, name="w")
    w.default_update = w + 1
    return w


def test_default_update_runs_with_every_function_that_uses_it():
    w = counter()
    f = theano.function([], w * 2)
    assert [float(f()), float(f())] == [0, 2]


def test_updates_win_over_default_updates():
    w = counter()
    theano.function([], w, updates=[(w, w + 10)])()
    assert w.get_value() == 10


def test_no_default_updates():
    w, v = counter(), counter()
    theano.function([], w + v, no_default_updates=True)()
    assert (w.get_value(), v.get_value()) == (0, 0)
    theano.function([], w + v, no_default_updates=[w])()
    assert (w.get_value(), v.get_value()) == (0, 1)
    with pytest.raises(TypeError):
        theano.function([], w, no_default_updates=w)


def test_what_is_given_as_input_updates_nothing():
    w = counter()
    twice = 2 * w
    for output in (twice, twice + 1):
        assert theano.function([twice], output)(21) >= 21 and w.get_value() == 0
    assert theano.function([twice], twice + w)(21) == 21 and w.get_value() == 1


def test_a_default_update_can_be_taken_back():
    w = counter()
    del w.default_update
    assert not hasattr(w, "default_update") and theano.function([], w)() == 0 and w.get_value() == 0


def test_default_updates_are_found_through_other_updates():
    w, target = counter(), theano.shared(0.0)
    chained = theano.shared(0.0)
    chained.default_update = chained + w
    theano.function([], chained)()
    assert w.get_value() == 1
    theano.function([], [], updates=[(target, w)])()
    assert w.get_value() == 2


def test_default_updates_are_found_through_givens():
    w, x = counter(), T.dscalar("x")
    theano.function([], x + 1, givens={x: w})()
    assert w.get_value() == 1


# --- givens -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("form", [dict, lambda pairs: pairs, tuple, collections.OrderedDict], ids=["dict", "list", "tuple", "ordered"])
def test_forms_of_givens(form):
    x, y = T.dscalars("x", "y")
    assert theano.function([x], x + y, givens=form([(y, x * 10)]))(2) == 22


def test_givens_replace_inner_expressions_and_shared_variables():
    x = T.dscalar("x")
    w = theano.shared(5.0)
    y = T.exp(x)
    f = theano.function([], y + w, givens={y: T.constant(numpy.float64(1)), w: T.constant(numpy.float64(2))})
    assert f() == 3


def test_givens_take_values():
    x = T.dvector("x")
    assert theano.function([], x.sum(), givens={x: numpy.arange(4.0)})() == 6
    y = T.fscalar("y")
    assert theano.function([], y, givens={y: 2})().dtype == "float32"


def test_givens_may_contain_what_they_replace():
    x, a = T.dscalar("x"), theano.shared(3.0)
    assert theano.function([], a * 2, givens={a: a + 10})() == 26
    a.default_update = a + 3
    f = theano.function([], a + 10, givens={a: a + 10})
    assert [f(), f()] == [23, 36], "(a + 10) + 3 is the next value"
    del a.default_update
    a.set_value(3.0)
    inner = x * 2
    f = theano.function([x], inner + 1, updates=[(a, inner + a)], givens={inner: inner + 10})
    assert f(1) == 13 and a.get_value() == 15


def test_givens_do_not_replace_inputs():
    x, y = T.dscalars("x", "y")
    for old, new in ((x, x + 10), (y, x)):
        with pytest.raises(RuntimeError, match="`givens` parameter"):
            theano.function([x, y], x + y, givens={old: new})


def test_givens_of_another_type():
    x, single, v = T.dscalar("x"), T.fscalar("single"), T.dvector("v")
    f = theano.function([single], x + 1, givens={x: single}, rebuild_strict=False)
    assert f(1).dtype == "float32"
    with pytest.raises(TypeError, match="Cannot convert Type TensorType"):
        theano.function([single], x + 1, givens={x: single})
    assert theano.function([v], T.exp(x), givens={x: v}, rebuild_strict=False)([0, 0]).tolist() == [1, 1]
    a, b, m = T.ivector(), T.ivector(), T.imatrix()
    product = theano.function([m, b], T.sqr(a * b + 1), givens=[(a, m)], rebuild_strict=False)
    assert product([[4, 5], [5, 4]], [1, -1]).tolist() == [[25, 16], [36, 9]]
    assert theano.clone(a * b, {a: m}, strict=False).ndim == 2
    w = theano.shared(0.0)
    with pytest.raises(TypeError):
        theano.function([v], [], updates=[(w, x)], givens={x: v}, rebuild_strict=False)


def test_minibatch_by_givens():
    index = T.lscalar("index")
    x, data = T.dmatrix("x"), theano.shared(numpy.arange(12.0).reshape(6, 2))
    f = theano.function([index], x.sum(), givens={x: data[index * 2:(index + 1) * 2]})
    assert [float(f(i)) for i in range(3)] == [6, 22, 38]


def test_cyclic_givens():
    a, b = T.dscalars("a", "b")
    with pytest.raises(AssertionError, match="depend on an old_v one"):
        theano.function([], a + b, givens={a: b, b: a + 1})


def test_givens_of_another_rank():
    x = T.dvector("x")
    with pytest.raises(TypeError):
        theano.function([], x, givens={x: T.constant(numpy.ones((2, 2)))})


def test_givens_of_something_else():
    x = T.dscalar("x")
    with pytest.raises(TypeError, match="given keys must be Variable"):
        theano.function([x], x, givens={"x": x})
    with pytest.raises(ValueError, match="list of pairs"):
        theano.function([x], x, givens=[x])


def test_updates_see_givens():
    x, w = T.dscalar("x"), theano.shared(1.0)
    theano.function([], [], updates=[(w, w + x)], givens={x: numpy.float64(5)})()
    assert w.get_value() == 6


# --- inputs that lack or are of no use --------------------------------------------------------------------
def test_unused_input():
    x, y = T.dscalars("x", "y")
    with pytest.raises(theano.compile.UnusedInputError, match="index 1"):
        theano.function([x, y], x)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert theano.function([x, y], x, on_unused_input="warn")(1, 2) == 1
    assert any("index 1" in str(w.message) for w in seen)
    assert theano.function([x, y], x, on_unused_input="ignore")(1, 2) == 1
    with theano.configparser.change_flags(on_unused_input="ignore"):
        theano.function([x, y], x)
    with pytest.raises(ValueError, match="on_unused_input"):
        theano.function([x, y], x, on_unused_input="never")


def test_input_used_by_an_update_only():
    x, w = T.dscalar("x"), theano.shared(0.0)
    theano.function([x], [], updates=[(w, x)])(4)
    assert w.get_value() == 4


def test_missing_input_says_which_and_where():
    x, y = T.dscalars("x", "y")
    with pytest.raises(theano.gof.MissingInputError) as caught:
        theano.function([x], T.exp(x) + y)
    text = str(caught.value)
    assert "y" in text and "test_functions_updates.py" in text


def test_shared_variable_as_input():
    w = theano.shared(1.0, name="w")
    with pytest.raises(TypeError, match="givens"):
        theano.function([w], w)


def test_constant_as_input():
    with pytest.raises(TypeError, match="Constants not allowed in param list"):
        theano.function([T.constant(1.0)], [])


# --- profiles ---------------------------------------------------------------------------------------------
def test_profile_objects():
    x = T.dvector("x")
    f = theano.function([x], T.exp(x).sum(), profile=True)
    f([1.0, 2.0])
    assert f.profile.fct_callcount == 1
    assert f.profile.fct_call_time > 0
    assert theano.function([x], x, profile=False).profile is None
    assert theano.function([x], x).profile is None


def test_one_profile_of_two_functions():
    x = T.dvector("x")
    stats = theano.compile.ProfileStats(atexit_print=False)
    f = theano.function([x], T.exp(x), profile=stats)
    g = theano.function([x], T.log(x), profile=stats)
    f([1.0])
    g([1.0])
    g([1.0])
    assert f.profile is stats and g.profile is stats
    assert stats.fct_callcount == 3


def test_message_of_a_profile():
    x = T.dvector("x")
    f = theano.function([x], x * 2, profile="my step")
    assert f.profile.message == "my step"
