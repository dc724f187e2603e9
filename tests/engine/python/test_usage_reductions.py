"""Reductions and products as scripts write them. Numbers are ranks of use."""
import numpy
import pytest
import theano
import theano.tensor as T
from theano import function

A = numpy.random.RandomState(0).randn(3, 4, 5)


def value(expression, *values):
    inputs = [v for v in theano.gof.graph.inputs([expression]) if not isinstance(v, (theano.Constant, theano.compile.SharedVariable))]
    inputs.sort(key=lambda v: v.name)
    return function(inputs, expression)(*values)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, -3, (0, 1), (0, -1), [1, 2], (0, 1, 2)])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "var", "std", "any", "all", "argmax", "argmin"])
def test_axes(name, axis):  # 16, 125, 145, 27, 43, 46, 49, 81, 134, 186, 218, 219, 220, 224, 225
    x = T.dtensor3("x")
    there = axis if not isinstance(axis, list) else tuple(axis)
    for keepdims in (False, True):
        if name in ("argmax", "argmin"):
            if isinstance(axis, (tuple, list)) and len(axis) < 3:
                return
            flat = axis is None or isinstance(axis, tuple)
            wanted = getattr(numpy, name)(A, axis=None if flat else axis, keepdims=keepdims)
        else:
            wanted = getattr(numpy, name)(A, axis=there, keepdims=keepdims)
        for expression in (getattr(T, name)(x, axis=axis, keepdims=keepdims), getattr(x, name)(axis=axis, keepdims=keepdims)):
            result = value(expression, A)
            numpy.testing.assert_allclose(result, wanted, rtol=1e-12)
            assert expression.ndim == wanted.ndim and result.shape == wanted.shape
            assert expression.broadcastable == tuple([True if keepdims and (axis is None or i in [a % 3 for a in numpy.atleast_1d(axis)])
                                                      else False for i in range(3)] if keepdims else [False] * wanted.ndim)
            if name in ("any", "all"):
                assert result.dtype == bool


def test_dtypes_of_sums():
    for dtype, out in (("int8", "int64"), ("int32", "int64"), ("uint8", "uint64"), ("bool", "int64"), ("float32", "float32"),
                       ("float64", "float64"), ("int64", "int64"), ("uint64", "uint64"), ("complex64", "complex64")):
        assert T.sum(T.vector(dtype=dtype)).dtype == out and T.prod(T.vector(dtype=dtype)).dtype == out, dtype
    assert T.sum(T.ivector(), dtype="float32").dtype == "float32" and T.sum(T.fvector(), acc_dtype="float64").dtype == "float32"
    assert T.mean(T.ivector()).dtype == "float64" and T.mean(T.fvector()).dtype == "float32"  # 198
    assert T.mean(T.fvector(), dtype="float64").dtype == "float64" and T.mean(T.vector(dtype="bool")).dtype == "float64"
    assert T.mean(T.ivector(), dtype="float32").dtype == "float32"
    big = numpy.full(1000, 200, "uint8")
    x = T.vector("x", dtype="uint8")
    assert value(x.sum(), big) == 200000 and value(x.mean(), big) == 200
    f = T.fvector("f")
    assert value(f.sum(), numpy.full(10 ** 6, 0.1, "float32")) == pytest.approx(100000, rel=1e-6)
    with pytest.raises(TypeError):
        T.sum(T.dvector(), acc_dtype="float32")


def test_argmax_is_int64():  # 42
    x = T.fmatrix("x")
    assert T.argmax(x).dtype == "int64" and T.argmax(x, axis=1).dtype == "int64"
    assert value(T.argmax(x, axis=1), numpy.array([[1, 5, 5], [0, 0, 0]], "float32")).tolist() == [1, 0]
    largest, where = T.max_and_argmax(x, axis=-1)
    assert value(largest, numpy.eye(2, dtype="float32")).tolist() == [1, 1]
    with pytest.raises(ValueError):
        T.argmax(x, axis=2)
    with pytest.raises(ValueError):
        x.sum(axis=-3)


def test_numbers_of_nothing():
    x = T.dmatrix("x")
    empty = numpy.zeros((0, 3))
    assert value(x.sum(), empty) == 0 and value(x.prod(axis=0), empty).tolist() == [1, 1, 1] and value(x.any(), empty) == False  # noqa: E712
    assert numpy.isnan(value(x.mean(), empty)) and value(x.sum(axis=1), empty).shape == (0,)
    with pytest.raises(ValueError):
        value(x.max(), empty)
    assert value(x.max(axis=1), empty).shape == (0,)


def test_gradients():
    x = T.dtensor3("x")
    for expression in (x.sum(axis=1), x.mean(axis=(0, 2)), x.max(axis=2), x.prod(axis=0), x.var(axis=1), x.std(), x.min()):
        cost = (expression ** 2).sum()
        gradient = value(T.grad(cost, x), A)
        step = numpy.zeros_like(A)
        step[1, 2, 3] = 1e-6
        numeric = (value(cost, A + step) - value(cost, A - step)) / 2e-6
        assert gradient[1, 2, 3] == pytest.approx(numeric, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("shapes", [((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 2)), ((3, 4), (4, 2)), ((2, 3, 4), (4,)),
                                    ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)), ((2, 3, 4), (5, 4, 2)), ((), (3,)), ((2, 2), ())])
def test_dot(shapes):  # 7
    a, b = (numpy.random.RandomState(i).randn(*shape) for i, shape in enumerate(shapes))
    x, y = (T.TensorType("float64", (False,) * len(shape))(name) for name, shape in zip("xy", shapes))
    wanted = numpy.dot(a, b)
    for expression in (T.dot(x, y), x.dot(y), theano.dot(x, y)):
        numpy.testing.assert_allclose(value(expression, a, b), wanted, rtol=1e-12)
    gx, gy = T.grad(T.dot(x, y).sum(), [x, y])
    assert function([x, y], gx, on_unused_input="ignore")(a, b).shape == shapes[0]
    assert function([x, y], gy, on_unused_input="ignore")(a, b).shape == shapes[1]
    theano.gradient.verify_grad(lambda x, y: T.dot(x, y), [numpy.asarray(a), numpy.asarray(b)], rng=numpy.random.RandomState(1))


def test_dot_of_other_types():
    i, f = T.imatrix("i"), T.fmatrix("f")
    assert T.dot(i, f).dtype == "float64" and T.dot(f, f).dtype == "float32" and T.dot(i, i).dtype == "int32"
    assert value(T.dot(i, i), numpy.arange(4, dtype="int32").reshape(2, 2)).tolist() == [[2, 3], [6, 11]]
    x, y = T.dmatrices("xy")
    with pytest.raises(ValueError, match=r"x has 3 cols \(and 2 rows\) but y has 2 rows \(and 3 cols\)"):
        value(T.dot(x, y), numpy.ones((2, 3)), numpy.ones((2, 3)))
    assert value(x @ y, numpy.eye(2), numpy.eye(2)).tolist() == [[1, 0], [0, 1]]


def test_tensordot_and_batched_dot():  # 188, 196, 222
    x, y = T.dtensor3("x"), T.dtensor3("y")
    a, b = A, numpy.random.RandomState(1).randn(5, 4, 2)
    for axes in (1, ([2], [0]), [[1, 2], [1, 0]], ((2, 1), (0, 1)), (2, 0)):
        numpy.testing.assert_allclose(value(T.tensordot(x, y, axes=axes), a, b), numpy.tensordot(a, b, axes))
    assert value(T.tensordot(x, y, axes=0), a, b).shape == (3, 4, 5, 5, 4, 2)
    left, right = numpy.random.randn(6, 2, 3), numpy.random.randn(6, 3, 4)
    numpy.testing.assert_allclose(value(T.batched_dot(x, y), left, right), left @ right)
    m = T.dmatrix("m")
    numpy.testing.assert_allclose(value(T.batched_dot(m, x), left[:, 0], right), numpy.einsum("ij,ijk->ik", left[:, 0], right))
    v, w = T.dvector("v"), T.dvector("w")
    numpy.testing.assert_allclose(value(T.outer(v, w), [1.0, 2], [3.0, 4, 5]), numpy.outer([1, 2], [3, 4, 5]))
    with pytest.raises(ValueError):
        T.tensordot(x, y, axes=4)


def test_norm_cumsum_and_order():  # 194, 195
    x = T.dmatrix("x")
    v = A[0]
    numpy.testing.assert_allclose(value(x.norm(2), v), numpy.linalg.norm(v))
    numpy.testing.assert_allclose(value(x.norm(2, axis=1), v), numpy.linalg.norm(v, axis=1))
    for axis in (None, 0, 1, -1):
        numpy.testing.assert_allclose(value(x.cumsum(axis=axis), v), numpy.cumsum(v, axis))
        numpy.testing.assert_allclose(value(T.extra_ops.cumprod(x, axis=axis), v), numpy.cumprod(v, axis))
        numpy.testing.assert_array_equal(value(T.argsort(x, axis=axis), v), numpy.argsort(v, axis=axis))
        numpy.testing.assert_array_equal(value(T.sort(x, axis=axis), v), numpy.sort(v, axis=axis))
    assert T.argsort(x).dtype == "int64" and value(x.argsort(), v).tolist() == numpy.argsort(v).tolist()
    assert value(x.ptp(), v) == numpy.ptp(v)


@pytest.mark.parametrize("dtype, wanted", [("int32", "int64"), ("bool", "int64"), ("uint8", "uint64"), ("float32", "float32"), ("int64", "int64")])
def test_no_axis_sums_nothing_but_widens(dtype, wanted):
    x = T.tensor(dtype, (False, False))
    for kind in ("sum", "prod"):
        for nothing in ([], ()):
            result = getattr(T, kind)(x, axis=nothing)
            assert result.dtype == wanted and result.ndim == 2
    assert T.sum(x, axis=[], dtype="float64").dtype == "float64" and T.max(x, axis=()).dtype == dtype


def test_no_axis_of_means_and_variances():
    s, x, i = T.dscalar("s"), T.dmatrix("x"), T.imatrix("i")
    v = numpy.array([[1.0, 2.0], [3.0, 5.0]])
    assert T.mean(s).eval({s: 3.0}) == 3 and s.name == "s"
    assert T.mean(i, axis=[]).dtype == "float64"
    for name, options in (("mean", {}), ("var", {}), ("std", {}), ("var", {"ddof": -1}), ("var", {"keepdims": True})):
        numpy.testing.assert_array_equal(value(getattr(T, name)(x, axis=(), **options), v), getattr(numpy, name)(v, axis=(), **options))


@pytest.mark.parametrize("axis", [numpy.array(1), numpy.array([0, 2]), [numpy.array(1)], numpy.int8(1)])
def test_axes_as_arrays(axis):
    x = T.dtensor3("x")
    plain = tuple(numpy.atleast_1d(axis).ravel().tolist())
    for name in ("sum", "max", "mean", "var", "any"):
        numpy.testing.assert_allclose(value(getattr(T, name)(x, axis=axis), A), getattr(numpy, name)(A, axis=plain))


def test_a_sum_of_floats_as_integers_is_cut_at_the_end():
    x = T.dvector("x")
    assert value(T.sum(x, dtype="int32"), [0.6, 0.6, 0.9]) == 2 and T.sum(x, dtype="int32").dtype == "int32"


def test_counts_refuse_what_is_negative_if_asked_to():
    v = T.lvector("v")
    counts = function([v], T.bincount(v, assert_nonneg=True))
    assert counts([1, 1, 3]).tolist() == [0, 2, 0, 1]
    with pytest.raises(AssertionError, match="negative"):
        counts([1, -1])
    for wrong in (T.dvector(), T.tensor("bool", (False,))):
        with pytest.raises(TypeError):
            T.bincount(wrong)
