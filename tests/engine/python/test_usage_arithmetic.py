"""Operators and elementwise functions as scripts write them. Numbers are ranks of use."""
import operator

import numpy
import pytest
import theano
import theano.tensor as T
from theano import function

A = numpy.array([[1.5, -2.0, 3.0], [0.5, 4.0, -1.0]])
B = numpy.array([[2.0, 5.0, -3.0], [1.0, -2.0, 0.25]])


def value(expression, **inputs):
    names = {v.name: v for v in theano.gof.graph.inputs([expression]) if v.name in inputs}
    return function([names[n] for n in inputs], expression, on_unused_input="ignore")(*inputs.values())


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "floordiv", "mod", "lt", "le", "gt", "ge"])
def test_binary_operators(name):  # 2, 3, 9, 15, 64, 102, 39, 105, 228
    run = getattr(operator, name)
    x, y = T.dmatrices("x", "y")
    numpy.testing.assert_array_equal(value(run(x, y), x=A, y=B), run(A, B))
    for other in (2, 2.5, numpy.float64(2), B, B[0], 3.0):
        result = run(x, other)
        assert isinstance(result, T.TensorVariable)
        numpy.testing.assert_allclose(value(result, x=A), run(A, other), rtol=1e-15)
        swapped = run(other, x)  # 4
        assert isinstance(swapped, T.TensorVariable), type(other)
        numpy.testing.assert_array_equal(value(swapped, x=A), run(other, A))


def test_power():  # 12
    x = T.dvector("x")
    v = numpy.array([0.5, 2.0, 3.0])
    for exponent in (0, 1, 2, 3, 10, -1, -2, 0.5, -0.5, 2.5):
        numpy.testing.assert_allclose(value(x ** exponent, x=v), v ** exponent, rtol=1e-14)
    numpy.testing.assert_allclose(value(2 ** x, x=v), 2 ** v)
    numpy.testing.assert_allclose(value(x ** x, x=v), v ** v)
    numpy.testing.assert_array_equal(value(x ** 2, x=-v), v ** 2)
    i = T.ivector("i")
    assert (i ** 2).dtype == "int32" and value(i ** 2, i=numpy.array([-3, 4], "int32")).tolist() == [9, 16]
    assert value(T.pow(x, 2), x=v).tolist() == (v ** 2).tolist()


def test_unary_operators():  # 19, 122
    x = T.dmatrix("x")
    assert value(-x, x=A).tolist() == (-A).tolist() and value(abs(x), x=A).tolist() == abs(A).tolist()
    assert value(+x, x=A).tolist() == A.tolist() and value(T.abs_(x), x=A).tolist() == abs(A).tolist()  # 191
    i = T.ivector("i")
    assert value(~i, i=numpy.array([0, 5], "int32")).tolist() == [-1, -6]
    assert value(i & 3, i=numpy.array([5, 6], "int32")).tolist() == [1, 2]
    assert value(i | 1, i=numpy.array([4, 6], "int32")).tolist() == [5, 7]
    assert value(i ^ 1, i=numpy.array([4, 7], "int32")).tolist() == [5, 6]


def test_true_division():  # 15
    i, j = T.ivectors("ij")
    assert (i / j).dtype == "float64" and value(i / j, i=numpy.array([1, 3], "int32"), j=numpy.array([2, 2], "int32")).tolist() == [.5, 1.5]
    with theano.config.change_flags(floatX="float32"):
        assert (i / j).dtype == "float32" and (T.fvector() / 2).dtype == "float32"


def test_floor_and_remainder_have_pythons_sign():  # 64, 102
    i, j = T.lvectors("ij")
    a, b = numpy.array([7, -7, 7, -7, 0]), numpy.array([3, 3, -3, -3, 5])
    assert value(i // j, i=a, j=b).tolist() == (a // b).tolist() and value(i % j, i=a, j=b).tolist() == (a % b).tolist()
    x, y = T.dvectors("xy")
    numpy.testing.assert_array_equal(value(x // y, x=a / 2, y=b / 4), (a / 2) // (b / 4))
    numpy.testing.assert_array_equal(value(x % y, x=a / 2, y=b / 4), (a / 2) % (b / 4))
    quotient, remainder = divmod(i, 4)
    assert value(quotient, i=a).tolist() == (a // 4).tolist() and value(remainder, i=a).tolist() == (a % 4).tolist()


def test_bools_divide_as_integers():
    kind = T.TensorType("bool", (False,))
    x, y = kind("x"), kind("y")
    a, b = numpy.array([1, 0, 1, 0] * 20, bool), numpy.array([0, 0, 1, 1] * 20, bool)
    for mode in ("FAST_RUN", "FAST_COMPILE", "DebugMode"):
        run = lambda expression: function([x, y], expression, mode=mode, on_unused_input="ignore")
        for f in (run([x // y, x % y, x // y | x % y]), run([T.constant(a) // b, T.constant(a) % b, T.constant(a) // b])):
            for _ in range(3):  # interpreted and by kernels
                quotient, rest, both = f(a, b)
                assert quotient.dtype == rest.dtype == both.dtype == bool
                assert quotient.tolist() == both.tolist() == (a & b).tolist() and not rest.any()
    with pytest.raises(T.NotScalarConstantError):
        T.get_scalar_constant_value(T.constant(True) // T.constant(False))


def test_rebinding_makes_a_new_variable():  # 57, 77, 159
    x = T.dvector("x")
    y = x
    y += 1
    z = y
    z *= 2
    z /= 4
    z -= 1
    assert y is not x and value(z, x=[1.0, 3.0]).tolist() == [0, 1] and value(x * 1, x=[1.0]).tolist() == [1]
    array = numpy.ones(2)
    array = array + x
    assert isinstance(array, T.TensorVariable)


def test_sum_of_variables():  # 108
    parts = [T.dscalar(n) for n in "abc"]
    assert function(parts, sum(parts))(1, 2, 3) == 6
    assert function(parts, sum([p ** 2 for p in parts]) / len(parts))(1, 2, 4) == 7


def test_broadcasting_follows_the_declared_pattern():  # 2
    x, v, s, r, c = T.dmatrix("x"), T.dvector("v"), T.dscalar("s"), T.drow("r"), T.dcol("c")
    row, column = numpy.array([[1.0, 2, 3]]), numpy.array([[10.0], [20]])
    assert value(x + v, x=A, v=row[0]).tolist() == (A + row).tolist() and value(x * s, x=A, s=2.0).tolist() == (A * 2).tolist()
    assert value(x + r, x=A, r=row).tolist() == (A + row).tolist() and value(x + c, x=A, c=column).tolist() == (A + column).tolist()
    assert value(r + c, r=row, c=column).tolist() == (row + column).tolist() and (r + c).broadcastable == (False, False)
    assert value(x + x.mean(axis=1, keepdims=True), x=A).tolist() == (A + A.mean(1, keepdims=True)).tolist()
    assert (r + s).broadcastable == (True, False) and (r * r).broadcastable == (True, False)
    with pytest.raises(ValueError, match=r"mis-match.*input\[0\].shape\[0\] = 2, input\[1\].shape\[0\] = 1"):
        value(x + T.dmatrix("y"), x=A, y=row)
    with pytest.raises(ValueError, match="mis-match"):
        value(v + T.dvector("w"), v=[1.0, 2.0], w=[1.0])
    w = theano.shared(row)
    with pytest.raises(ValueError, match="mis-match"):
        value(x + w, x=A)
    assert value(x + T.addbroadcast(w, 0), x=A).tolist() == (A + row).tolist()  # 212


@pytest.mark.parametrize("function_", [T.and_, T.or_, T.xor])
def test_bits_of_an_unsigned_and_a_signed_number_of_64_bits_are_refused(function_):
    x, y = T.TensorType("uint64", (False,))(), T.lvector()
    with pytest.raises(TypeError, match="cast one of the two first"):
        function_(x, y)
    one, two = numpy.array([5], "uint64"), numpy.array([3])
    assert theano.function([x, y], function_(x, y.astype("uint64")))(one, two).dtype == "uint64"


def test_comparisons_are_bool_and_multiply():  # 39, 107, 109, 166, 197, 227
    x, y = T.dvectors("xy")
    a, b = numpy.array([1.0, 2, 3]), numpy.array([1.0, 3, 2])
    for mine, theirs in ((T.eq, numpy.equal), (T.neq, numpy.not_equal), (T.lt, numpy.less), (T.le, numpy.less_equal),
                         (T.gt, numpy.greater), (T.ge, numpy.greater_equal)):
        result = value(mine(x, y), x=a, y=b)
        assert result.dtype == bool and result.tolist() == theirs(a, b).tolist()
    assert value((x > 1) * x, x=a).tolist() == [0, 2, 3] and ((x > 1) * x).dtype == "float64"
    assert T.mean(T.neq(x, y)).dtype == "float64" and value(T.mean(T.neq(x, y)), x=a, y=b) == 2 / 3
    assert value(T.sum(T.eq(x, y)), x=a, y=b) == 1 and T.sum(T.eq(x, y)).dtype == "int64"
    labels = T.ivector("labels")
    assert value(T.mean(T.neq(T.argmax(T.dmatrix("p"), axis=1), labels)), p=A, labels=numpy.array([2, 0], "int32")) == 0.5


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "tanh", "sqr", "cos", "sin", "log1p", "expm1", "sgn", "floor", "ceil", "abs_"])
def test_elementwise_functions(name):  # 20, 30, 44, 52, 110, 216
    theirs = getattr(numpy, {"sqr": "square", "sgn": "sign", "abs_": "abs"}.get(name, name))
    v = numpy.array([[0.1, 0.5, 1.0, 2.5], [3.0, 10.0, 1e-3, 7.0]])
    x = T.dmatrix("x")
    numpy.testing.assert_allclose(value(getattr(T, name)(x), x=v), theirs(v), rtol=1e-14)
    f = T.fmatrix("f")
    result = value(getattr(T, name)(f), f=v.astype("float32"))
    assert result.dtype == numpy.float32
    numpy.testing.assert_allclose(result, theirs(v.astype("float32")), rtol=1e-6)
    numpy.testing.assert_allclose(value(getattr(T, name)(2.5) + 0 * T.dscalar("s"), s=0.0), theirs(2.5), rtol=1e-6)


def test_round():  # 154
    x = T.dvector("x")
    v = numpy.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 2.6])
    assert value(T.round(x), x=v).tolist() == numpy.round(v).tolist()
    assert value(T.round(x, mode="half_away_from_zero"), x=v).tolist() == [1, 2, 3, -1, -2, 2, 3]
    assert value(T.iround(x), x=v).dtype == numpy.int64 and value(x.round(), x=v).tolist() == numpy.round(v).tolist()
    with pytest.raises(TypeError):
        T.round(T.ivector())


def test_maximum_minimum_and_gradient_at_ties():  # 152, 174
    x, y = T.dvectors("xy")
    a, b = numpy.array([1.0, 2, 3]), numpy.array([1.0, 3, 2])
    assert value(T.maximum(x, y), x=a, y=b).tolist() == [1, 3, 3] and value(T.minimum(x, y), x=a, y=b).tolist() == [1, 2, 2]
    relu = T.maximum(0, x)
    assert value(relu, x=numpy.array([-1.0, 0, 2])).tolist() == [0, 0, 2]
    gx, gy = T.grad(T.maximum(x, y).sum(), [x, y])
    both = function([x, y], [gx, gy])(a, b)
    assert both[0].tolist()[1:] == [0, 1] and both[1].tolist()[1:] == [1, 0] and both[0][0] + both[1][0] in (1, 2)


def test_clip_and_switch():  # 63, 104
    x = T.dvector("x")
    v = numpy.array([-2.0, 0.5, 7.0])
    assert value(T.clip(x, 0, 1), x=v).tolist() == [0, 0.5, 1] and value(x.clip(-1, 1), x=v).tolist() == [-1, 0.5, 1]
    assert T.clip(T.fvector(), 0, 1).dtype == "float32"
    assert value(T.grad(T.clip(x, 0, 1).sum(), x), x=v).tolist() == [0, 1, 0]
    assert value(T.switch(x > 0, x, 0), x=v).tolist() == [0, 0.5, 7] and value(T.where(T.lt(x, 1), 1, 2), x=v).tolist() == [1, 1, 2]
    m = T.dmatrix("m")
    assert value(T.switch(m > 0, m, x), m=A, x=v).tolist() == numpy.where(A > 0, A, v).tolist()
    assert value(T.grad(T.switch(x > 0, x ** 2, 3 * x).sum(), x), x=v).tolist() == [3, 1, 14]
    scalar = T.dscalar("scalar")
    assert value(T.switch(scalar > 0, m, -m), scalar=-1.0, m=A).tolist() == (-A).tolist()


def test_cast_and_astype():  # 47, 101
    x = T.dvector("x")
    v = numpy.array([-1.7, 0.0, 2.9])
    assert value(T.cast(x, "int32"), x=v).tolist() == [-1, 0, 2] and T.cast(x, "int32").dtype == "int32"
    assert T.cast(x, "floatX").dtype == "float64" and T.cast(x, "float64") is x
    with theano.config.change_flags(floatX="float32"):
        assert T.cast(x, "floatX").dtype == "float32" and x.astype(theano.config.floatX).dtype == "float32"
    assert x.astype("int8").dtype == "int8" and x.astype(numpy.float32).dtype == "float32" and T.cast(3, "int32").dtype == "int32"
    assert value(T.cast(x, "bool"), x=v).tolist() == [True, False, True]
    with pytest.raises(TypeError):
        T.cast(T.zvector(), "float64")
    with pytest.raises(TypeError):
        T.cast(x, "flaot32")


def test_functions_take_numbers_and_arrays():  # 4
    assert T.exp(0).eval() == 1 and T.add(1, 2).eval() == 3 and T.add(1, 2, 3.5).eval() == 6.5  # 192
    assert T.dot([1, 2], numpy.array([3, 4])).eval() == 11
    assert numpy.asarray((numpy.arange(3) + T.dvector("x")).eval({"x": [1.0, 1, 1]})).tolist() == [1, 2, 3]
    assert (numpy.float32(2) * T.fvector()).dtype == "float32" and (numpy.float64(2) * T.fvector()).dtype == "float64"


def test_python_floats_stay_weak():
    assert (T.fvector() * 0.1).dtype == "float64"
    with theano.config.change_flags(floatX="float32"):
        assert (T.fvector() * 0.1).dtype == "float32" and (T.fvector() * numpy.float64(0.1)).dtype == "float64"
        assert (T.fvector() * T.ivector()).dtype == "float64" and (T.fvector() + 1).dtype == "float32"
    assert (T.bvector() + 1).dtype == "int8" and (T.bvector() + 300).dtype == "int16"


def test_round_names_its_modes():
    for function in (T.round, T.iround):
        with pytest.raises(ValueError, match="half_to_even and half_away_from_zero, not 'up'"):
            function(T.dscalar(), mode="up")
