"""Sparse matrices are not in this version; the names say so when they are called."""
enable_sparse = False


def _is_sparse_variable(x):
    return False


def __getattr__(name):
    from croton._missing import attribute
    return attribute(__name__, name)
