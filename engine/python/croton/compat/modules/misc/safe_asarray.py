"""numpy.asarray that keeps the dtype asked for."""
import numpy
from croton.configparser import config


def _asarray(a, dtype, order=None):
    if isinstance(dtype, str) and dtype == "floatX":
        dtype = config.floatX
    return numpy.asarray(a, dtype=dtype, order=order)
