"""Old names of ops that overwrite their first input; which op works in place is the engine's decision."""
from croton.tensor import basic


def __getattr__(name):
    if name.endswith("_inplace"):
        plain = name[:-len("_inplace")]
        if plain == "transpose":
            return basic.transpose
        if hasattr(basic, plain):
            return getattr(basic, plain)
    raise AttributeError("module 'theano.tensor.inplace' has no attribute %r" % name)
