"""The basics of PyOpenCL on Croton's devices of OpenCL, for programs that import it where PyOpenCL is not installed. Work is done in the order
in which it is asked for, on one queue a device."""
import builtins
import contextlib
import time

import numpy

from croton import _core
from croton._host_memory import flat

VERSION = (2022, 3)
VERSION_STATUS = ""
VERSION_TEXT = "2022.3"


class Error(Exception):
    pass


class LogicError(Error):
    pass


class RuntimeError(Error, builtins.RuntimeError):  # noqa: A001
    pass


class MemoryError(Error, builtins.MemoryError):  # noqa: A001
    pass


@contextlib.contextmanager
def _told(kind):
    try:
        yield
    except builtins.MemoryError as error:
        raise MemoryError(str(error)) from None
    except (builtins.RuntimeError, ValueError) as error:
        raise kind(str(error)) from None


class mem_flags:
    READ_WRITE, WRITE_ONLY, READ_ONLY, USE_HOST_PTR, ALLOC_HOST_PTR, COPY_HOST_PTR = 1, 2, 4, 8, 16, 32


class command_queue_properties:
    OUT_OF_ORDER_EXEC_MODE_ENABLE, PROFILING_ENABLE = 1, 2


class Device:
    def __init__(self, name, hardware):
        self._name = name
        self.name = hardware

    def opened(self):
        with _told(RuntimeError):
            return _core.open_device(self._name)

    global_mem_size = property(lambda self: self.opened()[2])

    def __eq__(self, other):
        return isinstance(other, Device) and self._name == other._name

    def __hash__(self):
        return hash(self._name)

    def __repr__(self):
        return "<pyopencl.Device %r, which is %s>" % (self.name, self._name)


class Platform:
    def __init__(self, name, devices):
        self.name, self._devices = name, devices

    def get_devices(self):
        return list(self._devices)

    def __repr__(self):
        return "<pyopencl.Platform %r>" % self.name


def get_platforms():
    found, reasons = {}, []
    for name, hardware, reason in _core.offered_devices():
        if not name.startswith("opencl"):
            continue
        if reason:
            reasons.append(reason)
        else:
            found.setdefault("OpenCL platform %s" % name[len("opencl"):].split(":")[0], []).append(Device(name, hardware))
    if not found:
        raise LogicError("there is no device of OpenCL: %s. `croton devices` says what there is" % "; ".join(reasons))
    return [Platform(name, devices) for name, devices in found.items()]


class Context:
    def __init__(self, devices=None, properties=None, dev_type=None):
        self.devices = list(devices) if devices else get_platforms()[0].get_devices()[:1]
        if len(self.devices) != 1:
            raise LogicError("a context of Croton's pyopencl has one device, got %d: make one for each" % len(self.devices))
        self.name = self.devices[0].opened()[0]


def create_some_context(interactive=None, answers=None):
    """Of the device that functions run on, where that is one of OpenCL, else of the first."""
    chosen = _core.chosen_device()
    for platform in get_platforms():
        for device in platform.get_devices():
            if device._name == chosen or not chosen.startswith("opencl"):
                return Context([device])
    return Context()


class _Profile:
    def __init__(self, start, end):
        self.queued = self.submit = self.start = start
        self.end = self.complete = end


class Event:
    """Work that was given."""

    def __init__(self, queue, begin):
        self._queue = queue
        self._profile = None
        if queue.properties & command_queue_properties.PROFILING_ENABLE:
            queue.finish()
            self._profile = _Profile(begin, time.perf_counter_ns())

    def wait(self):
        self._queue.finish()

    @property
    def profile(self):
        """In nanoseconds of the host's clock, which waited for the work."""
        if self._profile is None:
            raise LogicError("the queue keeps no times: make it with properties=command_queue_properties.PROFILING_ENABLE")
        return self._profile


class CommandQueue:
    def __init__(self, context, device=None, properties=None):
        self.context, self.device = context, device or context.devices[0]
        self.properties = int(properties or 0)
        self.name = context.name

    def finish(self):
        with _told(RuntimeError):
            _core.finish(self.name)

    def flush(self):
        pass


def wait_for_events(events):
    for event in events:
        event.wait()


class Buffer:
    """Memory of a device; it is free when nobody holds it any more, or by release()."""

    def __init__(self, context, flags, size=0, hostbuf=None):
        takes = flags & (mem_flags.COPY_HOST_PTR | mem_flags.USE_HOST_PTR)
        if hostbuf is not None:
            hostbuf = flat(hostbuf)
            size = size or memoryview(hostbuf).nbytes
            if not takes:
                raise LogicError("Buffer was given hostbuf without the flag that says what for: mem_flags.COPY_HOST_PTR")
        if flags & mem_flags.USE_HOST_PTR:
            raise NotImplementedError("buffers of Croton's pyopencl have memory of their own: COPY_HOST_PTR, and enqueue_copy back")
        if size <= 0:
            raise LogicError("Buffer was asked for %d bytes: it has to be one at least" % size)
        self.context, self.size = context, size
        with _told(RuntimeError):
            self._array = _core.bytes_on(context.name, size)
            if hostbuf is not None:
                _core.copy_in(context.name, self._array.gpudata, hostbuf)

    def address(self):
        if self._array is None:
            raise LogicError("this memory was released")
        return self._array.gpudata

    def release(self):
        self._array = None


class LocalMemory:
    """Memory that a group shares, as an argument of a kernel."""

    def __init__(self, size):
        self.size = size


def enqueue_copy(queue, dest, src, device_offset=0, src_offset=0, dest_offset=0, byte_count=None, wait_for=None, is_blocking=True):
    begin = time.perf_counter_ns()
    with _told(RuntimeError):
        if isinstance(dest, Buffer) and isinstance(src, Buffer):
            count = byte_count if byte_count is not None else min(src.size - src_offset, dest.size - dest_offset)
            _core.copy_within(queue.name, dest.address() + dest_offset, src.address() + src_offset, count)
        elif isinstance(dest, Buffer):
            host = flat(src)
            if memoryview(host).nbytes + device_offset > dest.size:
                raise LogicError("%d bytes do not fit into the buffer of %d" % (memoryview(host).nbytes + device_offset, dest.size))
            _core.copy_in(queue.name, dest.address() + device_offset, host)
        else:
            host = flat(dest)
            if memoryview(host).nbytes + device_offset > src.size:
                raise LogicError("%d bytes were asked for of a buffer of %d" % (memoryview(host).nbytes + device_offset, src.size))
            _core.copy_out(queue.name, host, src.address() + device_offset)
    return Event(queue, begin)


def enqueue_fill_buffer(queue, mem, pattern, offset, size, wait_for=None):
    pattern = pattern.tobytes() if hasattr(pattern, "tobytes") else bytes(pattern)
    return enqueue_copy(queue, mem, numpy.frombuffer(pattern * (size // len(pattern)), "uint8"), device_offset=offset)


def enqueue_barrier(queue, wait_for=None):
    return Event(queue, time.perf_counter_ns())


enqueue_marker = enqueue_barrier


def _of(argument, position):
    if isinstance(argument, LocalMemory):
        return (argument.size,)
    if isinstance(argument, Buffer):
        return argument.address()
    if isinstance(argument, (numpy.generic, numpy.ndarray)):
        return argument.tobytes()
    if argument is None:
        return 0
    for attribute in ("base_data", "data"):
        if isinstance(getattr(argument, attribute, None), Buffer):
            return getattr(argument, attribute).address()
    if isinstance(argument, _core.DeviceArray):
        return argument.gpudata
    raise TypeError("argument %d (0-based) of the kernel is a %s: buffers are given as they are, numbers as numpy.int32(…), numpy.float32(…) and the "
                    "like" % (position, type(argument).__name__))


def _three(sizes, rest):
    sizes = (sizes,) if isinstance(sizes, (int, numpy.integer)) else tuple(sizes)
    if not 1 <= len(sizes) <= 3:
        raise LogicError("a launch has one to three sizes, got %r" % (sizes,))
    return tuple(int(size) for size in sizes) + (rest,) * (3 - len(sizes))


class Kernel:
    def __init__(self, program, name):
        with _told(LogicError):
            self._kernel = program.built.kernel(name)
        self.function_name = name
        self._arguments = None

    def set_args(self, *args):
        self._arguments = args

    def set_scalar_arg_dtypes(self, dtypes):
        raise NotImplementedError("numbers are given as numpy.int32(…), numpy.float32(…) and the like")

    def __call__(self, queue, global_size, local_size, *args, global_offset=None, wait_for=None, g_times_l=False):
        if global_offset is not None:
            raise NotImplementedError("launches of Croton's pyopencl begin at 0: hand the kernel where to begin")
        begin = time.perf_counter_ns()
        items = _three(global_size, 1)
        groups, sizes = items, (0, 0, 0)
        if local_size is not None:
            sizes = _three(local_size, 1)
            if not g_times_l:
                if any(size % local for size, local in zip(items, sizes)):
                    raise LogicError("%s is no multiple of the group's size %s" % (tuple(items), tuple(sizes)))
                groups = tuple(size // local for size, local in zip(items, sizes))
        with _told(LogicError):
            self._kernel.launch(groups, sizes, 0, [_of(argument, position) for position, argument in enumerate(args)])
        return Event(queue, begin)


def enqueue_nd_range_kernel(queue, kernel, global_work_size, local_work_size, global_work_offset=None, wait_for=None, g_times_l=False):
    if kernel._arguments is None:
        raise LogicError("the kernel has no arguments yet: set_args() gives it some")
    return kernel(queue, global_work_size, local_work_size, *kernel._arguments, global_offset=global_work_offset, g_times_l=g_times_l)


class Program:
    """Kernels of a text in OpenCL C; they are its attributes once it is built."""

    def __init__(self, context, source):
        self._context, self._source = context, source
        self.built = None
        self._kernels = {}

    def build(self, options=(), devices=None, cache_dir=None):
        words = options.split() if isinstance(options, str) else list(options)
        with _told(RuntimeError):
            self.built = _core.DeviceProgram(self._context.name, "of a Program", self._source, words)
        return self

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if self.built is None:
            raise LogicError("the program was not built: build() does")
        if name not in self._kernels:
            try:
                self._kernels[name] = Kernel(self, name)
            except LogicError as error:
                raise AttributeError(str(error)) from None
        return self._kernels[name]


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError("pyopencl.%s is not in Croton's pyopencl, which has the basics: install pyopencl for the rest" % name)
