"""Names that scripts import from theano.tensor.nnet.conv."""
from croton import _missing


def __getattr__(name):
    return _missing.attribute(__name__, name)
