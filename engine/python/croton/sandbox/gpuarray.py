"""The name that theano.gpuarray had at first."""
from croton.gpuarray import *  # noqa: F401,F403
from croton.gpuarray import basic_ops, dnn, type  # noqa: F401,A004
