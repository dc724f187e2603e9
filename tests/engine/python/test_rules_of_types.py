"""How dtypes, constants, values fed and updates are converted: the rules of Theano, one by one."""
import itertools

import numpy
import pytest
import theano
import theano.tensor as T
from theano import config, function, shared

ALL = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
       "complex64", "complex128"]
REAL = ALL[:12]


@pytest.mark.parametrize("op", ["add", "mul", "sub"])
def test_arrays_promote_as_in_numpy(op):
    for a, b in itertools.product(ALL, ALL):
        if op == "sub" and "bool" in (a, b):
            if a == b:
                with pytest.raises(TypeError):
                    T.sub(T.vector(dtype=a), T.vector(dtype=b))
            continue
        assert getattr(T, op)(T.vector(dtype=a), T.vector(dtype=b)).dtype == str(numpy.promote_types(a, b)), (a, b)


@pytest.mark.parametrize("dtype", ALL)
def test_every_dtype_holds_and_computes(dtype):
    x = T.vector("x", dtype=dtype)
    v = numpy.array([0, 1, 1, 0, 1]).astype(dtype)
    assert x.dtype == dtype
    for expression, wanted in ((x + x, v + v), (x * x, v * v), (T.eq(x, x), v == v), (x[::-1], v[::-1]), (x.astype("complex128"), v.astype("complex128")),
                               (T.concatenate([x, x]), numpy.concatenate([v, v])), (T.sum(x), v.sum()), (x.reshape((5, 1)), v.reshape(5, 1)),
                               (T.switch(T.constant(numpy.bool_(True)), x, x), v)):
        result = function([x], expression)(v)
        assert result.tolist() == wanted.tolist() and str(result.dtype) == expression.dtype, (dtype, str(expression))
    s = shared(v)
    assert s.dtype == dtype and s.get_value().dtype == dtype and function([], s * 1)().tolist() == v.tolist()
    assert function([x], x.astype("float64") if not dtype.startswith("complex") else x.real)(v).dtype in (numpy.float64, numpy.float32)


def test_numpy_plus_floatx():
    with config.change_flags(cast_policy="numpy+floatX", floatX="float32"):
        assert (T.ivector() + T.fvector()).dtype == "float32" and (T.lvector() * T.fvector()).dtype == "float32"
        assert (T.dvector() + T.fvector()).dtype == "float64"
    assert (T.ivector() + T.fvector()).dtype == "float64"


def test_literals():
    for value, dtype in ((1, "int8"), (-128, "int8"), (128, "int16"), (-129, "int16"), (40000, "int32"), (2 ** 31, "int64"), (-2 ** 63, "int64")):
        assert T.as_tensor_variable(value).dtype == dtype, value
    assert T.as_tensor_variable(0.5).dtype == "float32" and T.as_tensor_variable(0.1).dtype == "float64"
    assert T.as_tensor_variable(1e300).dtype == "float64" and T.as_tensor_variable(float("inf")).dtype == "float32"
    assert T.as_tensor_variable(numpy.float64(0.5)).dtype == "float64" and T.as_tensor_variable(numpy.int64(1)).dtype == "int64"
    with config.change_flags(floatX="float32"):
        assert T.as_tensor_variable(0.1).dtype == "float32" and T.as_tensor_variable(0.5).dtype == "float32"
    with config.change_flags(floatX="float16"):
        assert T.as_tensor_variable(0.5).dtype == "float16"


DISCRETE = ALL[:9]


def test_division():
    for a, b in itertools.product(DISCRETE, DISCRETE):
        assert T.true_div(T.vector(dtype=a), T.vector(dtype=b)).dtype == "float64", (a, b)
        with config.change_flags(floatX="float32"):
            assert (T.vector(dtype=a) / T.vector(dtype=b)).dtype == "float32", (a, b)
    assert (T.fvector() / T.bvector()).dtype == "float32" and (T.fvector() / T.ivector()).dtype == "float64"
    assert T.int_div(T.ivector(), T.lvector()).dtype == "int64" and T.mod(T.bvector(), T.wvector()).dtype == "int16"
    for a, b in itertools.product([7, -7, 8, -8, 0], [3, -3, 2, -2]):
        for dtype in ("int8", "int16", "int32", "int64"):
            x, y = T.scalar("x", dtype), T.scalar("y", dtype)
            assert [int(v) for v in function([x, y], [x // y, x % y])(a, b)] == [a // b, a % b]
    with pytest.raises(TypeError):
        T.zvector() // 2
    with pytest.raises(TypeError):
        T.zvector() % 2


def test_float_functions_of_integers():
    small = {"bool", "int8", "int16", "uint8", "uint16"}
    for dtype in DISCRETE:
        for name in ("sin", "exp", "log", "sqrt", "tanh", "log1p", "arctan", "erf", "ceil", "floor", "trunc"):
            result = getattr(T, name)(T.vector(dtype=dtype))
            assert result.dtype == ("float32" if dtype in small else "float64"), (name, dtype)
        assert T.nnet.sigmoid(T.vector(dtype=dtype)).dtype == ("float32" if dtype in small else "float64")
    for dtype in ("float16", "float32", "float64"):
        assert T.exp(T.vector(dtype=dtype)).dtype == dtype
    x = T.ivector("x")
    numpy.testing.assert_allclose(function([x], T.exp(x))([1, 2]), numpy.exp([1, 2]))
    numpy.testing.assert_allclose(function([x], T.sqrt(x))([4, 9]), [2, 3])
    with pytest.raises(TypeError):
        T.round(x)


def test_booleans():
    b = T.vector("b", dtype="bool")
    with pytest.raises(TypeError):
        -b
    with pytest.raises(TypeError):
        b - b
    assert (b ** b).dtype == "int8" and (~b).dtype == "bool" and (b & b).dtype == "bool" and (b + b).dtype == "bool"
    assert function([b], ~b)([True, False]).tolist() == [False, True]
    assert (b * T.fvector()).dtype == "float32" and (1 - b).dtype == "int8"


def test_complex_numbers():
    z, w = T.zvector("z"), T.cvector("w")
    v = numpy.array([1 + 2j, -3j])
    for expression, wanted in ((T.real(z), v.real), (z.imag, v.imag), (abs(z), abs(v)), (T.angle(z), numpy.angle(v)), (z.conj(), v.conj()),
                               (z * z, v * v), (z / 2, v / 2), (T.exp(z), numpy.exp(v)), (T.sqr(z), v * v), (z ** 2, v ** 2), (-z, -v)):
        numpy.testing.assert_allclose(function([z], expression)(v), wanted, rtol=1e-12)
    assert abs(z).dtype == "float64" and abs(w).dtype == "float32" and T.real(w).dtype == "float32" and (w + z).dtype == "complex128"
    for wrong in (lambda: z > 1, lambda: z <= z, lambda: T.ceil(z), lambda: T.floor(z), lambda: T.cast(z, "float64")):
        with pytest.raises(TypeError):
            wrong()


def test_accumulators():
    ops = {dtype: T.sum(T.vector(dtype=dtype)).owner.op for dtype in ALL if dtype != "complex128"}
    for dtype, acc in (("float16", "float32"), ("float32", "float64"), ("int8", "int64"), ("uint8", "uint64"), ("bool", "int64"),
                       ("complex64", "complex128"), ("float64", "float64")):
        assert "acc_dtype=%s" % acc in str(ops[dtype]), (dtype, str(ops[dtype]))
    assert T.sum(T.ivector(), dtype="int32").dtype == "int32"
    with pytest.raises(TypeError):
        T.sum(T.dvector(), acc_dtype="float32")
    assert T.sum(T.vector(dtype="float16")).dtype == "float16"
    for dtype in ("float16", "float32"):
        assert T.mean(T.vector(dtype=dtype)).dtype == dtype
    h = T.vector("h", dtype="float16")
    assert function([h], h.mean())(numpy.full(5000, 100, "float16")) == 100


def test_positions_are_int64():
    x = T.fmatrix("x")
    for expression in (T.argmax(x), T.argmin(x, axis=0), x.shape, x.shape[0], T.arange(T.bscalar()), x.nonzero()[0], T.argsort(x)):
        assert expression.dtype == "int64"


def test_constants_broadcast_and_shared_variables_do_not():
    assert T.constant(numpy.zeros((1, 3, 1))).broadcastable == (True, False, True)
    assert shared(numpy.zeros((1, 3, 1))).broadcastable == (False,) * 3
    assert shared(numpy.zeros((1, 3)), broadcastable=(True, False)).broadcastable == (True, False)
    x = T.dmatrix("x")
    assert (x + numpy.ones((1, 3))).broadcastable == (False, False)
    assert function([x], x + numpy.ones((1, 3)))(numpy.zeros((2, 3))).tolist() == [[1] * 3] * 2
    assert str(T.dvector("v") + x).startswith("Elemwise{add") and (T.dvector() + x).owner.inputs[0].owner.op.new_order == ("x", 0)


def test_less_broadcastable_is_implicit():
    s = shared(numpy.zeros((1, 3)))
    row = T.drow("row")
    m = T.dmatrix()
    assert function([row], m + 1, givens={m: row})(numpy.zeros((1, 3))).tolist() == [[1, 1, 1]]
    with pytest.raises(TypeError):
        function([m], row + 1, givens={row: m})
    with pytest.raises(TypeError):  # not so where a variable keeps the value
        function([row], updates=[(s, row + 1)])


FILTER = [  # type, value, strict, allow_downcast → what holds
    (T.fvector, numpy.zeros(2, "float32"), True, None, True), (T.fvector, numpy.zeros(2), True, None, False),
    (T.fvector, [1.0], True, None, False), (T.fvector, numpy.zeros(2), False, True, True), (T.fvector, numpy.zeros(2), False, False, False),
    (T.fvector, numpy.zeros(2), False, None, False), (T.dvector, numpy.zeros(2, "float32"), False, False, True),
    (T.dvector, numpy.zeros(2, "int64"), False, None, True), (T.fscalar, 0.5, False, False, True), (T.fscalar, 0.1, False, False, False),
    (T.dscalar, 0.1, False, None, True), (T.iscalar, 3, False, None, True), (T.iscalar, 2 ** 40, False, None, False),
    (T.bscalar, 127, False, None, True), (T.bscalar, 128, False, None, False), (T.iscalar, 2.0, False, None, True),
    (T.iscalar, 2.5, False, None, False), (T.iscalar, 2.5, False, True, True), (T.ivector, numpy.zeros(2, "int64"), False, None, False),
    (T.lvector, numpy.zeros(2, "int32"), False, None, True), (T.dmatrix, [[1, 2], [3, 4]], False, None, True),
    (T.dmatrix, [[1, 2], [3]], False, None, False), (T.dvector, "text", False, None, False), (T.zscalar, 1.5, False, None, True),
    (T.dscalar, 1j, False, None, False), (T.dscalar, numpy.float32(1), False, None, True), (T.fscalar, numpy.float64(1), False, None, True),
    (T.fscalar, numpy.float64(0.1), False, None, False),
]


@pytest.mark.parametrize("type_, value, strict, downcast, holds", FILTER, ids=range(len(FILTER)))
def test_feeding(type_, value, strict, downcast, holds):
    def feed():
        x = type_("x")
        return function([theano.In(x, strict=strict, allow_downcast=downcast)], x * 1)(value)
    if holds:
        assert type_.filter(value, strict=strict, allow_downcast=downcast).dtype == type_.dtype
        assert str(feed().dtype) == type_.dtype
    else:
        for run in (feed, lambda: type_.filter(value, strict=strict, allow_downcast=downcast)):
            with pytest.raises((TypeError, ValueError)):
                run()


def test_floatx_scalar_takes_a_python_float():
    with config.change_flags(floatX="float32"):
        x = T.scalar("x")
        assert function([x], x)(0.1) == numpy.float32(0.1)
        v = T.vector("v")
        with pytest.raises(TypeError):
            function([v], v)(numpy.array([0.1]))
        assert function([v], v)([0.5]).dtype == numpy.float32


def test_what_the_errors_say():
    x = T.fmatrix("x")
    f = function([x], x * 2, name="double")
    with pytest.raises(TypeError) as caught:
        f(numpy.zeros((2, 2)))
    text = str(caught.value)
    assert "Bad input argument" in text and 'function with name "double' in text and "index 0 (0-based)" in text
    assert "allow_input_downcast=True" in text and "float64" in text
    with pytest.raises(TypeError, match=r"Wrong number of dimensions: expected 2, got 1 with shape \(3,\)"):
        f(numpy.zeros(3, "float32"))
    with pytest.raises(TypeError, match="Variable"):
        f(x)
    s = shared(numpy.zeros(2, "float32"))
    with pytest.raises(TypeError):
        s.set_value(numpy.zeros(2))
    with pytest.raises(TypeError):
        T.grad(T.ivector().sum(), [T.dvector()], disconnected_inputs="ignore") and T.grad(T.dvector(), T.dvector())


def test_updates_need_the_same_type():
    s = shared(numpy.zeros((2, 2), "float32"), name="s")
    for wrong in (s.astype("float64"), s.sum(), T.dmatrix() * 1):
        with pytest.raises(TypeError):
            function([], updates=[(s, wrong)], on_unused_input="ignore")
    function([], updates=[(s, s + 1)])()
    assert s.get_value().sum() == 4


def test_givens_are_simultaneous():
    a, b = T.dscalars("ab")
    c = T.dscalar("c")
    mid = a * 2
    assert function([c], mid + 1, givens={mid: c})(5) == 6
    assert function([], mid, givens={a: 4.0})() == 8
    with pytest.raises((AssertionError, ValueError, TypeError)):
        function([], a * b, givens=[(a, b + 1), (b, a + 1)])
    s = shared(2.0)
    assert function([], s * 3, givens={s: 5.0})() == 15
    with pytest.raises(TypeError):
        function([c], a, givens={a: T.dvector()}, on_unused_input="ignore")


def test_constants_text_and_cache():
    assert T.constant(5) is T.constant(5) and T.constant(-10) is T.constant(-10)
    assert str(T.constant(5)) == "TensorConstant{5}"
    a = function([], [T.constant(numpy.arange(3)) * 2, T.constant(numpy.arange(3)) + 1])
    assert a()[1].tolist() == [1, 2, 3]


def test_division_of_python_2_asks_the_flag():
    """In today's Python / is true division, as it is in Theano there; __div__ is what scripts of Python 2 wrote / for."""
    from croton.compat.python2.builtins import divide
    i, j, x = T.iscalar("i"), T.lscalar("j"), T.fscalar("x")
    assert (i / j).eval({i: 7, j: 2}) == 3.5
    with pytest.warns(DeprecationWarning, match="x // y"):
        quotient = i.__div__(j)
    assert quotient.dtype == "int64" and quotient.eval({i: -7, j: 2}) == -4
    with pytest.warns(DeprecationWarning):
        assert divide(7, j).eval({j: 2}) == 3 == divide(i, 2).eval({i: 7})
    assert i.__div__(x).dtype == "float64" and divide(x, 2).eval({x: 7}) == 3.5 and divide(7, 2) == 3 and divide(7.0, 2) == 3.5
    theano.config.int_division = "floatX"
    assert divide(i, j).dtype == "float64" and i.__rdiv__(7).eval({i: 2}) == 3.5
    theano.config.int_division = "raise"
    with pytest.raises(T.IntegerDivisionError, match="int_division"):
        divide(i, j)
    assert (i / j).eval({i: 7, j: 2}) == 3.5
