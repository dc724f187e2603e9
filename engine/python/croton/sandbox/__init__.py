"""theano.sandbox: what scripts look up here."""
from croton.sandbox import cuda, gpuarray, linalg, rng_mrg  # noqa: F401
