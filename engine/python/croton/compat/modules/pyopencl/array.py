"""pyopencl.array: arrays of a device, to and from the host."""
import numpy

from croton.pyopencl import Buffer, enqueue_copy, mem_flags


class Array:
    def __init__(self, queue, shape, dtype, data=None):
        self.queue, self.context = queue, queue.context
        self.shape = (int(shape),) if isinstance(shape, (int, numpy.integer)) else tuple(shape)
        self.dtype = numpy.dtype(dtype)
        self.size = int(numpy.prod(self.shape, dtype="int64"))
        self.nbytes = self.size * self.dtype.itemsize
        self.ndim = len(self.shape)
        self.data = self.base_data = data or Buffer(self.context, mem_flags.READ_WRITE, max(self.nbytes, 1))

    def get(self, queue=None, ary=None):
        result = numpy.empty(self.shape, self.dtype) if ary is None else ary
        if self.size:
            enqueue_copy(queue or self.queue, result, self.data)
        return result

    def set(self, ary, queue=None):  # noqa: A003
        if ary.shape != self.shape or ary.dtype != self.dtype:
            raise ValueError("set() takes an array of %s with shape %s, got %s with shape %s" % (self.dtype, self.shape, ary.dtype, ary.shape))
        if self.size:
            enqueue_copy(queue or self.queue, self.data, numpy.ascontiguousarray(ary))

    def __len__(self):
        return self.shape[0]


def to_device(queue, ary):
    result = Array(queue, ary.shape, ary.dtype)
    result.set(ary)
    return result


def empty(queue, shape, dtype):
    return Array(queue, shape, dtype)


def zeros(queue, shape, dtype):
    return to_device(queue, numpy.zeros(shape, dtype))


def empty_like(other):
    return Array(other.queue, other.shape, other.dtype)
