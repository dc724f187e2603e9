"""Importing it opens a card for PyCUDA: the one that functions run on, where they run on one."""
import warnings

pycuda_available = False
try:
    import pycuda  # noqa: F401
    import pycuda.autoinit  # noqa: F401
    pycuda_available = True
except (ImportError, RuntimeError) as error:
    warnings.warn("PyCUDA import failed in theano.misc.pycuda_init: %s" % error, stacklevel=2)
