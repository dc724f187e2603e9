"""Names that scripts import from theano.sandbox.rng_mrg."""


def __getattr__(name):
    from croton._missing import attribute
    return attribute(__name__, name)
