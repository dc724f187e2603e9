"""Rewrites of convolutions, softmax and their like, by name."""
from croton.compile.rewriting import engine_rewrite


def __getattr__(name):
    return engine_rewrite("theano.tensor.nnet.opt", name)
