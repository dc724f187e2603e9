"""pycuda.elementwise: kernels that do the same for each element, from a line of C."""
import numpy

from croton.pycuda.compiler import SourceModule
from croton.pycuda.tools import VectorArg, parsed_arguments

GROUP, MOST_GROUPS = 256, 4096

_TEXT = """
%(preamble)s
__global__ void %(name)s(%(arguments)s, long long croton_n)
{
    const long long n = croton_n;
    %(before)s;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (long long)gridDim.x * blockDim.x) {
        %(operation)s;
    }
    %(after)s;
}
"""


def groups_for(count):
    return max(1, min(MOST_GROUPS, (count + GROUP - 1) // GROUP))


def handed(arguments, values):
    """Values as a launch takes them, and the number of elements of the first array."""
    if len(values) != len(arguments):
        raise TypeError("the kernel takes %d arguments, got %d" % (len(arguments), len(values)))
    count, result = None, []
    for argument, value in zip(arguments, values):
        if not isinstance(argument, VectorArg):
            result.append(argument.dtype.type(value))
            continue
        if getattr(value, "dtype", argument.dtype) != argument.dtype:
            raise TypeError("the argument %s of the kernel is an array of %s, got one of %s" % (argument.name, argument.dtype, value.dtype))
        if count is None:
            count = getattr(value, "size", None)
        result.append(value)
    return result, count


class ElementwiseKernel:
    def __init__(self, arguments, operation, name="kernel", keep=False, options=None, preamble="", loop_prep="", after_loop=""):
        self.arguments = parsed_arguments(arguments)
        text = _TEXT % {"preamble": preamble, "name": name, "arguments": ", ".join(one.declarator() for one in self.arguments),
                        "before": loop_prep, "operation": operation, "after": after_loop}
        self._function = SourceModule(text, options=options).get_function(name)

    def __call__(self, *args, range=None, slice=None, stream=None):  # noqa: A002
        if slice is not None or (range is not None and (range.start, range.step) != (0, 1)):
            raise NotImplementedError("kernels of Croton's pycuda work on all elements, or on the first ones: range=range(n)")
        values, count = handed(self.arguments, args)
        count = len(range) if range is not None else count
        if count:
            self._function(*values, numpy.int64(count), block=(GROUP, 1, 1), grid=(groups_for(count), 1))
