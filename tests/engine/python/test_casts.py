"""What does not fit into the dtype of a cast: as NumPy's arrays on x86-64, whatever runs it; half floats are rounded once."""
import os

os.environ["CROTON_COMPILE_WAIT"] = "1"  # the first call has its kernel

import numpy
import pytest
import theano
import theano.tensor as T
from theano import function

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FAR = [numpy.inf, -numpy.inf, numpy.nan, -0.0, -0.5, -1, -1.5, 127.9, 255.5, 256, 300, -300, 32768, 40000, -40000, 65535.5, 65536 + 7, 70000, 2. ** 31 - 1, 2. ** 31,
       -2. ** 31, -2. ** 31 - 1, -2. ** 31 - 0.5, 3e9, -3e9, 2. ** 32 - 1, 2. ** 32, 2. ** 32 + 5, -2. ** 32 - 5, 2. ** 53 + 2, 2. ** 62, 2. ** 63 - 1024, 2. ** 63,
       -2. ** 63, -2. ** 63 * 1.5, 2. ** 63 * 1.5, 2. ** 64 - 2048, 2. ** 64, 1e30, -1e30]


def cast_by_numpy(values, to):
    with numpy.errstate(all="ignore"):
        # NumPy's vectors give another uint32 for what does not fit than its scalars, which take the lower half of an int64.
        return values.astype("int64").astype(to) if to == "uint32" else values.astype(to)


def every_way(values, to):
    """Casts of an array: alone, among other steps, of one element, of a constant, of a strided array."""
    x, y = T.vector("x", dtype=str(values.dtype)), T.vector("y", dtype=str(values.dtype))
    s = T.scalar("s", dtype=str(values.dtype))
    long = numpy.tile(values, 40)
    for mode in ("FAST_RUN", "FAST_COMPILE"):
        alone = function([x], T.cast(x, to), mode=mode)
        yield mode, alone(values)
        yield mode + " long", alone(long)[-len(values):]
        yield mode + " strided", alone(numpy.repeat(values, 3)[::3])
        kernel = function([x, y], T.cast(T.switch(T.eq(y, 0), x, y), to), mode=mode)
        yield mode + " among other steps", kernel(values, numpy.zeros_like(values))
        yield mode + " among other steps, long", kernel(long, numpy.zeros_like(long))[-len(values):]
        one = function([s], T.cast(s, to), mode=mode)
        yield mode + " one by one", numpy.array([one(v) for v in values])
        yield mode + " constant", function([], T.cast(T.constant(values), to), mode=mode)()


@pytest.mark.parametrize("to", ["bool"] + INTEGERS)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_numbers_that_do_not_fit_into_integers(dtype, to):
    with numpy.errstate(all="ignore"):
        values = numpy.array(FAR).astype(dtype)
    wanted = cast_by_numpy(values, to)
    for way, found in every_way(values, to):
        assert found.dtype == wanted.dtype, way
        wrong = found != wanted
        assert not wrong.any(), (way, values[wrong], found[wrong], wanted[wrong])


def test_doubles_become_half_floats_in_one_rounding():
    halves = numpy.arange(0x7c00, dtype="uint16").view("float16").astype("float64")
    ties = (halves[1:] + halves[:-1]) / 2
    values = numpy.concatenate([ties, numpy.nextafter(ties, 0), numpy.nextafter(ties, numpy.inf), [65519.99999999999, 65520, 2. ** -25, numpy.nextafter(2. ** -25, 1), 1e300, 1e-300]])
    values = numpy.concatenate([values, -values, [numpy.inf, -numpy.inf, numpy.nan, 0.0, -0.0]])
    with numpy.errstate(over="ignore"):
        wanted = values.astype("float16")
    x = T.dvector()
    for mode in ("FAST_RUN", "FAST_COMPILE"):
        finite = numpy.isfinite(values)
        for expression in (T.cast(x, "float16"), T.cast(T.switch(T.ge(abs(x), -1), x, 0), "float16"), x.dimshuffle("x", 0).sum(axis=0, dtype="float16", acc_dtype="float64"),
                           (x + 0.0).dimshuffle(0, "x").repeat(2, 1)[:, :1].sum(axis=1, dtype="float16", acc_dtype="float64")):
            found = function([x], expression, mode=mode)(values)
            assert found.dtype == "float16" and (found[finite] == wanted[finite]).all(), (mode, values[finite][found[finite] != wanted[finite]][:5])
    assert (function([], T.cast(T.constant(values[:-3]), "float16"))() == wanted[:-3]).all()
    tie = numpy.nextafter(ties[5], numpy.inf)
    assert T.constant(tie, dtype="float16").data == numpy.float16(tie)
    assert function([], T.alloc(T.cast(tie, "float16"), 3))().tolist() == [numpy.float16(tie)] * 3
    assert theano.shared(numpy.float16(tie)).get_value() == numpy.float16(tie)
    written = function([x], T.set_subtensor(T.zeros(1, dtype="float16")[0:1], T.cast(x, "float16")))
    assert written([tie]).tolist() == [numpy.float16(tie)]


@pytest.mark.parametrize("dtype", ["bool"] + INTEGERS + ["float16", "float32", "float64"])
def test_signs(dtype):
    values = numpy.array([0, 1, 0, 1] if dtype == "bool" else [0, 1, 5, 100] if dtype[0] == "u" else [0, 1, -1, 5, -100]).astype(dtype)
    if dtype.startswith("float"):
        values = numpy.concatenate([values, numpy.array([-0.0, numpy.nan, numpy.inf, -numpy.inf, 6e-8, -6e-8], dtype)])
    wanted = values if dtype == "bool" else numpy.sign(values)
    x = T.vector(dtype=dtype)
    for mode in ("FAST_RUN", "FAST_COMPILE"):
        for expression in (T.sgn(x), T.sgn(x * 1) * 1):
            found = function([x], expression, mode=mode)(values)
            assert found.tobytes() == wanted.astype(found.dtype).tobytes() or (found[~numpy.isnan(found)].tobytes() == wanted[~numpy.isnan(wanted)].tobytes()), (mode, found, wanted)
            assert (numpy.isnan(found) == numpy.isnan(wanted)).all() if dtype.startswith("f") else True
