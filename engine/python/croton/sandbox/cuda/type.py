"""The type of arrays in the old GPU back end; it is there without a GPU, too, and nothing is of it then."""
from croton.gpuarray.type import GpuArrayType as CudaNdarrayType  # noqa: F401
