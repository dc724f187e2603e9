"""Names that scripts import from theano.tensor.signal.pool."""


def __getattr__(name):
    from croton._missing import attribute
    return attribute(__name__, name)
