"""Rewrites of sparse matrices, by name."""
from croton.compile.rewriting import engine_rewrite


def __getattr__(name):
    return engine_rewrite("theano.sparse.opt", name)
