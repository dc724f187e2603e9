"""Arrays of one content in every layout that NumPy makes."""
import numpy

SHAPES = [(), (0,), (1,), (7,), (0, 3), (3, 0), (1, 1), (1, 5), (5, 1), (4, 6), (2, 1, 3), (2, 3, 4)]


def layouts(array):
    """(name, the same values elsewhere in memory)."""
    array = numpy.ascontiguousarray(array).reshape(numpy.shape(array))
    yield "C", array
    if array.ndim == 0:
        return
    yield "Fortran", numpy.asfortranarray(array)
    spread = numpy.empty(tuple(2 * size + 1 for size in array.shape), array.dtype)
    spread[...] = array.dtype.type(1)
    window = spread[tuple(slice(1, 1 + 2 * size, 2) for size in array.shape)]
    window[...] = array
    yield "strided", window
    back = numpy.ascontiguousarray(array[(slice(None, None, -1),) * array.ndim])
    yield "backwards", back[(slice(None, None, -1),) * array.ndim]
    raw = numpy.zeros(array.nbytes + 1, "u1")
    odd = raw[1:].view(array.dtype) if array.nbytes else array.ravel()
    odd = odd.reshape(array.shape)
    odd[...] = array
    yield "unaligned", odd


def broadcasts(array):
    """Arrays that repeat one slice without holding it twice."""
    for axis in range(array.ndim):
        if array.shape[axis] > 1:
            first = array[(slice(None),) * axis + (slice(0, 1),)]
            yield "repeated along %d" % axis, numpy.broadcast_to(first, array.shape)


def agree(result, wanted, dtype, what):
    """Closeness as the least exact dtype of the computation allows."""
    wanted = numpy.asarray(wanted)
    assert result.shape == wanted.shape, (what, result.shape, wanted.shape)
    if result.dtype.kind in "biu" and wanted.dtype.kind in "biu":
        assert (result == wanted).all(), (what, result, wanted)
        return
    rtol, atol = {"float16": (1e-2, 2e-3), "float32": (1e-5, 1e-5), "complex64": (1e-5, 1e-5)}.get(dtype, (1e-10, 1e-12))
    kind = "complex128" if wanted.dtype.kind == "c" else "float64"
    numpy.testing.assert_allclose(result.astype(kind), wanted.astype(kind), rtol=rtol, atol=atol, err_msg=str(what))
