"""pycuda.curandom: random numbers, which NumPy draws and the card gets."""
import numpy

from croton.pycuda import gpuarray


def rand(shape, dtype=numpy.float32, stream=None):
    return gpuarray.to_gpu(numpy.random.random(shape).astype(dtype))
