"""Variables of the old GPU back end."""
from croton.gpuarray.type import GpuArrayConstant as CudaNdarrayConstant  # noqa: F401
from croton.gpuarray.type import GpuArraySharedVariable as CudaNdarraySharedVariable  # noqa: F401
from croton.gpuarray.type import GpuArrayVariable as CudaNdarrayVariable  # noqa: F401
from croton.gpuarray.type import gpuarray_shared_constructor as float32_shared_constructor  # noqa: F401
