"""pycuda.tools: names of C for dtypes, arguments of generated kernels."""
import re

import numpy

from croton.pycuda import driver

_C = {"bool": "bool", "int8": "signed char", "uint8": "unsigned char", "int16": "short", "uint16": "unsigned short", "int32": "int",
      "uint32": "unsigned int", "int64": "long long", "uint64": "unsigned long long", "float32": "float", "float64": "double"}
_DTYPES = {**{c: dtype for dtype, c in _C.items()}, "char": "int8", "unsigned": "uint32", "long": "int64", "unsigned long": "uint64",
           "size_t": "uint64", "unsigned short int": "uint16", "short int": "int16", "long int": "int64", "long long int": "int64"}


def dtype_to_ctype(dtype):
    name = numpy.dtype(dtype).name
    if name not in _C:
        raise TypeError("Croton's pycuda computes with real numbers and integers, got %s: install PyCUDA for the rest" % name)
    return _C[name]


class Argument:
    def __init__(self, dtype, name):
        self.dtype, self.name = numpy.dtype(dtype), name


class VectorArg(Argument):
    def declarator(self):
        return "%s *%s" % (dtype_to_ctype(self.dtype), self.name)


class ScalarArg(Argument):
    def declarator(self):
        return "%s %s" % (dtype_to_ctype(self.dtype), self.name)


def parse_c_arg(text):
    words = re.sub(r"\b(const|volatile|__restrict__)\b", " ", text).replace("*", " * ").split()
    is_vector = "*" in words
    words = [word for word in words if word != "*"]
    kind = " ".join(words[:-1])
    if kind not in _DTYPES:
        raise TypeError("the argument %r is of no type that is known here: float, double, int and the like" % text.strip())
    return (VectorArg if is_vector else ScalarArg)(_DTYPES[kind], words[-1])


def parsed_arguments(arguments):
    """Of a line of C, or the list itself."""
    return [parse_c_arg(part) for part in arguments.split(",")] if isinstance(arguments, str) else list(arguments)


class DeviceMemoryPool:
    """Croton keeps freed memory of cards for what comes next by itself."""

    def allocate(self, size):
        return driver.mem_alloc(size)

    def free_held(self):
        pass


class PageLockedMemoryPool:
    def allocate(self, shape, dtype):
        return driver.pagelocked_empty(shape, dtype)


def make_default_context():
    driver.init()
    return driver.Device(driver.default_number()).make_context()


def clear_context_caches():
    pass
