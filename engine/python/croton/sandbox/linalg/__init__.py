"""theano.sandbox.linalg: where linear algebra was before theano.tensor.nlinalg and slinalg."""
from croton.sandbox.linalg.kron import kron  # noqa: F401
from croton.sandbox.linalg.ops import (alloc_diag, cholesky, det, diag, eig, eigh, eigvalsh, extract_diag, matrix_inverse, psd,  # noqa: F401
                                       solve, spectral_radius_bound, trace)
