"""Names that scripts import from theano.tensor.nnet.abstract_conv."""


def __getattr__(name):
    from croton._missing import attribute
    return attribute(__name__, name)
