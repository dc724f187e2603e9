"""Names that scripts import from theano.sandbox.linalg.ops. The rewrites that this module switched on are always on."""
from croton.tensor import basic
from croton.tensor.nlinalg import (SVD, AllocDiag, Det, Eig, Eigh, EighGrad, ExtractDiag, MatrixInverse, MatrixPinv, QRFull,  # noqa: F401
                                   QRIncomplete, alloc_diag, det, diag, eig, eigh, extract_diag, lstsq, matrix_dot, matrix_inverse,
                                   matrix_power, norm, pinv, qr, svd, trace)
from croton.tensor.slinalg import Cholesky, CholeskyGrad, Eigvalsh, EigvalshGrad, Solve, cholesky, eigvalsh, solve  # noqa: F401


def psd(v):
    """Says that a matrix is positive semidefinite. Nothing here makes use of it."""
    return basic.as_tensor_variable(v)


def spectral_radius_bound(X, log2_exponent):
    """An upper bound of the largest eigenvalue of a positive semidefinite matrix."""
    X = basic.as_tensor_variable(X)
    if X.ndim != 2:
        raise TypeError("spectral_radius_bound requires a matrix argument", X)
    if X.type.dtype.startswith("complex"):
        raise TypeError("spectral_radius_bound requires real matrices, got %s" % X.type)
    if not isinstance(log2_exponent, int) or log2_exponent <= 0:
        raise ValueError("spectral_radius_bound requires a strictly positive integer exponent, got %r" % (log2_exponent,))
    power = X
    for _ in range(log2_exponent):
        power = basic.dot(power, power)
    return basic.pow(trace(power), 2.0 ** -log2_exponent)
