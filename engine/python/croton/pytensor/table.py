"""Which function converts an apply of PyTensor: one small function a class of ops, found by the class as functools.singledispatch finds it."""
from functools import singledispatch


class NoConversion(Exception):
    """Croton has no form of this apply; it runs by its method perform."""


@singledispatch
def convert(op, node, *inputs):
    """Croton's variables, one or a list, for what `node` computes of `inputs`, which are Croton's."""
    raise NoConversion(type(op).__name__)


def conversion(*classes):
    """Declares that a function (op, node, *inputs) converts applies of ops of these classes."""
    def declare(function):
        for one in classes:
            convert.register(one, function)
        return function
    return declare
