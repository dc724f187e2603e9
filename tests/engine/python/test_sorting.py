"""sort and argsort against NumPy: short lines and long ones, NaN last, equal elements in their order."""
import numpy
import pytest
import theano
import theano.tensor as T

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]


def values(dtype, length, random):
    if dtype == "bool":
        return random.rand(length) > 0.5
    if dtype.startswith("float"):
        x = (random.randn(length) * 10.0 ** random.randint(-3, 4, length)).astype(dtype)
        special = numpy.array([numpy.nan, -numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, 1.5], dtype)
        return numpy.where(random.rand(length) < 0.3, special[random.randint(0, len(special), length)], x)
    info = numpy.iinfo(dtype)
    x = random.randint(0, 2 ** 63 - 1, length, dtype="int64").view("uint64") * numpy.uint64(2)
    x = x.astype(dtype)
    x[random.rand(length) < 0.2] = info.min
    x[random.rand(length) < 0.2] = info.max
    x[random.rand(length) < 0.2] = 3
    return x


@pytest.mark.parametrize("dtype", DTYPES)
def test_lines_of_every_length(dtype):
    random = numpy.random.RandomState(3)
    x = T.TensorType(dtype, (False,))("x")
    f = theano.function([x], [T.sort(x), T.argsort(x)])
    for length in (0, 1, 2, 31, 32, 63, 64, 127, 128, 255, 256, 257, 1000, 5000, 70001):
        value = values(dtype, length, random)
        before = value.copy()
        ordered, places = f(value)
        numpy.testing.assert_array_equal(ordered, numpy.sort(value))
        numpy.testing.assert_array_equal(places, numpy.argsort(value, kind="stable"))
        assert ordered.dtype == value.dtype
        numpy.testing.assert_array_equal(value, before)


@pytest.mark.parametrize("dtype", ["int16", "float32", "float64"])
def test_every_axis_of_every_layout(dtype):
    random = numpy.random.RandomState(4)
    x = T.TensorType(dtype, (False,) * 3)("x")
    for axis in (0, 1, 2, -1, None):
        f = theano.function([x], [T.sort(x, axis), T.argsort(x, axis)])
        for shape in ((300, 3, 2), (2, 300, 3), (3, 2, 300)):
            value = values(dtype, 1800, random).reshape(shape)
            for one in (value, value[::-1, :, ::-1], numpy.asfortranarray(value), value.transpose(2, 0, 1)):
                ordered, places = f(one)
                numpy.testing.assert_array_equal(ordered, numpy.sort(one, axis))
                numpy.testing.assert_array_equal(places, numpy.argsort(one, axis, kind="stable"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_many_short_rows(dtype):
    """Several rows at once; the bits, too: signed zeros and nans stay in their order."""
    random = numpy.random.RandomState(5)
    x = T.TensorType(dtype, (False, False))("x")
    f = theano.function([x], [T.sort(x), T.argsort(x)])
    for length in (1, 2, 3, 7, 8, 12, 13, 24, 25, 33, 64, 100, 128, 129):
        for rows in (1, 5, 70):
            value = values(dtype, rows * length, random).reshape(rows, length)
            wanted = numpy.argsort(value, axis=1, kind="stable")
            ordered, places = f(value)
            numpy.testing.assert_array_equal(places, wanted)
            numpy.testing.assert_array_equal(ordered.view("u1"), numpy.take_along_axis(value, wanted, 1).view("u1"))


@pytest.mark.parametrize("rows", [1, 40])
def test_places_of_numbers_that_differ_in_their_last_bits(rows):
    """A place and a whole key of 64 bits do not fit into one number."""
    random = numpy.random.RandomState(6)
    for dtype in ("float64", "int64", "uint64"):
        x = T.TensorType(dtype, (False, False))("x")
        f = theano.function([x], T.argsort(x))
        for length in (10, 100, 1000, 4096, 4097):
            bits = random.randint(0, 4, (rows, length)).astype("uint64") + random.randint(0, 2, (rows, length)).astype("uint64") * numpy.uint64(3 << 61)
            value = bits.view(dtype)
            numpy.testing.assert_array_equal(f(value), numpy.argsort(value, axis=1, kind="stable"))


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint64", "float32", "float64"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_places_in_a_sorted_vector(dtype, side):
    random = numpy.random.RandomState(7)
    x, v = T.TensorType(dtype, (False,))("x"), T.TensorType(dtype, (False,))("v")
    f = theano.function([x, v], T.searchsorted(x, v, side=side))
    for length in (0, 1, 2, 3, 10, 127, 1000):
        ordered, wanted = numpy.sort(values(dtype, length, random)), values(dtype, 500, random)
        numpy.testing.assert_array_equal(f(ordered, wanted), numpy.searchsorted(ordered, wanted, side))


def test_one_value_in_most_digits():
    x = T.lvector("x")
    f = theano.function([x], [T.sort(x), T.argsort(x)])
    value = numpy.arange(1000)[::-1] % 7 + (1 << 40)
    ordered, places = f(value)
    numpy.testing.assert_array_equal(ordered, numpy.sort(value))
    numpy.testing.assert_array_equal(places, numpy.argsort(value, kind="stable"))


def test_a_sorter_is_a_vector_of_integers():
    v = T.dvector()
    for wrong, kind in ((T.lmatrix(), ValueError), (T.dvector(), TypeError)):
        with pytest.raises(kind, match="sorter"):
            T.searchsorted(v, v, sorter=wrong)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_different_slices(axis):
    x = T.dmatrix()
    a = numpy.array([[1.0, 2, 1], [0, 0, 0], [1, 2, 1], [0, 0, 0]])
    found = theano.function([x], T.extra_ops.unique(x, True, True, True, axis=axis))(a)
    for got, wanted in zip(found, numpy.unique(a, True, True, True, axis=axis)):
        numpy.testing.assert_array_equal(got, wanted)
    numpy.testing.assert_array_equal(theano.function([x], T.extra_ops.Unique(axis=axis)(x))(a), numpy.unique(a, axis=axis))


def test_none_of_the_largest():
    for function in (T.topk, T.argtopk, T.topk_and_argtopk):
        with pytest.raises(ValueError, match="topk: kth cannot be zero"):
            function(T.dmatrix(), 0)


@pytest.mark.parametrize("mode", [None, "FAST_COMPILE", "DebugMode"])
def test_more_of_the_largest_than_there_are(mode):
    v, k = T.dvector(), T.lscalar()
    for function in (T.topk, T.argtopk, T.topk_and_argtopk):
        run = theano.function([v, k], function(v, k), mode=mode)
        for count in (3, -3, 0):
            with pytest.raises(ValueError, match="topk: kth cannot be zero, nor larger"):
                run([1.0, 2.0], count)
        for count in (3, -3):
            run = theano.function([v], function(v, count), mode=mode)
            run([1.0, 2.0, 3.0])
            with pytest.raises(ValueError, match="topk: kth cannot be zero, nor larger"):
                run([1.0, 2.0])


def test_forward_derivatives_follow_their_elements():
    x, v, axis = T.dmatrix("x"), T.dmatrix("v"), T.iscalar("axis")
    a, b = numpy.array([[3.0, 1, 2], [0, 5, 4]]), numpy.arange(6.0).reshape(2, 3)
    for k in (0, 1):
        wanted = numpy.take_along_axis(b, numpy.argsort(a, k), k)
        numpy.testing.assert_array_equal(theano.function([x, v], theano.Rop(T.sort(x, k), x, v))(a, b), wanted)
        numpy.testing.assert_array_equal(theano.function([x, v, axis], theano.Rop(T.sort(x, axis), x, v))(a, b, k), wanted)
    numpy.testing.assert_array_equal(theano.function([x, v], theano.Rop(T.topk(x, 2), x, v))(a, b), [[2, 0], [5, 4]])
