"""The type of arrays in the old GPU back end; it is there without a GPU, too, and nothing is of it then."""
from croton.gpuarray.type import GpuArrayType


class CudaNdarrayType(GpuArrayType):
    """Of float32, as all arrays were there."""

    def __new__(cls, broadcastable, name=None, dtype="float32"):
        if dtype not in (None, "float32"):
            raise TypeError("CudaNdarrayType only supports dtype float32, got %s: GpuArrayType has all" % dtype)
        return GpuArrayType("float32", broadcastable, name=name)
