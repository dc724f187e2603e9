"""Repetition against NumPy: items of every size, along every axis, with one count and with one for each."""
import numpy
import pytest
import theano
import theano.tensor as T


@pytest.mark.parametrize("dtype", ["bool", "int16", "float16", "float32", "float64", "complex64"])
def test_repeat(dtype):
    for shape in ((7,), (100,), (3, 2), (5, 4), (2, 3, 2), (2, 1, 8), (0, 3)):
        x = (numpy.arange(numpy.prod(shape)) * 37 % 101).reshape(shape).astype(dtype)
        a = T.TensorType(dtype, (False,) * x.ndim)("a")
        for axis in range(x.ndim):
            for times in (0, 1, 2, 3, 7, 16, 33):
                numpy.testing.assert_array_equal(theano.function([a], T.repeat(a, times, axis=axis))(x), numpy.repeat(x, times, axis=axis))
            counts = numpy.arange(shape[axis]) % 3
            numpy.testing.assert_array_equal(theano.function([a], T.repeat(a, counts, axis=axis))(x), numpy.repeat(x, counts, axis=axis))
