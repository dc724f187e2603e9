"""pycuda.cumath: functions of each element."""
from croton.pycuda import gpuarray


def _function(name):
    def function(array, *, out=None, stream=None):
        if array.dtype.kind != "f":
            raise TypeError("%s() takes float32 or float64, got %s" % (name, array.dtype))
        result = gpuarray._applied("%s%s(x[i])" % (name, "f" if array.dtype == "float32" else ""), array.dtype, x=array)
        if out is None:
            return result
        out[:] = result
        return out
    function.__name__ = name
    return function


for _name in ("ceil", "floor", "fabs", "exp", "log", "log10", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"):
    globals()[_name] = _function(_name)
del _name
