"""Rewrites of sparse matrices, by name."""
from croton import _above


def __getattr__(name):
    return _above.engine_rewrite("theano.sparse.opt", name)
