"""Linear algebra of SciPy; here only what is made of products."""
from croton import _missing
from croton.tensor import basic


def kron(a, b):
    """Kronecker product."""
    a, b = basic.as_tensor_variable(a), basic.as_tensor_variable(b)
    if a.ndim + b.ndim <= 2:
        raise TypeError("kron: inputs dimensions must sum to 3 or more. You passed %d and %d." % (a.ndim, b.ndim))
    o = basic.reshape(basic.outer(a, b), list(a.shape[i] for i in range(a.ndim)) + [b.shape[i] for i in range(b.ndim)])
    order = [axis for pair in zip(range(a.ndim), range(a.ndim, o.ndim)) for axis in pair] if a.ndim == b.ndim else None
    if order is None:
        raise NotImplementedError("kron takes two inputs of one number of dimensions")
    sizes = [a.shape[i] * b.shape[i] for i in range(a.ndim)]
    return basic.reshape(o.dimshuffle(order), sizes)


def __getattr__(name):
    return _missing.attribute(__name__, name)
