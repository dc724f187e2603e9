"""Elementwise ops that overwrite their first input. A function does so where it was compiled with accept_inplace=True."""
from croton.tensor import basic
from croton.tensor.opclasses import Elemwise


def __getattr__(name):
    if name.endswith("_inplace"):
        plain = name[:-len("_inplace")]
        if plain == "transpose":
            return basic.transpose
        op = getattr(basic, {"fill": "second"}.get(plain, plain), None)
        if isinstance(op, Elemwise):
            made = globals()[name] = Elemwise(op.scalar_op, {0: 0})
            made.name = ("second" if plain == "fill" else plain) + "_inplace"
            return made
    raise AttributeError("module 'theano.tensor.inplace' has no attribute %r" % name)
