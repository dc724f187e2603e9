"""Arrays of functions as PyCUDA's, and back, without a copy."""
import pycuda.gpuarray

from croton.gpuarray.type import GpuArray


def to_gpuarray(x, copyif=False):
    """Both look at the same memory."""
    if not isinstance(x, GpuArray):
        raise ValueError("We can transfer only CudaNdarray to pycuda.gpuarray.GPUArray, got %s" % type(x).__name__)
    if not x.flags["C_CONTIGUOUS"]:
        if not copyif:
            raise ValueError("We were asked to not copy memory, but the array's elements do not lie side by side: say copyif=True")
        x = x.copy()
    return pycuda.gpuarray.GPUArray(x.shape, x.dtype, base=x, gpudata=x.gpudata)


def to_cudandarray(x):
    if not isinstance(x, pycuda.gpuarray.GPUArray):
        raise ValueError("We can transfer only pycuda.gpuarray.GPUArray to CudaNdarray, got %s" % type(x).__name__)
    return GpuArray.of(x)
