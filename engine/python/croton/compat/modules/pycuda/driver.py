"""pycuda.driver: memory of a card, copies, launches. Work is done in the order in which it is asked for: there is one stream."""
import contextlib
import math
import time

import numpy

from croton import _core
from croton._host_memory import flat
from croton.pycuda import _device
from croton.pycuda._device import CompileError, Error, LaunchError, LogicError, MemoryError, RuntimeError  # noqa: F401,A004
from croton.pycuda._device import default_number, name as _card, told as _told


def init(flags=0):
    """Looks for cards; without one it says why."""
    if not _device.numbers():
        raise RuntimeError(_device.reason())


def get_version():
    return (13, 0, 0)


def get_driver_version():
    return 13000


class device_attribute:
    MAX_THREADS_PER_BLOCK, MAX_BLOCK_DIM_X, MAX_BLOCK_DIM_Y, MAX_BLOCK_DIM_Z = 1, 2, 3, 4
    MAX_GRID_DIM_X, MAX_GRID_DIM_Y, MAX_GRID_DIM_Z, WARP_SIZE = 5, 6, 7, 10


_ATTRIBUTES = {device_attribute.MAX_THREADS_PER_BLOCK: 1024, device_attribute.MAX_BLOCK_DIM_X: 1024, device_attribute.MAX_BLOCK_DIM_Y: 1024,
               device_attribute.MAX_BLOCK_DIM_Z: 64, device_attribute.MAX_GRID_DIM_X: 2 ** 31 - 1, device_attribute.MAX_GRID_DIM_Y: 65535,
               device_attribute.MAX_GRID_DIM_Z: 65535, device_attribute.WARP_SIZE: 32}


class Device:
    """A card by its number."""

    def __init__(self, number):
        if number not in _device.numbers():
            raise LogicError("there is no card %r: %s" % (number, _device.reason() or "this machine has %d" % len(_device.numbers())))
        self._number = number

    @staticmethod
    def count():
        return len(_device.numbers())

    def name(self):
        return _device.hardware(self._number)

    def total_memory(self):
        return _device.opened(self._number)[2]

    def get_attribute(self, attribute):
        """What all cards that CUDA 13 knows have alike."""
        if attribute not in _ATTRIBUTES:
            raise LogicError("this attribute is not told: Croton's pycuda knows those of device_attribute")
        return _ATTRIBUTES[attribute]

    max_threads_per_block = property(lambda self: _ATTRIBUTES[device_attribute.MAX_THREADS_PER_BLOCK])
    warp_size = property(lambda self: _ATTRIBUTES[device_attribute.WARP_SIZE])

    def make_context(self, flags=0):
        return Context(self._number)

    retain_primary_context = make_context


class Context:
    """The card that the program works on: the one of which the last context was made."""

    def __init__(self, number):
        self._number = number
        _device.choose(number)

    @staticmethod
    def synchronize():
        with _told(LaunchError):
            _core.finish(_card())

    @staticmethod
    def get_device():
        return Device(_device.current())

    def push(self):
        _device.choose(self._number)

    @staticmethod
    def pop():
        pass

    def detach(self):
        pass


def synchronize():
    Context.synchronize()


class Stream:
    """Everything is done in order, on one stream."""
    handle = 0

    def __init__(self, flags=0):
        pass

    def synchronize(self):
        Context.synchronize()

    def is_done(self):
        Context.synchronize()
        return True

    def wait_for_event(self, event):
        pass


class Event:
    """Its time is the host's, when all that was asked for before is done. On the simulated CUDA there is none: not a number."""

    def __init__(self, flags=0):
        self._time = None

    def record(self, stream=None):
        Context.synchronize()
        self._time = math.nan if _device.is_simulated() else time.perf_counter()
        return self

    def synchronize(self):
        Context.synchronize()
        return self

    def query(self):
        return self._time is not None

    def time_since(self, event):
        """Milliseconds."""
        if self._time is None or event._time is None:
            raise LogicError("an event has a time when it was recorded")
        return 1e3 * (self._time - event._time)

    def time_till(self, event):
        return event.time_since(self)


class DeviceAllocation:
    """Memory of a card. int() gives its address; it is free when nobody holds it any more, or by free()."""

    def __init__(self, array):
        self._array = array
        self.size = array.nbytes

    def __int__(self):
        if self._array is None:
            raise LogicError("this memory was freed")
        return self._array.gpudata

    __index__ = __int__

    def free(self):
        self._array = None

    def as_buffer(self, size, offset=0):
        raise LogicError("memory of a card cannot be read by the host: memcpy_dtoh() copies it")


def mem_alloc(bytes):  # noqa: A002
    if bytes <= 0:
        raise LogicError("mem_alloc() was asked for %d bytes: it has to be one at least" % bytes)
    with _told(RuntimeError):
        return DeviceAllocation(_core.bytes_on(_card(), int(bytes)))


def mem_get_info():
    """(free, total): what of it this process has taken is known."""
    total = _device.opened(_device.current())[2]
    return total - _core.device_live_bytes(_card()), total


def address(thing):
    """Where something lies on a card."""
    for attribute in ("gpudata", "ptr"):
        if hasattr(thing, attribute):
            thing = getattr(thing, attribute)
            break
    else:
        face = getattr(thing, "__cuda_array_interface__", None)
        if face is not None:
            return face["data"][0]
    return int(thing)


def memcpy_htod(dest, src):
    with _told(LaunchError):
        _core.copy_in(_card(), address(dest), flat(src))


def memcpy_dtoh(dest, src):
    with _told(LaunchError):
        _core.copy_out(_card(), flat(dest), address(src))


def memcpy_dtod(dest, src, size):
    with _told(LaunchError):
        _core.copy_within(_card(), address(dest), address(src), size)


def memcpy_htod_async(dest, src, stream=None):
    memcpy_htod(dest, src)


def memcpy_dtoh_async(dest, src, stream=None):
    memcpy_dtoh(dest, src)


def memcpy_dtod_async(dest, src, size, stream=None):
    memcpy_dtod(dest, src, size)


def _memset(kind):
    def memset(dest, value, count):
        memcpy_htod(dest, numpy.full(count, value, kind))
    return memset


memset_d8, memset_d16, memset_d32 = _memset("uint8"), _memset("uint16"), _memset("uint32")


def to_device(array):
    """A copy of an array, as memory of the card."""
    memory = mem_alloc(array.nbytes)
    memcpy_htod(memory, array)
    return memory


def from_device(memory, shape, dtype, order="C"):
    array = numpy.empty(shape, dtype, order)
    memcpy_dtoh(array, memory)
    return array


def from_device_like(memory, other):
    array = numpy.empty_like(other)
    memcpy_dtoh(array, memory)
    return array


def pagelocked_empty(shape, dtype, order="C", mem_flags=0):
    """Ordinary memory: copies go through pinned memory by themselves."""
    return numpy.empty(shape, dtype, order)


def pagelocked_zeros(shape, dtype, order="C", mem_flags=0):
    return numpy.zeros(shape, dtype, order)


def pagelocked_empty_like(array, mem_flags=0):
    return numpy.empty_like(array)


def pagelocked_zeros_like(array, mem_flags=0):
    return numpy.zeros_like(array)


class ArgumentHandler:
    """An array of the host as an argument of a kernel: copied there before the launch, back after it, or both."""
    goes = comes = True

    def __init__(self, array):
        self.array = array
        self.dev_alloc = None

    def get_device_alloc(self):
        if self.dev_alloc is None:
            self.dev_alloc = mem_alloc(self.array.nbytes)
        return self.dev_alloc

    def pre_call(self, stream=None):
        if self.goes:
            memcpy_htod(self.get_device_alloc(), self.array)

    def post_call(self, stream=None):
        if self.comes:
            memcpy_dtoh(self.array, self.get_device_alloc())


class In(ArgumentHandler):
    comes = False


class Out(ArgumentHandler):
    goes = False


class InOut(ArgumentHandler):
    pass


def _of(argument, position):
    """An argument as the launch takes it: an address, or the bytes of a value."""
    if isinstance(argument, ArgumentHandler):
        return int(argument.get_device_alloc())
    if isinstance(argument, (numpy.generic, numpy.ndarray)):
        return argument.tobytes()
    if argument is None:
        return 0
    with contextlib.suppress(TypeError, ValueError):
        if not isinstance(argument, (int, float, complex, bool)):
            return address(argument)
    raise TypeError("invalid type on parameter #%d (0-based): %s; numbers are given as numpy.int32(…), numpy.float32(…) and the like"
                    % (position, type(argument).__name__))


def _three(sizes, what):
    sizes = (sizes,) if isinstance(sizes, (int, numpy.integer)) else tuple(sizes)
    if not 1 <= len(sizes) <= 3:
        raise ValueError("%s has one to three sizes, got %r" % (what, sizes))
    return tuple(int(size) for size in sizes) + (1,) * (3 - len(sizes))


class Function:
    """A kernel."""

    def __init__(self, kernel, name):
        self._kernel, self._name = kernel, name
        self._types = None

    def __call__(self, *args, block=None, grid=(1, 1), stream=None, shared=0, texrefs=(), time_kernel=False):
        if block is None:
            raise ValueError("must specify block size: block=(256, 1, 1), say")
        handlers = [argument for argument in args if isinstance(argument, ArgumentHandler)]
        for handler in handlers:
            handler.pre_call(stream)
        begin = Event().record() if time_kernel else None
        self._launch(grid, block, [_of(argument, position) for position, argument in enumerate(args)], shared)
        seconds = 1e-3 * Event().record().time_since(begin) if time_kernel else None
        for handler in handlers:
            handler.post_call(stream)
        return seconds

    def _launch(self, grid, block, arguments, shared):
        with _told(LaunchError):
            self._kernel.launch(_three(grid, "grid"), _three(block, "block"), shared, arguments)

    def prepare(self, arg_types, shared=None, texrefs=()):
        """arg_types: as of struct, P for what lies on the card, or a list of them and of dtypes."""
        self._types = [kind if kind == "P" else numpy.dtype(kind) for kind in arg_types]
        return self

    def prepared_call(self, grid, block, *args, shared_size=0):
        if self._types is None:
            raise LogicError("prepare() says what the arguments are; it was not called for %s" % self._name)
        if len(args) != len(self._types):
            raise TypeError("%s was prepared for %d arguments, got %d" % (self._name, len(self._types), len(args)))
        self._launch(grid, block, [address(value) if kind == "P" else kind.type(value).tobytes()
                                   for kind, value in zip(self._types, args)], shared_size)

    def prepared_async_call(self, grid, block, stream, *args, shared_size=0):
        self.prepared_call(grid, block, *args, shared_size=shared_size)

    def prepared_timed_call(self, grid, block, *args, shared_size=0):
        begin = Event().record()
        self.prepared_call(grid, block, *args, shared_size=shared_size)
        end = Event().record()
        return lambda: 1e-3 * end.time_since(begin)

    def _fact(name):  # noqa: N805
        def fact(self):
            with _told(RuntimeError):
                return self._kernel.facts()[name]
        return property(fact)

    num_regs, shared_size_bytes, local_size_bytes = _fact("registers"), _fact("shared"), _fact("local")
    const_size_bytes, max_threads_per_block = _fact("constant"), _fact("most_items")
    del _fact

    def set_cache_config(self, config):
        pass  # a hint, which cards of today do without


class func_cache:
    PREFER_NONE, PREFER_SHARED, PREFER_L1, PREFER_EQUAL = range(4)


class ctx_flags:
    SCHED_AUTO, SCHED_SPIN, SCHED_YIELD, SCHED_BLOCKING_SYNC, MAP_HOST, LMEM_RESIZE_TO_MAX = 0, 1, 2, 4, 8, 16


class event_flags:
    DEFAULT, BLOCKING_SYNC, DISABLE_TIMING = 0, 1, 2


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError("pycuda.driver.%s is not in Croton's pycuda, which has the basics: install PyCUDA for the rest" % name)
