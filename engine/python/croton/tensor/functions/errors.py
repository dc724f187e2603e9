"""Errors of what a graph does not know yet."""


class NotScalarConstantError(Exception):
    """The value is not known before the function runs."""


class EmptyConstantError(NotScalarConstantError):
    pass


class ShapeError(Exception):
    """A shape that is not known."""


class IntegerDivisionError(Exception):
    """/ between integers, with the flag int_division=raise."""


class AxisError(ValueError, IndexError):
    """An axis that is not there: Theano's functions raise the one or the other, NumPy what is both."""
