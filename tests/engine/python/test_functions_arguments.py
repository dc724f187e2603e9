"""How a compiled function takes its arguments: places, names, defaults, conversions."""
import numpy
import pytest
import theano
import theano.tensor as T


def test_inputs_have_to_be_a_list():
    x = T.dscalar("x")
    with pytest.raises(Exception, match="should be contained in a list"):
        theano.function(x, x + 1)


def test_inputs_may_be_a_tuple():
    x = T.dscalar("x")
    assert theano.function((x,), x + 1)(2) == 3


def test_positions_and_names():
    x, y = T.dscalars("x", "y")
    f = theano.function([x, y], x - y)
    assert f(5, 3) == 2
    assert f(x=5, y=3) == 2
    assert f(y=5, x=3) == -2
    assert f(5, y=3) == 2


def test_too_many_arguments():
    x = T.dscalar("x")
    f = theano.function([x], x + 1)
    with pytest.raises(TypeError, match="Too many parameter passed to theano function"):
        f(1, 2)


def test_missing_argument():
    x, y = T.dscalars("x", "y")
    f = theano.function([x, y], x + y)
    with pytest.raises(TypeError, match="Missing required input: y"):
        f(1)


def test_two_values_for_one_input():
    x, y = T.dscalars("x", "y")
    f = theano.function([x, y], x + y)
    with pytest.raises(TypeError, match="Multiple values for input: x"):
        f(1, 2, x=3)


def test_unknown_name():
    x = T.dscalar("x")
    f = theano.function([x], x + 1, name="step")
    with pytest.raises(TypeError, match="step has no input called 'z'"):
        f(1, z=3)


def test_default_value_is_used_again_after_each_call():
    x, y = T.dscalars("x", "y")
    f = theano.function([x, theano.In(y, value=10)], x + y)
    assert f(1) == 11
    assert f(1, 2) == 3
    assert f(1) == 11
    assert f(1, y=5) == 6
    assert f(1) == 11


def test_default_before_a_required_input():
    x, y = T.dscalars("x", "y")
    f = theano.function([theano.In(x, value=7), y], x * y)
    assert f(y=2) == 14
    assert f(3, 2) == 6


def test_name_of_in_replaces_that_of_the_variable():
    x = T.dscalar("x")
    f = theano.function([theano.In(x, name="other")], x + 1)
    assert f(other=1) == 2
    with pytest.raises(TypeError):
        f(x=1)


def test_update_of_an_input_is_the_next_default():
    x = T.dscalar("x")
    s = T.dscalar("s")
    f = theano.function([x, theano.In(s, value=0.0, update=s + x)], s)
    assert f(1) == 0
    assert f(2) == 1
    assert f(10) == 3
    assert f["s"] == 13
    f["s"] = 100
    assert f(1) == 100


def test_update_needs_the_same_type():
    x, s = T.dvector("x"), T.dscalar("s")
    with pytest.raises(TypeError):
        theano.In(s, value=0.0, update=x)


def test_implicit_input_cannot_be_passed():
    x, s = T.dscalar("x"), T.dscalar("s")
    f = theano.function([x, theano.In(s, value=3.0, implicit=True)], x + s)
    assert f(1) == 4
    with pytest.raises(TypeError):
        f(1, 2)
    with pytest.raises(TypeError, match="implicit"):
        f(1, s=2)


def test_strict_wants_the_exact_array():
    x = T.dvector("x")
    f = theano.function([theano.In(x, strict=True)], x + 1)
    assert f(numpy.ones(2)).tolist() == [2, 2]
    with pytest.raises(TypeError):
        f([1.0, 2.0])
    with pytest.raises(TypeError):
        f(numpy.ones(2, "float32"))


def test_float64_array_for_a_float32_input_is_refused():
    x = T.fvector("x")
    f = theano.function([x], x + 1, name="f")
    with pytest.raises(TypeError, match="allow_input_downcast=True"):
        f(numpy.asarray([0.1, 0.2]))


def test_lossless_lists_are_taken():
    x = T.fvector("x")
    f = theano.function([x], x + 1)
    assert f([1.5, 2]).dtype == "float32"
    assert f([1, 2]).tolist() == [2, 3]


def test_numbers_of_numpy_are_taken_for_their_value():
    """An array is taken for its dtype, even one of rank 0."""
    x, i, s = T.dscalar("x"), T.lscalar("i"), T.fscalar("s")
    takes = lambda variable, value: theano.function([variable], variable)(value)
    assert takes(i, numpy.uint64(3)) == 3 and takes(i, numpy.float32(2)) == 2 and takes(x, numpy.longdouble(1)) == 1
    assert takes(s, numpy.float64(0.5)) == 0.5
    for variable, value in ((s, numpy.float64(0.1)), (i, numpy.float64(0.5)), (i, numpy.uint64(2 ** 63)), (x, numpy.complex128(1j)),
                            (i, numpy.array(2.0)), (s, numpy.array(0.5)), (i, numpy.array(3, "uint64"))):
        with pytest.raises(TypeError):
            takes(variable, value)


def test_param_is_the_older_name_of_in():
    x = T.dscalar("x")
    assert theano.function([theano.Param(x, default=4, name="y")], x * 2)() == 8
    assert theano.function([theano.Param(x, 4, "y")], x * 2)(y=1) == 2


def test_allow_input_downcast():
    x = T.fvector("x")
    f = theano.function([x], x + 1, allow_input_downcast=True)
    assert f(numpy.asarray([0.1, 0.2])).dtype == "float32"
    y = T.ivector("y")
    g = theano.function([theano.In(y, allow_downcast=True)], y)
    assert g([1.9, 2.1]).tolist() == [1, 2]


def test_allow_input_downcast_false_refuses_a_python_float():
    with theano.configparser.change_flags(floatX="float32"):
        x = T.scalar("x")
        assert theano.function([x], x)(0.1) == numpy.float32(0.1)
    x = T.fscalar("x")
    f = theano.function([x], x, allow_input_downcast=False)
    with pytest.raises(TypeError):
        f(0.1)
    assert f(numpy.float32(0.1)) == numpy.float32(0.1)


def test_the_flag_of_in_wins_over_that_of_the_function():
    x = T.fvector("x")
    f = theano.function([theano.In(x, allow_downcast=False)], x, allow_input_downcast=True)
    with pytest.raises(TypeError):
        f(numpy.asarray([0.1]))


def test_wrong_rank_names_function_and_place():
    x = T.dmatrix("x")
    f = theano.function([x], x + 1, name="predict")
    with pytest.raises(TypeError) as caught:
        f([1.0, 2.0, 3.0])
    text = str(caught.value)
    assert 'Bad input argument with name "x" to theano function with name "predict" at index 0 (0-based)' in text
    assert "Wrong number of dimensions: expected 2, got 1 with shape (3,)" in text
    assert "test_functions_arguments.py" in text


def test_size_of_a_broadcastable_axis_is_checked():
    x = T.row("x")
    f = theano.function([x], x + 1)
    with pytest.raises(TypeError, match="Non-unit value on shape on a broadcastable dimension"):
        f(numpy.ones((2, 3), theano.config.floatX))


def test_a_symbolic_variable_is_no_value():
    x = T.dvector("x")
    f = theano.function([x], x + 1)
    with pytest.raises(TypeError, match="symbolic"):
        f(x)


def test_trust_input_skips_checks():
    x = T.dvector("x")
    f = theano.function([x], x * 2)
    assert f.trust_input is False
    f.trust_input = True
    assert f(numpy.asarray([1.0, 2.0])).tolist() == [2, 4]
    s = T.dscalar("s")
    g = theano.function([s], s * 2)
    with pytest.raises(TypeError, match="Wrong number of dimensions"):
        g(numpy.asarray([2.0]))
    g.trust_input = True
    assert g(numpy.asarray([2.0])) == g(numpy.asarray([[2]])) == 4


def test_arguments_that_share_memory_are_told_apart():
    x, y = T.dvectors("x", "y")
    f = theano.function([theano.In(x, mutable=True), theano.In(y, mutable=True)], [x + 1, y * 2])
    a = numpy.arange(4.0)
    first, second = f(a, a)
    assert first.tolist() == [1, 2, 3, 4]
    assert second.tolist() == [0, 2, 4, 6]


def test_arguments_are_not_changed():
    x = T.dvector("x")
    f = theano.function([x], T.exp(x) + 1)
    a = numpy.arange(5.0)
    f(a)
    assert a.tolist() == [0, 1, 2, 3, 4]


def test_mutable_needs_borrow():
    with pytest.raises(AssertionError):
        theano.In(T.dvector("x"), mutable=True, borrow=False)


def test_duplicate_inputs_are_refused():
    x = T.dscalar("x")
    with pytest.raises(theano.compile.UnusedInputError, match="used twice"):
        theano.function([x, x], x)


def test_non_native_and_unaligned_arrays_are_taken():
    x = T.dvector("x")
    f = theano.function([x], x + 1)
    assert f(numpy.arange(3).astype(">f8")).tolist() == [1, 2, 3]
    raw = numpy.zeros(8 * 3 + 1, "uint8")
    odd = raw[1:].view("float64")
    odd[:] = [1, 2, 3]
    assert f(odd).tolist() == [2, 3, 4]


def test_subclasses_of_arrays_are_taken():
    x = T.dmatrix("x")
    f = theano.function([x], x * 2)
    assert type(f(numpy.matrix([[1.0, 2.0]]))) is numpy.ndarray


def test_scalar_outputs_are_arrays_of_rank_0():
    x = T.dscalar("x")
    value = theano.function([x], x + 1)(1)
    assert isinstance(value, numpy.ndarray) and value.shape == ()


def test_errors_of_arguments_leave_the_function_usable():
    x = T.dvector("x")
    f = theano.function([x], x + 1)
    for _ in range(3):
        with pytest.raises(TypeError):
            f(numpy.ones((2, 2)))
        assert f([1.0]).tolist() == [2]
