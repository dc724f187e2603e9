"""Rewrites that undo what was done to see more clearly, by name."""
from croton.compile.rewriting import engine_rewrite


def __getattr__(name):
    return engine_rewrite("theano.tensor.opt_uncanonicalize", name)
