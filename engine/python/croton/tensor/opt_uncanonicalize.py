"""Rewrites that undo what was done to see more clearly, by name."""
from croton import _above


def __getattr__(name):
    return _above.engine_rewrite("theano.tensor.opt_uncanonicalize", name)
