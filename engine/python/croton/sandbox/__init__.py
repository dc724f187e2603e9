"""theano.sandbox: what scripts look up here."""
from croton.sandbox import cuda, rng_mrg  # noqa: F401


def __getattr__(name):
    from croton._missing import attribute
    return attribute(__name__, name)
