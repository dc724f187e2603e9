"""Arrays of a device, and the variables that hold them."""
import numpy

from croton import _core
from croton.compile.sharedvalue import shared
from croton.tensor.type import TensorType
from croton.tensor.var import TensorConstant, TensorSharedVariable, TensorVariable


class GpuArray(_core.DeviceArray):
    """An array that lives on a device; numpy.asarray() fetches a copy."""

    dtype = property(lambda self: numpy.dtype(self._dtype))
    itemsize = property(lambda self: self.dtype.itemsize)

    def __array__(self, dtype=None, copy=None):
        array = self._fetch()
        return array if dtype is None else array.astype(dtype, copy=False)

    @classmethod
    def zeros(cls, shape, dtype="float32"):
        return _core.send(_core.chosen_device(), numpy.zeros(shape, dtype))

    @property
    def __cuda_array_interface__(self):
        """For CuPy, PyTorch, Numba and JAX, which take the array without a copy. What was asked of it is done by then."""
        if not self.device.startswith("cuda"):
            raise AttributeError("an array of %s has no __cuda_array_interface__" % self.device)
        self.sync()
        return {"shape": self.shape, "strides": self.strides, "typestr": self.dtype.str, "data": (self.gpudata if self.size else 0, False),
                "version": 3}

    def copy(self, order="C"):
        return self._copy()

    def __copy__(self):
        return self._copy()

    def __deepcopy__(self, memo):
        return self._copy()

    def __len__(self):
        if self.ndim == 0:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __getitem__(self, index):
        return numpy.asarray(self)[index]

    def __bool__(self):
        return bool(numpy.asarray(self))

    def __float__(self):
        return float(numpy.asarray(self))

    def __int__(self):
        return int(numpy.asarray(self))

    def __repr__(self):
        return "gpuarray." + repr(numpy.asarray(self))

    def __str__(self):
        return str(numpy.asarray(self))

    def __reduce__(self):
        return numpy.asarray, (numpy.asarray(self),)


_core.register_device_array(GpuArray)


class _OfDevice(type):
    def __instancecheck__(cls, one):
        kind = getattr(one, "type", None) if cls.what else one
        return isinstance(kind, TensorType) and kind.device != "cpu" and isinstance(one, cls.what or TensorType)


class GpuArrayType(metaclass=_OfDevice):
    """The type of arrays on the device that functions run on."""
    what = None

    def __new__(cls, dtype, broadcastable, context_name=None, name=None):
        return TensorType(dtype, broadcastable).on(context_name or _core.chosen_device())


class GpuArrayVariable(metaclass=_OfDevice):
    what = TensorVariable


class GpuArraySharedVariable(metaclass=_OfDevice):
    what = TensorSharedVariable


class GpuArrayConstant(metaclass=_OfDevice):
    what = TensorConstant


def gpuarray_shared_constructor(value, name=None, strict=False, allow_downcast=None, borrow=False, broadcastable=None, target=None):
    return shared(value, name, strict, allow_downcast, borrow=borrow, broadcastable=broadcastable, target=target)
