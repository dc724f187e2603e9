"""theano.ifelse"""


def __getattr__(name):
    from croton._missing import attribute
    return attribute(__name__, name)
