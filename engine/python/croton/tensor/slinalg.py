"""Linear algebra of SciPy: systems of equations, Cholesky's factor, eigenvalues of symmetric matrices, exponentials."""
from croton import _core
from croton.tensor import basic
from croton.tensor.nlinalg import into_triangle, matrix_dot  # noqa: F401
from croton.tensor.opclasses import built

MATRIX_STRUCTURES = ("general", "symmetric", "lower_triangular", "upper_triangular", "hermitian", "banded", "diagonal", "toeplitz")
# What SciPy's solve() calls them.
_ASSUMED = {"gen": "general", "sym": "symmetric", "her": "general", "pos": "positive_definite"}


def _cholesky(lower=True, destructive=False, on_error="raise"):
    if on_error not in ("raise", "nan"):
        raise ValueError('on_error must be one of "raise" or "nan"')
    return lambda x: _core.cholesky(x, bool(lower), on_error == "raise")


def _solve(A_structure="general", lower=False, overwrite_A=False, overwrite_b=False):
    if A_structure not in MATRIX_STRUCTURES:
        raise ValueError("Invalid matrix structure argument: %r is none of %s" % (A_structure, ", ".join(MATRIX_STRUCTURES)))
    known = A_structure if A_structure in ("symmetric", "lower_triangular", "upper_triangular") else "general"
    return lambda A, b: _core.solve(A, b, known, bool(lower), False, False)


Cholesky = built(__name__, "Cholesky", _cholesky)
CholeskyGrad = built(__name__, "CholeskyGrad", lambda lower=True: lambda x, l, dz: _core.cholesky_grad(l, dz, bool(lower)))
Solve = built(__name__, "Solve", _solve)
cholesky = Cholesky()
solve_lower_triangular = Solve(A_structure="lower_triangular", lower=True)
solve_upper_triangular = Solve(A_structure="upper_triangular", lower=False)
solve_symmetric = Solve(A_structure="symmetric")


def _is_transposed(trans):
    if trans in (0, "N", False):
        return False
    if trans in (1, "T", True):
        return True
    raise ValueError("trans is 0, 1, 'N' or 'T', got %r" % (trans,))


def solve(a, b, assume_a="gen", lower=False, trans=0, overwrite_a=False, overwrite_b=False):
    """x with a·x = b (aᵀ·x = b); of a symmetric a one triangle is read."""
    if assume_a not in _ASSUMED:
        raise ValueError("assume_a is one of %s, got %r" % (", ".join(sorted(_ASSUMED)), assume_a))
    return _core.solve(a, b, _ASSUMED[assume_a], bool(lower), _is_transposed(trans), False)


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False):
    """x with a·x = b for a triangle a; the other triangle is not read."""
    return _core.solve(a, b, "lower_triangular" if lower else "upper_triangular", bool(lower), _is_transposed(trans), bool(unit_diagonal))


def _is_none(b):
    return b is None or getattr(b, "data", b) is None


def _eigvalsh(lower=True):
    def build(a, b=None):
        return _core.eigh(a, bool(lower))[0] if _is_none(b) else _core.general_eigh(a, b, bool(lower))[0]
    return build


def _eigvalsh_grad(lower=True):
    def build(a, b, gw):
        w, v = _core.eigh(a, bool(lower)) if _is_none(b) else _core.general_eigh(a, b, bool(lower))
        terms = [into_triangle(basic.dot(v * gw, v.T), lower)]
        return terms if _is_none(b) else terms + [into_triangle(basic.dot(v * (-gw * w), v.T), lower)]
    return build


Eigvalsh = built(__name__, "Eigvalsh", _eigvalsh)
EigvalshGrad = built(__name__, "EigvalshGrad", _eigvalsh_grad)


def eigvalsh(a, b=None, lower=True):
    """Eigenvalues of a symmetric matrix, or of a·x = w·b·x."""
    return Eigvalsh(lower)(a, b)


def kron(a, b):
    """Kronecker product: SciPy's of its time, which is NumPy's for matrices; of more dimensions a.ndim + b.ndim - 2 are left."""
    a, b = basic.as_tensor_variable(a), basic.as_tensor_variable(b)
    if a.ndim + b.ndim <= 2:
        raise TypeError("kron: inputs dimensions must sum to 3 or more. You passed %d and %d." % (a.ndim, b.ndim))
    both = [a.shape[i] for i in range(a.ndim)] + [b.shape[i] for i in range(b.ndim)]
    o = basic.reshape(basic.outer(a, b), both, ndim=len(both))
    if o.ndim == 3:
        return basic.flatten(o.dimshuffle(1, 0, 2))
    sizes = [both[0] * both[2], both[1] * both[3]] + both[4:]
    return basic.reshape(o.dimshuffle([0, 2, 1, *range(3, o.ndim)]), sizes, ndim=len(sizes))


def _expm_grad():
    """The gradient stands in a corner of the exponential of twice the size."""
    def build(A, gA):
        rows = [basic.join(1, A.T, gA), basic.join(1, basic.zeros_like(A), A.T)]
        return _core.expm(basic.join(0, *rows))[:A.shape[0], A.shape[0]:]
    return build


Expm = built(__name__, "Expm", lambda: lambda A: _core.expm(A))
ExpmGrad = built(__name__, "ExpmGrad", _expm_grad)
expm = Expm()
