"""Scripts that write kernels with PyCUDA import this first: its context is that of the process."""
try:
    import pycuda.autoinit  # noqa: F401
    pycuda_available = True
except ImportError:
    pycuda_available = False
