"""pycuda.reduction: all elements to one, from two lines of C."""
from croton.pycuda import gpuarray
from croton.pycuda._reduce import Reduction
from croton.pycuda.tools import dtype_to_ctype


class ReductionKernel:
    def __init__(self, dtype_out, neutral, reduce_expr, map_expr=None, arguments=None, name="reduce_kernel", keep=False, options=None,
                 preamble=""):
        self._reduction = Reduction(dtype_out, neutral, reduce_expr, map_expr, arguments or "%s *in" % dtype_to_ctype(dtype_out), name, options,
                                    preamble)
        self.dtype_out = self._reduction.dtype

    def __call__(self, *args, stream=None, allocator=None):
        return self._reduction.run(gpuarray.empty((), self.dtype_out), *args)
