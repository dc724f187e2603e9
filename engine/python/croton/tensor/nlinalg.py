"""Linear algebra of the sums-and-products kind; decompositions are not here."""
import numpy

from croton import _core, _missing
from croton.tensor import basic


def diag(x):
    return basic.diag(x)


extract_diag = alloc_diag = diag


def trace(X):
    """Sum of the diagonal."""
    X = basic.as_tensor_variable(X)
    if X.ndim != 2:
        raise TypeError("the trace is that of a matrix, got %s" % X.type)
    return _core.trace(X)


def matrix_dot(*args):
    """Product of several matrices, left to right."""
    result = args[0]
    for matrix in args[1:]:
        result = basic.dot(result, matrix)
    return result


def matrix_power(M, n):
    """A matrix times itself; n is known when the graph is built."""
    if n < 0:
        raise NotImplementedError("negative powers need matrix_inverse, which is not in this version of Croton")
    result = None
    for _ in range(n):
        result = M if result is None else basic.dot(M, result)
    return basic.identity_like(M) if result is None else result


def norm(x, ord=None):
    """NumPy's norms of vectors and matrices, as far as they are sums and maxima."""
    x = basic.as_tensor_variable(x)
    if x.ndim == 0:
        raise ValueError("'axis' entry is out of bounds.")
    if ord is None or (ord == 2 and x.ndim == 1) or (ord == "fro" and x.ndim == 2):
        return basic.sqrt(basic.sum(basic.sqr(basic.abs_(x))))
    if x.ndim == 1:
        if ord == numpy.inf:
            return basic.max(basic.abs_(x))
        if ord == -numpy.inf:
            return basic.min(basic.abs_(x))
        if ord == 0:
            return basic.cast(basic.sum(basic.neq(x, 0)), x.dtype)
        return basic.sum(basic.abs_(x) ** ord) ** (1.0 / ord)
    if x.ndim == 2:
        table = {1: (basic.max, 0), -1: (basic.min, 0), numpy.inf: (basic.max, 1), -numpy.inf: (basic.min, 1)}
        if ord in table:
            pick, axis = table[ord]
            return pick(basic.sum(basic.abs_(x), axis=axis))
    raise NotImplementedError("the norm %r of %d dimensions is not here" % (ord, x.ndim))


def __getattr__(name):
    return _missing.attribute(__name__, name)
