"""Fourier transforms against NumPy's: every kind of length, several axes, norms, odd sizes, gradients."""
import numpy
import pytest
import theano
import theano.tensor as T
from theano.tensor import fft

random = numpy.random.RandomState(3)
# Powers of two, products of small primes, larger primes (their own factor up to 31, a convolution above).
LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16, 25, 27, 30, 31, 32, 37, 49, 60, 64, 74, 97, 121, 128, 210, 256, 997, 1000, 1024, 1994, 4096]


def both(value, *shape):
    return numpy.stack([value.real, value.imag], -1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_lines_of_every_length(dtype):
    x, s = T.TensorType(dtype, (False, False))("x"), T.TensorType(dtype, (False,) * 3)("s")
    forth, back, odd = (theano.function([x], fft.rfft(x)), theano.function([s], fft.irfft(s)), theano.function([s], fft.irfft(s, is_odd=True)))
    precision = 2e-6 if dtype == "float32" else 1e-13
    for length in LENGTHS:
        value = random.uniform(-1, 1, (3, length)).astype(dtype)
        wanted = numpy.fft.rfft(value.astype("float64"))
        found = forth(value)
        assert found.dtype == dtype and found.shape == (3, length // 2 + 1, 2)
        numpy.testing.assert_allclose(found, both(wanted), atol=precision * length ** 0.5 * 4)
        numpy.testing.assert_allclose((odd if length % 2 else back)(found), value, atol=precision * 8)
        noise = random.uniform(-1, 1, found.shape).astype(dtype)  # imaginary parts where there are none
        wanted = numpy.fft.irfft(noise[..., 0].astype("float64") + 1j * noise[..., 1], length)
        numpy.testing.assert_allclose((odd if length % 2 else back)(noise), wanted, atol=precision * 8)


@pytest.mark.parametrize("shape", [(2, 4, 6), (1, 5, 7), (3, 8, 1), (2, 3, 4, 5), (2, 1, 1, 1), (0, 4, 4)])
@pytest.mark.parametrize("norm", [None, "ortho", "no_norm"])
def test_several_axes(shape, norm):
    x = T.TensorType("float64", (False,) * len(shape))("x")
    wide = random.uniform(-1, 1, shape[:-1] + (2 * shape[-1],))
    axes = tuple(range(1, len(shape)))
    forth = fft.rfft(x, norm=norm)
    f = theano.function([x], [forth, fft.irfft(forth, norm=norm, is_odd=bool(shape[-1] % 2))])
    count = numpy.prod(shape[1:])
    for value in (wide[..., ::2], numpy.asfortranarray(wide[..., ::2]), wide[::-1, ..., :shape[-1]]):
        spectrum, again = f(value)
        scale = count ** 0.5 if norm == "ortho" else 1.0
        wanted = numpy.fft.rfftn(value, axes=axes) if value.size else numpy.zeros(spectrum.shape[:-1], complex)
        numpy.testing.assert_allclose(spectrum, both(wanted) / scale, atol=1e-12)
        numpy.testing.assert_allclose(again, value * (count if norm == "no_norm" else 1), atol=1e-12)


def test_lengths_that_are_given():
    x = T.dmatrix("x")
    value = random.uniform(-1, 1, (2, 6))
    for length in (4, 6, 9):
        numpy.testing.assert_allclose(fft.rfft_op(x, [length]).eval({x: value}), both(numpy.fft.rfft(value, length)), atol=1e-13)
    f = theano.function([x], fft.rfft(x).shape)
    assert list(f(value)) == [2, 4, 2]
    assert not any(isinstance(node.op, fft.RFFTOp) for node in f.maker.fgraph.toposort())


@pytest.mark.parametrize("shape", [(2, 6), (2, 7), (2, 4, 5), (1, 3, 4)])
def test_gradients(shape):
    point = random.uniform(-1, 1, shape)
    T.verify_grad(lambda x: fft.rfft(x, norm="ortho"), [point], rng=numpy.random.RandomState(1))
    half = random.uniform(-1, 1, shape[:-1] + (shape[-1] // 2 + 1, 2))
    for is_odd in (False, True):
        T.verify_grad(lambda x: fft.irfft(x, is_odd=is_odd), [half], rng=numpy.random.RandomState(1))
    x = T.TensorType("float64", (False,) * len(shape))("x")
    direction = random.uniform(-1, 1, shape)
    numpy.testing.assert_allclose(T.Rop(fft.rfft(x), x, T.constant(direction)).eval({x: point}), fft.rfft(x).eval({x: direction}))


def test_a_convolution_by_spectra():
    x, k = T.dmatrix("x"), T.dmatrix("k")
    a, b = fft.rfft(x), fft.rfft(k)
    product = T.stack([a[..., 0] * b[..., 0] - a[..., 1] * b[..., 1], a[..., 0] * b[..., 1] + a[..., 1] * b[..., 0]], axis=-1)
    one, two = random.uniform(-1, 1, (1, 8)), random.uniform(-1, 1, (1, 8))
    wanted = [sum(one[0, j] * two[0, (i - j) % 8] for j in range(8)) for i in range(8)]
    numpy.testing.assert_allclose(theano.function([x, k], fft.irfft(product))(one, two)[0], wanted)


def test_errors():
    with pytest.raises(TypeError, match="dimension >= 2, with first dimension batches"):
        fft.rfft_op(T.dvector())
    with pytest.raises(TypeError, match="works in float32 and float64"):
        fft.rfft(T.lmatrix())
    with pytest.raises(ValueError, match="norm"):
        fft.rfft(T.dmatrix(), norm="none")
    with pytest.raises(ValueError, match="is_odd|id_odd"):
        fft.irfft(T.dtensor3(), is_odd=3)
    with pytest.raises(TypeError, match="must be of type integer"):
        fft.rfft_op(T.dmatrix(), [2.5])
    x = T.dtensor3()
    with pytest.raises(ValueError, match="a last axis of size 2"):
        fft.irfft(x).eval({x: numpy.zeros((2, 3, 3))})
