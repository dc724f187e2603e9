"""Arrays of a device, and the variables that hold them."""
import numpy

from croton import _core
from croton.compile.sharedvalue import shared
from croton.configparser import device_of as _device_of
from croton.gof.type import Type
from croton.tensor.type import (TensorType, values_eq_approx, values_eq_approx_remove_inf, values_eq_approx_remove_inf_nan,  # noqa: F401
                                values_eq_approx_remove_nan)
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
    def flags(self):
        return numpy.lib.stride_tricks.as_strided(numpy.empty((), self.dtype), self.shape, self.strides).flags

    @property
    def __cuda_array_interface__(self):
        """For CuPy, PyTorch, Numba and JAX, which take the array without a copy. What was asked of it is done by then."""
        if not self.device.startswith("cuda"):
            raise AttributeError("an array of %s has no __cuda_array_interface__" % self.device)
        self.sync()
        return {"shape": self.shape, "strides": self.strides, "typestr": self.dtype.str, "data": (self.gpudata if self.size else 0, False),
                "version": 3}

    @classmethod
    def of(cls, x):
        """An array that another library has on the card (one with __cuda_array_interface__): both look at the same memory."""
        face = x.__cuda_array_interface__
        if face["data"][1]:
            raise ValueError("the array may only be read, and functions may write to theirs: copy it")
        device = _core.chosen_device()
        return _core.array_at(device if device.startswith("cuda") else "cuda0", face["data"][0], face["shape"], face.get("strides"),
                              numpy.dtype(face["typestr"]).name, x)

    def __dlpack_device__(self):
        return _core.dlpack_device(self)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """For PyTorch, JAX, CuPy: the same memory, which stays as long as they need it. What was asked of it is done by then."""
        if dl_device is not None and tuple(dl_device) == _ON_THE_HOST:
            if copy is False:
                raise BufferError("an array of %s gets to the host as a copy" % self.device)
            return numpy.asarray(self).__dlpack__()
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError("the array lies on %s" % self.device)
        array = self.copy() if copy else self
        array.sync()
        return _core.to_dlpack(array, max_version is not None and max_version[0] >= 1)

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
_ON_THE_HOST = (1, 0)


def from_dlpack(x):
    """An array of another library: one on a card without a copy, one of the host is sent to the device that functions run on."""
    if x.__dlpack_device__()[0] == _ON_THE_HOST[0]:
        return _core.send(_core.chosen_device(), numpy.from_dlpack(x))
    try:
        capsule = x.__dlpack__(max_version=(1, 0))
    except TypeError:  # of before DLPack 1
        capsule = x.__dlpack__()
    return _core.from_dlpack(capsule)


class _OfDevice(type):
    def __instancecheck__(cls, one):
        kind = getattr(one, "type", None) if cls.what else one
        return isinstance(kind, TensorType) and kind.device != "cpu" and isinstance(one, cls.what or TensorType)


class GpuArrayType(metaclass=_OfDevice):
    """The type of arrays on the device that functions run on."""
    what = None

    def __new__(cls, dtype, broadcastable, context_name=None, name=None):
        return TensorType(dtype, broadcastable).on(_device_of(context_name))


class ContextNotDefined(ValueError):
    """There is no device of that name."""


def get_context(name):
    """The device of a context, None for the one that functions run on, by its name."""
    device = _device_of(name)
    if device == "cpu":
        raise ContextNotDefined("context name %s not defined: functions run on the CPU" % name)
    return device


class GpuContextType(Type):
    """What ops say of the device that they run on: its name."""

    def filter(self, data, strict=False, allow_downcast=None):
        if not isinstance(data, str):
            raise TypeError("a device is known by its name here, got %r" % (data,))
        return data

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return hash(type(self))


gpu_context_type = GpuContextType()


class GpuArrayVariable(metaclass=_OfDevice):
    what = TensorVariable


class GpuArraySharedVariable(metaclass=_OfDevice):
    what = TensorSharedVariable


class GpuArrayConstant(metaclass=_OfDevice):
    what = TensorConstant


def gpuarray_shared_constructor(value, name=None, strict=False, allow_downcast=None, borrow=False, broadcastable=None, target=None):
    return shared(value, name, strict, allow_downcast, borrow=borrow, broadcastable=broadcastable, target=target)
