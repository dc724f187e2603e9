"""theano.sandbox: what scripts look up here."""
from croton import _missing
from croton.sandbox import cuda, gpuarray, linalg, rng_mrg  # noqa: F401


def __getattr__(name):
    return _missing.attribute(__name__, name)
