"""Linear algebra of NumPy: inverses, determinants, decompositions, norms."""
import numpy

from croton import _core
from croton.tensor import basic
from croton.tensor.opclasses import AllocDiag, ExtractDiag, built  # noqa: F401


def _plain(function):
    """An op without parameters of its own."""
    return lambda: function


MatrixInverse = built(__name__, "MatrixInverse", _plain(lambda x: _core.matrix_inverse(x)))
MatrixPinv = built(__name__, "MatrixPinv", _plain(lambda x: _core.pinv(x)))
Det = built(__name__, "Det", _plain(lambda x: _core.det(x)))
SLogDet = built(__name__, "SLogDet", _plain(lambda x: _core.slogdet(x)))
Eig = built(__name__, "Eig", _plain(lambda x: _core.eig(x)))
Eigh = built(__name__, "Eigh", lambda UPLO="L": lambda x: _core.eigh(x, _is_lower(UPLO)))
SVD = built(__name__, "SVD", lambda full_matrices=True, compute_uv=True: lambda x: _core.svd(x, bool(full_matrices), bool(compute_uv)))
QRFull = built(__name__, "QRFull", lambda mode: lambda x: _core.qr(x, mode))
QRIncomplete = built(__name__, "QRIncomplete", lambda mode="r": lambda x: _core.qr(x, mode))
lstsq = built(__name__, "lstsq", _plain(lambda x, y, rcond: _core.lstsq(x, y, rcond)))


def _is_lower(UPLO):
    if UPLO not in ("L", "U"):
        raise ValueError("UPLO is 'L' or 'U', got %r" % (UPLO,))
    return UPLO == "L"


def _eigh_grad(UPLO="L"):
    """What changes of eigenvalues W and vectors V say of the matrix x, of which a triangle is read."""
    def build(x, w, v, W, V):
        distances = w.dimshuffle("x", 0) - w.dimshuffle(0, "x")
        ones = basic.identity_like(distances)
        inner = basic.diag(W) + basic.dot(v.T, V) * (1 / (distances + ones) - ones)
        return into_triangle(basic.dot(basic.dot(v, inner), v.T), _is_lower(UPLO))
    return build


def into_triangle(g, lower):
    """What a gradient says of one triangle of a symmetric matrix that stands for both."""
    return basic.tril(g) + basic.triu(g, 1).T if lower else basic.triu(g) + basic.tril(g, -1).T


EighGrad = built(__name__, "EighGrad", _eigh_grad)

matrix_inverse, pinv, det, eig = MatrixInverse(), MatrixPinv(), Det(), Eig()
extract_diag, alloc_diag = ExtractDiag(), AllocDiag()


def diag(x):
    """The diagonal of a matrix, or a matrix with a vector on its diagonal."""
    x = basic.as_tensor_variable(x)
    if x.ndim not in (1, 2):
        raise TypeError("diag requires vector or matrix argument", x)
    return basic.diag(x)


def slogdet(x):
    """Sign of the determinant, and the logarithm of its size."""
    return tuple(_core.slogdet(x))


def eigh(a, UPLO="L"):
    return Eigh(UPLO)(a)


def svd(a, full_matrices=1, compute_uv=1):
    return SVD(bool(full_matrices), bool(compute_uv))(a)


def qr(a, mode="reduced"):
    """The factors Q and R; of mode 'r' only R."""
    mode = {"full": "reduced", "economic": "raw"}.get(mode, mode)
    return QRIncomplete(mode)(a) if mode == "r" else QRFull(mode)(a)


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
        M, n = pinv(M), -n
    M = basic.as_tensor_variable(M)
    result = square = None
    while n:
        square = M if square is None else basic.dot(square, square)
        n, bit = divmod(n, 2)
        if bit:
            result = square if result is None else basic.dot(result, square)
    return basic.identity_like(M) if result is None else result


def _norm_of_vector(x, ord):
    if ord in (numpy.inf, "inf"):
        return basic.max(basic.abs_(x))
    if ord in (-numpy.inf, "-inf"):
        return basic.min(basic.abs_(x))
    if ord == 0:
        return basic.cast(basic.sum(basic.neq(x, 0)), x.dtype)
    try:
        return basic.sum(basic.abs_(x) ** ord) ** (1.0 / ord)
    except TypeError:
        raise ValueError("Invalid norm order for vectors.")


def norm(x, ord=None):
    """NumPy's norms of vectors and matrices."""
    x = basic.as_tensor_variable(x)
    if x.ndim == 0:
        raise ValueError("'axis' entry is out of bounds.")
    if x.ndim > 2:
        raise NotImplementedError("norm takes a vector or a matrix, got %d dimensions: flatten it first" % x.ndim)
    if ord is None or (ord == 2 and x.ndim == 1) or (ord == "fro" and x.ndim == 2):
        return basic.sqrt(basic.sum(basic.sqr(basic.abs_(x))))
    if x.ndim == 1:
        return _norm_of_vector(x, ord)
    sums = {1: (basic.max, 0), -1: (basic.min, 0), numpy.inf: (basic.max, 1), -numpy.inf: (basic.min, 1),
            "inf": (basic.max, 1), "-inf": (basic.min, 1)}
    singular = {2: basic.max, -2: basic.min, "nuc": basic.sum}
    if ord in sums:
        pick, axis = sums[ord]
        return pick(basic.sum(basic.abs_(x), axis=axis))
    if ord in singular:
        return singular[ord](svd(x, compute_uv=0))
    raise ValueError("the norm %r of a matrix is none of None, 'fro', 'nuc', 1, -1, 2, -2, 'inf', '-inf'" % (ord,))


def _sizes(shape, first, end):
    return [shape[i] for i in range(first, end)]


def _tensor_inverse(ind=2):
    if ind <= 0:
        raise ValueError("Invalid ind argument.")

    def build(a):
        a = basic.as_tensor_variable(a)
        front, back = _sizes(a.shape, 0, ind), _sizes(a.shape, ind, a.ndim)
        flat = basic.reshape(a, [basic.prod(basic.stack(back)) if back else 1, -1], ndim=2)
        return basic.reshape(matrix_inverse(flat), back + front, ndim=a.ndim)
    return build


def _tensor_solve(axes=None):
    def build(a, b):
        a, b = basic.as_tensor_variable(a), basic.as_tensor_variable(b)
        if axes is not None:
            order = [axis for axis in range(a.ndim) if axis not in axes] + list(axes)
            a = a.dimshuffle(order)
        sizes = _sizes(a.shape, b.ndim, a.ndim)
        count = basic.prod(basic.stack(sizes)) if sizes else 1
        flat = basic.reshape(a, [-1, count], ndim=2)
        return basic.reshape(_core.solve(flat, basic.flatten(b), "general", False, False, False), sizes, ndim=len(sizes))
    return build


TensorInv = built(__name__, "TensorInv", _tensor_inverse)
TensorSolve = built(__name__, "TensorSolve", _tensor_solve)


def tensorinv(a, ind=2):
    """The inverse of the product over the axes behind `ind`."""
    return TensorInv(ind)(a)


def tensorsolve(a, b, axes=None):
    """x with tensordot(a, x) = b."""
    return TensorSolve(axes)(a, b)
