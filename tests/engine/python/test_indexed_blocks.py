"""Reading and writing where integers say, against NumPy: dtypes and layouts of the integers, sizes of the blocks, what is outside."""
import numpy
import pytest
import theano
import theano.tensor as T

INDEX_DTYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"]
VALUE_DTYPES = ["bool", "int8", "int16", "float32", "float64", "int64", "complex128"]


def function(inputs, outputs):
    return theano.function(inputs, outputs, on_unused_input="ignore")


def variable(array, name):
    return T.TensorType(str(array.dtype), (False,) * array.ndim)(name)


def numbers(dtype, shape):
    return (numpy.arange(numpy.prod(shape)) * 37 % 101).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", INDEX_DTYPES)
def test_layouts_of_integers(dtype):
    x = numbers("float32", (11, 13))
    random = numpy.random.RandomState(1)
    rows = random.randint(0 if dtype.startswith("u") else -11, 11, (9, 20)).astype(dtype)
    layouts = [rows, rows[::2], rows[:, ::3], rows[:, ::-1], rows[::-1, 4:], rows.T, numpy.asfortranarray(rows), rows[:, 0], rows[3], rows[:0]]
    for places in layouts:
        a, k = variable(x, "a"), variable(places, "k")
        numpy.testing.assert_array_equal(function([a, k], a[k])(x, places), x[places])
        numpy.testing.assert_array_equal(function([a, k], a[:, k])(x, places), x[:, places])


@pytest.mark.parametrize("dtype", INDEX_DTYPES)
def test_integers_spread_over_one_another(dtype):
    x = numbers("float64", (7, 5, 6))
    random = numpy.random.RandomState(2)
    a = T.dtensor3("a")
    for first, second in (((4, 1), (1, 9)), ((4, 1), (1, 3)), ((9,), (4, 9)), ((1,), (12,)), ((3, 1, 2), (10, 1))):
        k, l = random.randint(0, 5, first).astype(dtype), random.randint(0, 5, second).astype(dtype)
        i, j = variable(k, "i"), variable(l, "j")
        numpy.testing.assert_array_equal(function([a, i, j], a[i, j])(x, k, l), x[k, l])
        numpy.testing.assert_array_equal(function([a, i, j], a[:, i, j])(x, k, l), x[:, k, l])
        wanted, terms = x.copy(), numbers("float64", x[:, k, l].shape)
        numpy.add.at(wanted, (slice(None), k, l), terms)
        t = variable(terms, "t")
        numpy.testing.assert_array_equal(function([a, i, j, t], T.inc_subtensor(a[:, i, j], t))(x, k, l, terms), wanted)


@pytest.mark.parametrize("dtype", VALUE_DTYPES)
def test_blocks_of_every_size(dtype):
    random = numpy.random.RandomState(3)
    for size in (1, 2, 3, 5, 8, 17, 33, 70):
        x, places = numbers(dtype, (2, 12, size)), random.randint(-12, 12, 25)
        a, k = variable(x, "a"), T.lvector("k")
        for one in (x, x[:, ::-1], x[:, :, ::-1], x.transpose(0, 2, 1).copy().transpose(0, 2, 1)):
            numpy.testing.assert_array_equal(function([a, k], a[:, k])(one, places), one[:, places])
            wanted, new = one.copy(), numbers(dtype, (2, 25, size))[:, ::-1]
            wanted[:, places] = new
            b = variable(new, "b")
            numpy.testing.assert_array_equal(function([a, k, b], T.set_subtensor(a[:, k], b))(one, places, new), wanted)
            if dtype == "bool":
                continue
            wanted = one.copy()
            numpy.add.at(wanted, (slice(None), places), new)
            numpy.testing.assert_array_equal(function([a, k, b], T.inc_subtensor(a[:, k], b))(one, places, new), wanted)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_in_the_order_of_places(dtype):
    """Bits of a loop: many on one place, one after the other, and few on many."""
    random = numpy.random.RandomState(4)
    for places in (numpy.zeros(1000, "int64"), numpy.sort(random.randint(0, 5, 5000)), random.randint(0, 3, 3001), random.randint(0, 500, 3001)):
        terms, x = random.randn(len(places)).astype(dtype), random.randn(500).astype(dtype)
        wanted = x.copy()
        numpy.add.at(wanted, places, terms)
        a, k, t = variable(x, "a"), T.lvector("k"), variable(terms, "t")
        result = function([a, k, t], T.inc_subtensor(a[k], t))(x, places, terms)
        numpy.testing.assert_array_equal(result.view("u1"), wanted.view("u1"))


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64"])
def test_what_is_outside_is_named(dtype):
    x = numpy.zeros((6, 4), "float32")
    a, k, l = T.fmatrix("a"), T.TensorType(dtype, (False, False))("k"), T.lvector("l")
    outside = [9] if dtype.startswith("u") else [9, -7]
    for value in outside:
        for layout in (lambda p: p, lambda p: p[:, ::-1], lambda p: p.T):
            places = numpy.ones((40, 40), dtype)
            places[25, 17] = value
            places = layout(places)
            for expression in (a[k], T.set_subtensor(a[k], 1), T.inc_subtensor(a[k], 1)):
                with pytest.raises(IndexError, match=r"subtensor\] index %d is out of bounds for axis 0 with size 6" % value):
                    function([a, k], expression)(x, places)
    with pytest.raises(IndexError, match=r"index 4 is out of bounds for axis 1 with size 4"):
        function([a, k, l], a[k, l])(x, numpy.ones((20, 3), dtype), numpy.array([1, 4, 2]))
    with pytest.raises(IndexError, match=r"index 0 is out of bounds for axis 0 with size 0"):
        function([a, k], a[k])(x[:0], numpy.zeros((1, 1), dtype))
