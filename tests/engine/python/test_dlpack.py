"""Arrays of devices in the hands of other libraries: what DLPack's structures hold, read here by ctypes, and who lets go of the memory when."""
import subprocess
import sys
import textwrap

import pytest
from cards import environment, needs_card
from croton import _core

OPENCL = [name for name, hardware, reason in _core.offered_devices() if name.startswith("opencl") and not reason]

# A library that knows nothing of Croton: it takes capsules, and gives them.
OTHER = """
    import ctypes, gc, sys
    import numpy, theano
    from theano.gpuarray import GpuArray, from_dlpack

    class Device(ctypes.Structure):
        _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]
    class Kind(ctypes.Structure):
        _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]
    class Array(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("dtype", Kind),
                    ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]
    DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    class Plain(ctypes.Structure):
        _fields_ = [("array", Array), ("context", ctypes.c_void_p), ("deleter", DELETER)]
    class Versioned(ctypes.Structure):
        _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", DELETER),
                    ("flags", ctypes.c_uint64), ("array", Array)]
    api = ctypes.pythonapi
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_New.restype = ctypes.py_object
    api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]

    def take(capsule, name=b"dltensor", kind=Plain):
        at = api.PyCapsule_GetPointer(capsule, name)
        used = b"used_" + name
        api.PyCapsule_SetName(capsule, used)
        names.append(used)  # a capsule keeps the pointer only
        return kind.from_address(at), at
    names = []
    def live():
        gc.collect()
        return _core.device_live_bytes("cuda0")
    from croton import _core
"""


def printed(code, device="cuda0"):
    env = environment("device=%s,floatX=float32" % device)
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(OTHER) + textwrap.dedent(code)], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@needs_card
def test_an_array_is_shown_as_it_lies():
    lines = printed("""
        x = theano.shared(numpy.arange(24, dtype="float32").reshape(4, 6))
        f = theano.function([], theano.gpuarray.gpu_from_host(x[1::2, ::-2].T))
        for array in (x.get_value(borrow=True, return_internal_type=True), f(), GpuArray.zeros((3, 0), "float64"), GpuArray.zeros((), "int32")):
            capsule = array.__dlpack__()
            managed, at = take(capsule)
            own = managed.array
            steps = [own.strides[i] * array.itemsize for i in range(own.ndim)]
            print(own.data == (array.gpudata if array.size else None), own.device.type, own.device.id, (own.dtype.code, own.dtype.bits, own.dtype.lanes),
                  tuple(own.shape[:own.ndim]) == array.shape, tuple(steps) == array.strides, own.offset, array.__dlpack_device__())
            managed.deleter(at)
    """)
    assert lines == ["True 2 0 (2, 32, 1) True True 0 (2, 0)", "True 2 0 (2, 32, 1) True True 0 (2, 0)", "True 2 0 (2, 64, 1) True True 0 (2, 0)",
                     "True 2 0 (0, 32, 1) True True 0 (2, 0)"], lines


@needs_card
def test_the_memory_is_let_go_once_by_whoever_has_it():
    lines = printed("""
        before = live()
        array = GpuArray.zeros((100,))
        print(live() - before)
        capsule = array.__dlpack__()
        del array
        print(live() - before)
        managed, at = take(capsule)
        del capsule                       # it was taken: the taker lets go
        print(live() - before)
        managed.deleter(at)
        print(live() - before)
        capsule = GpuArray.zeros((100,)).__dlpack__(max_version=(1, 1))
        print(live() - before)
        del capsule                       # nobody took it
        print(live() - before)
        capsule = GpuArray.zeros((100,)).__dlpack__(max_version=(1, 0))
        managed, at = take(capsule, b"dltensor_versioned", Versioned)
        del capsule
        print(live() - before, managed.major, managed.flags, managed.array.shape[0])
        managed.deleter(at)
        print(live() - before)
    """)
    assert lines == ["400", "400", "400", "0", "400", "0", "400 1 0 100", "0"], lines


GIVES = """
        let_go, let_go_of = [], []
        class Giver:
            '''Has memory of the card in its own way, and counts how often it is let go.'''
            def __init__(self, array, versioned=True, steps=None, code=2, device=2, flags=0):
                self.array, self.versioned, self.steps, self.code, self.kind, self.flags = array, versioned, steps, code, device, flags
                let_go_of.append(self)  # its structures live until their deleter was called
            def __dlpack_device__(self):
                return (self.kind, 0)
            def __dlpack__(self, **given):
                if given and not self.versioned:
                    raise TypeError("unexpected keyword argument")
                self.shape = (ctypes.c_int64 * self.array.ndim)(*self.array.shape)
                strides = (ctypes.c_int64 * self.array.ndim)(*self.steps) if self.steps else None
                self.strides = strides
                array = Array(self.array.gpudata, Device(self.kind, 0), self.array.ndim, Kind(self.code, 8 * self.array.itemsize, 1), self.shape, strides, 0)
                self.deleter = DELETER(lambda at: let_go.append(at))
                self.own = Versioned(1, 0, None, self.deleter, self.flags, array) if self.versioned else Plain(array, None, self.deleter)
                return api.PyCapsule_New(ctypes.addressof(self.own), b"dltensor_versioned" if self.versioned else b"dltensor", None)
"""


@needs_card
def test_an_array_of_others_is_worked_on_where_it_lies():
    lines = printed(GIVES + """
        y = theano.gpuarray.type.GpuArrayType("float32", (False, False))("y")
        f = theano.function([y], (y + 1).transfer("cpu"))
        for versioned in (True, False):
            giver = Giver(_core.send("cuda0", numpy.arange(6, dtype="float32").reshape(2, 3)), versioned)
            array = from_dlpack(giver)
            print(type(array).__name__, array.gpudata == giver.array.gpudata, array.shape, f(array).tolist(), len(let_go))
            view = array.copy()
            del array
            gc.collect()
            print(len(let_go), let_go[-1:] == [ctypes.addressof(giver.own)], numpy.asarray(view).sum())
        turned = from_dlpack(Giver(_core.send("cuda0", numpy.arange(6, dtype="float32").reshape(2, 3)), steps=(1, 2)))
        print(numpy.asarray(turned).tolist(), turned.strides)
        here = from_dlpack(numpy.float32([1, 2]))
        print(type(here).__name__, here.device, numpy.asarray(here).tolist())
        del turned  # while its giver is there to hear of it
    """)
    assert lines == ["GpuArray True (2, 3) [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] 0", "1 True 15.0",
                     "GpuArray True (2, 3) [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]] 1", "2 True 15.0",
                     "[[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]] (4, 8)", "GpuArray cuda0 [1.0, 2.0]"], lines


@needs_card
def test_what_cannot_be_taken_is_told_and_stays_the_others():
    lines = printed(GIVES + """
        def told(what):
            try:
                print(what())
            except (BufferError, TypeError, ValueError) as error:
                print(type(error).__name__, error)
        mine = GpuArray.zeros((2, 3))
        told(lambda: from_dlpack(Giver(mine, code=4)))
        told(lambda: from_dlpack(Giver(mine, device=10)))
        told(lambda: from_dlpack(Giver(mine, flags=1)))
        capsule = mine.__dlpack__()
        take(capsule)
        told(lambda: _core.from_dlpack(capsule))
        told(lambda: mine.__dlpack__(dl_device=(2, 1)))
        told(lambda: mine.__dlpack__(dl_device=(1, 0), copy=False))
        print(len(let_go), numpy.from_dlpack(numpy.asarray(mine)).shape)
    """)
    assert lines == ["ValueError the array has elements of a kind that there is no dtype for (DLPack's code 4 with 32 bits)",
                     "ValueError the array lies on no card of CUDA (DLPack's device 10)",
                     "ValueError the array may only be read, and functions may write to theirs: copy it",
                     "TypeError this is no capsule of DLPack, or it was taken already: each can be taken once",
                     "BufferError the array lies on cuda0", "BufferError an array of cuda0 gets to the host as a copy", "0 (2, 3)"], lines


@needs_card
def test_cuda_array_interface_both_ways():
    lines = printed("""
        class Other:
            def __init__(self, array, strides=None, readonly=False):
                self.array = array
                self.__cuda_array_interface__ = dict(array.__cuda_array_interface__, strides=strides, data=(array.gpudata, readonly))
        mine = _core.send("cuda0", numpy.arange(6, dtype="float32").reshape(2, 3))
        other = Other(mine)
        taken = GpuArray.of(other)
        print(taken.gpudata == mine.gpudata, numpy.asarray(taken).tolist(), sys.getrefcount(other))
        del taken
        gc.collect()
        print(sys.getrefcount(other), numpy.asarray(GpuArray.of(Other(mine, strides=(4, 8)))).tolist())
        try:
            GpuArray.of(Other(mine, readonly=True))
        except ValueError as error:
            print(error)
    """)
    assert lines == ["True [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]] 3", "2 [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]",
                     "the array may only be read, and functions may write to theirs: copy it"], lines


@pytest.mark.skipif(not OPENCL, reason="there is no device of OpenCL")
def test_arrays_of_opencl_say_that_they_stay():
    lines = printed("""
        array = GpuArray.zeros((2, 3))
        for what in (array.__dlpack__, array.__dlpack_device__):
            try:
                what()
            except BufferError as error:
                print(error)
        print(hasattr(array, "__cuda_array_interface__"))
    """, device=OPENCL[0])
    sentence = "an array of %s cannot be handed to others: DLPack takes those of CUDA; numpy.asarray() fetches it" % OPENCL[0]
    assert lines == [sentence, sentence, "False"], lines
