"""What the old GPU back end called its transfers."""
from croton.gpuarray.basic_ops import GpuAllocEmpty, GpuFromHost, as_gpuarray_variable, gpu_contiguous, gpu_from_host, host_from_gpu  # noqa: F401

as_cuda_ndarray_variable = as_gpuarray_variable


def gpu_alloc_empty(*shape):
    """An array of float32 there that nothing is written to yet."""
    return GpuAllocEmpty("float32")(*shape)
