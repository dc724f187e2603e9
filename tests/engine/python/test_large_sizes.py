"""Sizes and steps beyond 2^31 - 1, which BLAS and LAPACK cannot count. Hardly any of the memory is ever there."""
import mmap

import numpy
import pytest

import theano
import theano.tensor as T

BEYOND = (1 << 31) + 8


def sparse(count, dtype):
    """Zeros of which only the pages that are written exist."""
    itemsize = numpy.dtype(dtype).itemsize
    try:
        memory = mmap.mmap(-1, count * itemsize, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000))
    except (OSError, ValueError):
        pytest.skip("this machine gives no address space of %d bytes" % (count * itemsize))
    return numpy.frombuffer(memory, dtype)


def test_a_vector_that_blas_cannot_count():
    """All of it is read: the system has one page of zeros."""
    v = T.fvector()
    value = sparse(BEYOND, "float32")
    value[[0, 1 << 30, BEYOND - 1]] = 1, 2, 3
    assert theano.function([v], T.dot(v, v))(value) == 14


@pytest.mark.parametrize("apart", [1 << 31, (1 << 32) + 6])
def test_steps_that_blas_cannot_count(apart):
    m, v = T.dmatrix(), T.dvector()
    memory = sparse(apart + 64, "float64")
    memory[:5], memory[apart:apart + 5] = numpy.arange(5), numpy.arange(5) * 10
    far = numpy.lib.stride_tricks.as_strided(memory, (2, 5), (apart * 8, 8))
    near, column = far.copy(), far[:, 1]
    for build, wanted in ((T.dot(m, m.T), near.dot(near.T)), (T.dot(m.T, m), near.T.dot(near)), (T.dot(m[:, 1], m), near[:, 1].dot(near)),
                          (T.dot(m.T, m[:, 1]), near.T.dot(near[:, 1])), (T.outer(m[:, 1], m[:, 1]), numpy.outer(near[:, 1], near[:, 1]))):
        numpy.testing.assert_array_equal(theano.function([m], build)(far), wanted)
    numpy.testing.assert_array_equal(theano.function([v], T.dot(v, v))(column), column.copy().dot(column.copy()))


def test_a_matrix_that_lapack_cannot_count():
    m = T.fmatrix()
    run = theano.function([m], T.nlinalg.svd(m, compute_uv=False))
    with pytest.raises(ValueError, match="2147483656 is more than LAPACK counts"):
        run(numpy.broadcast_to(numpy.float32(1), (BEYOND, 1)))
