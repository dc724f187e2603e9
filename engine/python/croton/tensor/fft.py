"""Fourier transforms of real arrays; the first axis counts examples, a last one of size 2 holds real and imaginary parts."""
from croton import _core
from croton.tensor import basic
from croton.tensor.opclasses import built


def _lengths(s, inferred, op):
    if s is None:
        return inferred()
    s = basic.as_tensor_variable(s)
    if s.dtype not in basic.integer_dtypes:
        raise TypeError("%s: length of the transformed axis must be of type integer" % op)
    return s


def _forth():
    def build(a, s=None):
        a = basic.as_tensor_variable(a)
        if a.ndim < 2:
            raise TypeError("RFFTOp: input must have dimension >= 2, with first dimension batches")
        return _core.rfft(a, _lengths(s, lambda: _sizes_of(a), "RFFTOp"))
    return build


def _back():
    def build(a, s=None):
        a = basic.as_tensor_variable(a)
        if a.ndim < 3:
            raise TypeError("IRFFTOp: input must have dimension >= 3, with first dimension batches and last dimension of size 2")
        return _core.irfft(a, _lengths(s, lambda: _sizes_of_half(a, 0), "IRFFTOp"))
    return build


RFFTOp = built(__name__, "RFFTOp", _forth)
IRFFTOp = built(__name__, "IRFFTOp", _back)
rfft_op, irfft_op = RFFTOp(), IRFFTOp()


def _sizes_of_half(inp, odd):
    """The sizes of the array whose half spectrum this is."""
    sizes = [inp.shape[i] for i in range(1, inp.ndim - 1)]
    return _core.make_vector(sizes[:-1] + [(size - 1) * 2 + odd for size in sizes[-1:]])


def _sizes_of(inp):
    return _core.make_vector([inp.shape[i] for i in range(1, inp.ndim)])


def _unitary(norm):
    if norm not in (None, "ortho", "no_norm"):
        raise ValueError("Invalid value %s for norm, must be None, 'ortho' or 'no norm'" % norm)
    return norm


def _scaled(result, s, dtype, root):
    count = basic.cast(basic.prod(s), dtype)
    return result / (basic.sqrt(count) if root else count)


def rfft(inp, norm=None):
    """The half of the spectrum that tells the rest, over all axes but the first."""
    inp = basic.as_tensor_variable(inp)
    s = _sizes_of(inp)
    result = rfft_op(inp, s)
    return _scaled(result, s, inp.dtype, True) if _unitary(norm) == "ortho" else result


def irfft(inp, norm=None, is_odd=False):
    """The real array of a half spectrum; of an odd last size, if is_odd."""
    if is_odd not in (True, False):
        raise ValueError("Invalid value %s for id_odd, must be True or False" % is_odd)
    inp = basic.as_tensor_variable(inp)
    s = _sizes_of_half(inp, 1 if is_odd else 0)
    result = irfft_op(inp, s)
    return result if _unitary(norm) == "no_norm" else _scaled(result, s, inp.dtype, norm == "ortho")
