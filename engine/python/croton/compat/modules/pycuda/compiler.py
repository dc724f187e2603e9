"""pycuda.compiler: kernels of a program's own text, compiled by NVRTC."""
import re
import warnings

from croton import _core
from croton.pycuda import _device
from croton.pycuda.driver import CompileError, Function, LogicError

# What nvcc includes by itself, or NVRTC knows without: it finds no file of these.
_KNOWN = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"](stdio|stdlib|math|string|assert|cuda|cuda_runtime|device_launch_parameters|cmath|cstdio)"
                    r"(\.h)?[>\"][^\n]*$", re.MULTILINE)


class SourceModule:
    """The kernels of a text in CUDA C. Options are nvcc's; those that NVRTC does not take are told, with the reason."""

    def __init__(self, source, nvcc="nvcc", options=None, keep=False, no_extern_c=False, arch=None, code=None, cache_dir=None,
                 include_dirs=()):
        text = _KNOWN.sub("", source)
        if not no_extern_c:
            text = 'extern "C" {\n#line 1\n%s\n}\n' % text
        words = list(options or []) + ["-I" + folder for folder in include_dirs]
        try:
            self._program = _core.DeviceProgram(_device.name(), "of a SourceModule", text, words)
        except MemoryError:
            raise
        except RuntimeError as error:
            raise CompileError("nvcc compilation of the text failed: %s" % error, stderr=str(error)) from None
        for sentence in self._program.left:
            warnings.warn("SourceModule leaves an option out: %s" % sentence, stacklevel=2)

    def get_function(self, name):
        try:
            return Function(self._program.kernel(name), name)
        except RuntimeError as error:
            raise LogicError("cuModuleGetFunction failed: %s" % error) from None

    def get_global(self, name):
        """(address, bytes) of a variable of the text."""
        try:
            return self._program.variable(name)
        except RuntimeError as error:
            raise LogicError("cuModuleGetGlobal failed: %s" % error) from None

    def get_texref(self, name):
        raise NotImplementedError("CUDA 13 has no texture references: hand the array to the kernel as a pointer")

    get_surfref = get_texref


DynamicSourceModule = SourceModule
