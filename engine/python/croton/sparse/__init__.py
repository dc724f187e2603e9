"""Sparse matrices are not in this version; the names say so when they are called."""
from croton import _missing
enable_sparse = False


def _is_sparse_variable(x):
    return False


def __getattr__(name):
    return _missing.attribute(__name__, name)
