"""All elements to one, in two launches."""
import numpy

from croton.pycuda import driver
from croton.pycuda.compiler import SourceModule
from croton.pycuda.elementwise import GROUP, groups_for, handed
from croton.pycuda.tools import VectorArg, dtype_to_ctype, parsed_arguments

_TEXT = """
%(preamble)s
__global__ void %(name)s(%(out)s *croton_out, %(arguments)s, long long croton_n)
{
    __shared__ %(out)s croton_part[%(group)d];
    %(out)s croton_sum = %(neutral)s;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < croton_n; i += (long long)gridDim.x * blockDim.x) {
        %(out)s a = croton_sum, b = (%(map)s);
        croton_sum = %(reduce)s;
    }
    croton_part[threadIdx.x] = croton_sum;
    __syncthreads();
    for (int half = %(group)d / 2; half; half /= 2) {
        if (threadIdx.x < half) {
            %(out)s a = croton_part[threadIdx.x], b = croton_part[threadIdx.x + half];
            croton_part[threadIdx.x] = %(reduce)s;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) croton_out[blockIdx.x] = croton_part[0];
}
"""


class Reduction:
    def __init__(self, dtype_out, neutral, reduce_expr, map_expr, arguments, name="reduce_kernel", options=None, preamble=""):
        self.dtype = numpy.dtype(dtype_out)
        out = dtype_to_ctype(self.dtype)
        self.arguments = parsed_arguments(arguments)
        first = next(one.name for one in self.arguments if isinstance(one, VectorArg))
        words = {"preamble": preamble, "name": name, "out": out, "group": GROUP, "neutral": neutral, "reduce": reduce_expr,
                 "map": map_expr or first + "[i]", "arguments": ", ".join(one.declarator() for one in self.arguments)}
        self._first = SourceModule(_TEXT % words, options=options).get_function(name)
        words.update(map="croton_in[i]", arguments="%s *croton_in" % out, neutral=neutral.replace(first + "[0]", "croton_in[0]"))
        self._second = SourceModule(_TEXT % words, options=options).get_function(name)

    def run(self, result, *args):
        """Writes where `result` lies."""
        values, count = handed(self.arguments, args)
        groups = min(256, groups_for(count))
        parts = driver.mem_alloc(groups * self.dtype.itemsize)
        self._first(parts, *values, numpy.int64(count), block=(GROUP, 1, 1), grid=(groups, 1))
        self._second(result, parts, numpy.int64(groups), block=(GROUP, 1, 1), grid=(1, 1))
        return result
