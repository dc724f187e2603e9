"""Rewrites of convolutions, softmax and their like, by name."""
from croton import _above


def __getattr__(name):
    return _above.engine_rewrite("theano.tensor.nnet.opt", name)
