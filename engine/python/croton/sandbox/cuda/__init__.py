"""The old GPU back end: scripts ask here whether there is a GPU."""
from croton import _core
from croton.gof.op import Op
from croton.gpuarray import type as _types
from croton.sandbox.cuda import basic_ops, dnn  # noqa: F401
from croton.sandbox.cuda.basic_ops import as_cuda_ndarray_variable, gpu_contiguous, gpu_from_host, host_from_gpu  # noqa: F401
from croton.sandbox.cuda.opt import register_opt  # noqa: F401
from croton.sandbox.cuda.type import CudaNdarrayType  # noqa: F401

dnn_available, dnn_version = dnn.dnn_available, dnn.version
cuda_available = cuda_enabled = _core.chosen_device() != "cpu"
cuda_ndarray = None
default_to_move_computation_to_gpu = cuda_enabled
if cuda_enabled:  # scripts try to import them
    CudaNdarray = _types.GpuArray
    CudaNdarraySharedVariable = _types.GpuArraySharedVariable


class GpuOp(Op):
    """What ops of scripts for the old back end derive from. Its arrays in C, CudaNdarray, are not there: perform computes them."""


def use(device, *args, **kwargs):
    if not cuda_enabled:
        raise EnvironmentError("this process runs on the CPU: set the flag device=cuda before theano is imported")


use.device_number = 0 if cuda_enabled else None  # of the GPU that is in use
