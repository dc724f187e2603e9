"""Names that scripts import from theano.tensor.raw_random."""


def __getattr__(name):
    from croton._missing import attribute
    return attribute(__name__, name)
