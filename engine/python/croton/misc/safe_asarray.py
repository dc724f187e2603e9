"""numpy.asarray that keeps the dtype asked for."""
import numpy


def _asarray(a, dtype, order=None):
    if isinstance(dtype, str) and dtype == "floatX":
        from croton.configparser import config
        dtype = config.floatX
    return numpy.asarray(a, dtype=dtype, order=order)
