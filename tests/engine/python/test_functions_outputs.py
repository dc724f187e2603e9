"""What a function returns, and when memory is shared."""
import numpy
import pytest
import theano
import theano.tensor as T


def test_single_list_dict_and_none():
    x = T.dscalar("x")
    assert theano.function([x], x + 1)(1) == 2
    assert [float(v) for v in theano.function([x], [x + 1, x * 2])(3)] == [4, 6]
    assert theano.function([x], [x + 1])(1) == [2]
    assert theano.function([x], (x + 1, x))(1) == [2, 1]
    result = theano.function([x], {"b": x + 1, "a": x * 2})(3)
    assert result == {"a": 6, "b": 4}


def test_no_outputs():
    w = theano.shared(1.0)
    for outputs in (None, []):
        f = theano.function([], outputs, updates=[(w, w + 1)])
        assert f() in (None, [])
    assert w.get_value() == 3
    assert theano.function([], None)() in (None, [])


def test_keys_of_a_dictionary_have_to_be_strings():
    x = T.dscalar("x")
    with pytest.raises(AssertionError):
        theano.function([x], {1: x})


def test_a_number_as_output():
    assert theano.function([], [3, T.constant(2.5)])() == [3, 2.5]


def test_something_else_as_output():
    with pytest.raises(TypeError, match="Outputs must be theano Variable or Out instances"):
        theano.function([], object())


def test_out_with_borrow():
    x = T.dvector("x")
    f = theano.function([theano.In(x, borrow=True)], theano.Out(x[1:], borrow=True))
    a = numpy.arange(4.0)
    assert f(a).tolist() == [1, 2, 3]
    assert "Out" in str(theano.Out(x))


def test_identity_holds_one_deep_copy():
    x = T.dvector("x")
    f = theano.function([x], x)
    assert [type(node.op).__name__ for node in f.maker.fgraph.toposort()] == ["DeepCopyOp"]
    a = numpy.arange(3.0)
    assert not numpy.may_share_memory(f(a), a)


def test_outputs_share_memory_with_nothing():
    x = T.dmatrix("x")
    w = theano.shared(numpy.ones((2, 2)))
    f = theano.function([x], [x.T, x[0], x.T, w, w.T])
    a = numpy.arange(4.0).reshape(2, 2)
    results = f(a)
    kept = [r.copy() for r in results]
    for r in results:
        r += 100
    again = f(a)
    for new, old in zip(again, kept):
        numpy.testing.assert_array_equal(new, old)
    for i, r in enumerate(results):
        assert not numpy.may_share_memory(r, a)
        assert all(not numpy.may_share_memory(r, other) for other in results[i + 1:])


def test_output_subset():
    x = T.dscalar("x")
    w = theano.shared(0.0)
    f = theano.function([x], [x + 1, x * 2, x ** 2], updates=[(w, w + x)])
    assert f(3, output_subset=[0, 2]) == [4, 9]
    assert w.get_value() == 3
    assert f(3, output_subset=[1]) == [6]
    assert f(3, output_subset=[]) == []
    assert w.get_value() == 9
    assert f(3) == [4, 6, 9]


def test_output_subset_of_a_single_output_is_a_list():
    x = T.dscalar("x")
    f = theano.function([x], x + 1)
    assert f(3) == 4 and isinstance(f(3, output_subset=[0]), list) and f(3, output_subset=[0]) == [4] and f(3, output_subset=[]) == []


def test_output_subset_of_a_dictionary():
    x = T.dscalar("x")
    f = theano.function([x], {"a": x + 1, "b": x * 2})
    assert f(3, output_subset=["b"]) == {"b": 6}


def test_output_subset_out_of_range():
    x = T.dscalar("x")
    f = theano.function([x], [x + 1])
    with pytest.raises((IndexError, ValueError)):
        f(3, output_subset=[4])


def test_output_subset_leaves_out_what_is_not_needed():
    x = T.dvector("x")
    f = theano.function([x], [x + 1, T.opt.Assert("never")(x, T.eq(x.shape[0], 3))])
    assert f([1.0], output_subset=[0])[0].tolist() == [2]
    with pytest.raises(AssertionError):
        f([1.0])


def test_same_variable_twice():
    x = T.dvector("x")
    y = T.exp(x)
    a, b = theano.function([x], [y, y])([0.0])
    a += 1
    assert b[0] == 1


def test_constant_output_is_a_fresh_copy():
    c = T.constant(numpy.arange(3.0))
    f = theano.function([], c)
    f()[:] = 9
    assert f().tolist() == [0, 1, 2]


def test_a_constant_is_not_borrowed():
    """Small constants are kept once for all graphs."""
    x = T.dscalar("x")
    for mode in ("FAST_RUN", "FAST_COMPILE"):
        small = theano.function([], theano.Out(T.constant(2.0), borrow=True), mode=mode)()
        small *= 25
        assert small == 50 and theano.function([x], x ** 2.0, mode=mode)(3.0) == 9
        several = T.constant(numpy.arange(2.0))
        f = theano.function([], theano.Out(several, borrow=True), mode=mode)
        f()[...] = 9
        assert f().tolist() == several.data.tolist() == [0, 1]
        slope = theano.function([x], theano.Out(T.grad(3 * x, x), borrow=True), mode=mode)
        result = slope(1.0)
        result *= 0
        assert slope(1.0) == 3
