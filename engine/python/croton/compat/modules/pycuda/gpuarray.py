"""pycuda.gpuarray: arrays of a card with NumPy's arithmetic, row by row."""
import builtins
import functools
import numbers
import operator

import numpy

from croton.pycuda import driver
from croton.pycuda._reduce import Reduction
from croton.pycuda.elementwise import ElementwiseKernel
from croton.pycuda.tools import dtype_to_ctype


class GPUArray:
    def __init__(self, shape, dtype, allocator=driver.mem_alloc, base=None, gpudata=None, strides=None, order="C"):
        self.shape = (int(shape),) if isinstance(shape, numbers.Integral) else tuple(int(size) for size in shape)
        self.dtype = numpy.dtype(dtype)
        self.size = int(numpy.prod(self.shape, dtype="int64"))
        self.nbytes = self.mem_size = self.size * self.dtype.itemsize
        self.ndim = len(self.shape)
        self.strides = tuple(self.dtype.itemsize * int(numpy.prod(self.shape[axis + 1:], dtype="int64")) for axis in range(self.ndim))
        if order != "C" or (strides is not None and tuple(strides) != self.strides):
            raise NotImplementedError("arrays of Croton's pycuda lie row by row")
        self.base = base
        self.gpudata = gpudata if gpudata is not None else allocator(builtins.max(self.nbytes, 1))

    ptr = property(lambda self: int(self.gpudata))
    itemsize = property(lambda self: self.dtype.itemsize)
    flags = property(lambda self: numpy.empty(self.shape, self.dtype).flags)

    @property
    def __cuda_array_interface__(self):
        driver.synchronize()
        return {"shape": self.shape, "strides": self.strides, "typestr": self.dtype.str, "data": (self.ptr if self.size else 0, False),
                "version": 3}

    def set(self, array, stream=None):  # noqa: A003
        if array.shape != self.shape or array.dtype != self.dtype:
            raise ValueError("set() takes an array of %s with shape %s, got %s with shape %s"
                             % (self.dtype, self.shape, array.dtype, array.shape))
        if self.size:
            driver.memcpy_htod(self.gpudata, numpy.ascontiguousarray(array))

    set_async = set

    def get(self, ary=None, stream=None, pagelocked=False):
        result = numpy.empty(self.shape, self.dtype) if ary is None else ary
        if self.size:
            driver.memcpy_dtoh(result, self.gpudata)
        return result

    get_async = get

    def __array__(self, dtype=None, copy=None):
        array = self.get()
        return array if dtype is None else array.astype(dtype, copy=False)

    def __str__(self):
        return str(self.get())

    def __repr__(self):
        return repr(self.get())

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __bool__(self):
        return bool(self.get())

    def __float__(self):
        return float(self.get())

    def __int__(self):
        return int(self.get())

    def fill(self, value, stream=None):
        _kernel("%s value, %s *z" % ((dtype_to_ctype(self.dtype),) * 2), "z[i] = value")(value, self, range=range(self.size))
        return self

    def copy(self):
        result = empty_like(self)
        if self.size:
            driver.memcpy_dtod(result.gpudata, self.gpudata, self.nbytes)
        return result

    def reshape(self, *shape, order="C"):
        shape = shape[0] if len(shape) == 1 and not isinstance(shape[0], numbers.Integral) else shape
        shape = numpy.empty(self.shape, "V1").reshape(shape).shape  # NumPy's rules, its -1 and its errors
        return GPUArray(shape, self.dtype, base=self, gpudata=self.gpudata)

    def ravel(self):
        return self.reshape(-1)

    def view(self, dtype=None):
        dtype = numpy.dtype(dtype or self.dtype)
        shape = numpy.empty(self.shape, self.dtype).view(dtype).shape
        return GPUArray(shape, dtype, base=self, gpudata=self.gpudata)

    def astype(self, dtype):
        return _applied("x[i]", numpy.dtype(dtype), x=self)

    def __getitem__(self, index):
        """Along the first axis: an element of it, or those from a to b."""
        if isinstance(index, tuple) and len(index) == 1:
            index = index[0]
        if isinstance(index, slice):
            begin, end, step = index.indices(len(self))
            if step == 1:
                return self._rows(begin, (builtins.max(end - begin, 0),) + self.shape[1:])
        elif isinstance(index, numbers.Integral) and self.shape:
            if not -len(self) <= index < len(self):
                raise IndexError("index %d is out of bounds for axis 0 with size %d" % (index, len(self)))
            return self._rows(index % len(self), self.shape[1:])
        raise NotImplementedError("arrays of Croton's pycuda take a[i] and a[i:j]; get() gives NumPy's array, which takes all")

    def _rows(self, begin, shape):
        return GPUArray(shape, self.dtype, base=self, gpudata=_Within(self.gpudata, begin * self.strides[0]))

    def __setitem__(self, index, value):
        place = self[index]
        if isinstance(value, GPUArray):
            if (value.shape, value.dtype) != (place.shape, place.dtype):
                raise ValueError("an array of %s with shape %s is stored where %s with shape %s is"
                                 % (value.dtype, value.shape, place.dtype, place.shape))
            driver.memcpy_dtod(place.gpudata, value.gpudata, place.nbytes)
        elif isinstance(value, numpy.ndarray):
            place.set(value)
        else:
            place.fill(value)

    def __abs__(self):
        return _applied("x[i] < 0 ? -x[i] : x[i]", self.dtype, x=self)

    def __neg__(self):
        return _applied("-x[i]", self.dtype, x=self)

    def __pow__(self, other):
        return _of_two(operator.pow, "pow((double)%s, (double)%s)", self, other)

    def __rpow__(self, other):
        return _of_two(operator.pow, "pow((double)%s, (double)%s)", other, self)

    def mul_add(self, factor, other, other_factor):
        return self * factor + other * other_factor

    def sum(self, dtype=None):  # noqa: A003
        return sum(self, dtype)


class _Within:
    """Memory within an allocation, which it keeps."""

    def __init__(self, base, offset):
        self._base, self._offset = base, offset

    def __int__(self):
        return int(self._base) + self._offset

    __index__ = __int__


@functools.lru_cache(maxsize=None)
def _kernel(arguments, operation):
    return ElementwiseKernel(arguments, operation)


def _applied(expression, dtype, **arrays):
    """An array of that dtype, from an expression of elements of arrays of one shape."""
    shapes = {array.shape for array in arrays.values()}
    if len(shapes) != 1:
        raise ValueError("arrays of Croton's pycuda have the same shape in arithmetic, got %s" % " and ".join(map(str, sorted(shapes))))
    result = GPUArray(shapes.pop(), dtype)
    c = dtype_to_ctype(dtype)
    arguments = "%s *z, " % c + ", ".join("%s *%s" % (dtype_to_ctype(array.dtype), name) for name, array in arrays.items())
    _kernel(arguments, "z[i] = (%s)(%s)" % (c, expression))(result, *arrays.values())
    return result


def _sample(x):
    return numpy.ones(1, x.dtype) if isinstance(x, GPUArray) else x


def _of_two(function, form, x, y):
    arrays = [one for one in (x, y) if isinstance(one, GPUArray)]
    if not all(isinstance(one, (GPUArray, numbers.Number, numpy.generic)) for one in (x, y)):
        return NotImplemented
    dtype = function(_sample(x), _sample(y)).dtype  # NumPy's
    inner = "(%s)" % dtype_to_ctype(numpy.result_type(*(_sample(one).dtype if isinstance(one, GPUArray) else dtype for one in (x, y)))
                                    if dtype == bool else dtype)
    if len(arrays) == 2:
        return _applied(form % (inner + "x[i]", inner + "y[i]"), dtype, x=x, y=y)
    number = repr(float(y if arrays[0] is x else x)) if dtype.kind == "f" else None
    scalar = x if arrays[0] is y else y
    if number is None or not numpy.isfinite(float(scalar)):
        number = repr(int(scalar)) if number is None and float(scalar).is_integer() else repr(float(scalar))
        number = {"inf": "(1.0 / 0.0)", "-inf": "(-1.0 / 0.0)", "nan": "(0.0 / 0.0)"}.get(number, number)
    number = "(%s%s)" % ("" if dtype == bool else inner, number)
    operands = (inner + "x[i]", number) if arrays[0] is x else (number, inner + "x[i]")
    return _applied(form % operands, dtype, x=arrays[0])


def _method(function, form, is_reflected=False):
    def method(self, other):
        return _of_two(function, form, other, self) if is_reflected else _of_two(function, form, self, other)
    return method


def _in_place(method):
    def change(self, other):
        result = method(self, other)
        if result is NotImplemented:
            return result
        if result.dtype != self.dtype:
            result = result.astype(self.dtype)
        driver.memcpy_dtod(self.gpudata, result.gpudata, self.nbytes)
        return self
    return change


for _name, _function, _sign in (("add", operator.add, "+"), ("sub", operator.sub, "-"), ("mul", operator.mul, "*"),
                                ("truediv", operator.truediv, "/")):
    _form = "%%s %s %%s" % _sign
    setattr(GPUArray, "__%s__" % _name, _method(_function, _form))
    setattr(GPUArray, "__r%s__" % _name, _method(_function, _form, True))
    setattr(GPUArray, "__i%s__" % _name, _in_place(_method(_function, _form)))
for _name, _function, _sign in (("lt", operator.lt, "<"), ("le", operator.le, "<="), ("gt", operator.gt, ">"), ("ge", operator.ge, ">="),
                                ("eq", operator.eq, "=="), ("ne", operator.ne, "!=")):
    setattr(GPUArray, "__%s__" % _name, _method(_function, "%%s %s %%s" % _sign))
GPUArray.__hash__ = object.__hash__
del _name, _function, _sign, _form


def to_gpu(array, allocator=driver.mem_alloc):
    array = numpy.asarray(array)
    result = GPUArray(array.shape, array.dtype, allocator)
    result.set(array)
    return result


to_gpu_async = to_gpu


def empty(shape, dtype=numpy.float64, allocator=driver.mem_alloc, order="C"):
    return GPUArray(shape, dtype, allocator, order=order)


def zeros(shape, dtype=numpy.float64, allocator=driver.mem_alloc, order="C"):
    return GPUArray(shape, dtype, allocator, order=order).fill(0)


def ones(shape, dtype=numpy.float64, allocator=driver.mem_alloc, order="C"):
    return GPUArray(shape, dtype, allocator, order=order).fill(1)


def empty_like(other):
    return GPUArray(other.shape, other.dtype)


def zeros_like(other):
    return empty_like(other).fill(0)


def ones_like(other):
    return empty_like(other).fill(1)


def arange(*args, dtype=None):
    return to_gpu(numpy.arange(*args, dtype=dtype))


@functools.lru_cache(maxsize=None)
def _reduction(dtype_in, dtype_out, neutral, reduce_expr, map_expr, names):
    return Reduction(dtype_out, neutral, reduce_expr, map_expr,
                     ", ".join("%s *%s" % (dtype_to_ctype(dtype), name) for dtype, name in zip(dtype_in, names)))


def _reduced(arrays, dtype, *forms):
    reduction = _reduction(tuple(array.dtype for array in arrays), dtype, *forms, "xy"[:len(arrays)])
    return reduction.run(GPUArray((), dtype), *arrays)


def sum(a, dtype=None, stream=None):  # noqa: A001
    dtype = numpy.dtype(dtype or a.dtype)
    return _reduced((a,), dtype, "0", "a + b", "x[i]")


def dot(a, b, dtype=None, stream=None):
    if a.shape != b.shape:
        raise ValueError("dot() takes two arrays of one shape, got %s and %s" % (a.shape, b.shape))
    dtype = numpy.dtype(dtype or numpy.result_type(a.dtype, b.dtype))
    c = dtype_to_ctype(dtype)
    return _reduced((a, b), dtype, "0", "a + b", "(%s)x[i] * (%s)y[i]" % (c, c))


def _extreme(sign):
    def extreme(a, stream=None):
        if not a.size:
            raise ValueError("an array without elements has no smallest and no largest")
        return _reduced((a,), a.dtype, "x[0]", "a %s b ? a : b" % sign, "x[i]")
    return extreme


min, max = _extreme("<"), _extreme(">")  # noqa: A001
