"""theano.gpuarray: arrays that live on the device that functions run on, and the way there and back."""
from croton import _core
from croton.gpuarray import basic_ops, dnn, type  # noqa: F401,A004
from croton.gpuarray.basic_ops import as_gpuarray_variable, gpu_contiguous, gpu_from_host, host_from_gpu  # noqa: F401
from croton.gpuarray.type import (ContextNotDefined, GpuArray, GpuArrayConstant, GpuArraySharedVariable, GpuArrayType, GpuArrayVariable,  # noqa: F401
                                  from_dlpack, get_context, gpuarray_shared_constructor)

pygpu_activated = _core.chosen_device() != "cpu"
