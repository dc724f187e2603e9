"""Arrays to the device and back."""
from croton import _core
from croton.configparser import device_of as _device_of
from croton.gof.c_types import HideC  # noqa: F401
from croton.tensor.basic import as_tensor_variable


def _device(context_name=None):
    name = _device_of(context_name)
    if name == "cpu":
        raise EnvironmentError("this process runs on the CPU: set THEANO_FLAGS=device=cuda0 or device=opencl0:0 (`croton devices` names what there is)")
    return name


def gpu_from_host(x, context_name=None):
    """x as an array of the device; a function returns it without fetching it."""
    return as_gpuarray_variable(x, context_name)


def host_from_gpu(x):
    return as_tensor_variable(x)


def as_gpuarray_variable(x, context_name=None):
    device = _device(context_name)
    variable = x if hasattr(x, "owner") else as_tensor_variable(x)
    return _core.transfer(variable, device)


class GpuFromHost:
    def __init__(self, context_name=None):
        self.context_name = context_name

    def __call__(self, x):
        return as_gpuarray_variable(x, self.context_name)


class GpuAllocEmpty:
    """Arrays of a dtype there that nothing is written to yet."""

    def __init__(self, dtype="float32", context_name=None):
        self.dtype, self.context_name = dtype, context_name

    def __call__(self, *shape):
        sizes = [as_tensor_variable(size) for size in shape]
        return as_gpuarray_variable(_core.alloc_empty(self.dtype, sizes), self.context_name)


def gpu_alloc_empty(context_name=None, dtype="float32"):
    return GpuAllocEmpty(dtype, context_name)


def gpu_contiguous(x):
    """x on the device, its elements side by side: itself, where they are."""
    return _core.contiguous(as_gpuarray_variable(x))


def infer_context_name(*variables):
    return None
