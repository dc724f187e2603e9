"""numpy.asarray that keeps the dtype asked for."""
import numpy


def _asarray(a, dtype, order=None):
    return numpy.asarray(a, dtype=dtype, order=order)
