"""Errors of what a graph does not know yet."""
from croton.gof.errors import ShapeError  # noqa: F401


class NotScalarConstantError(Exception):
    """The value is not known before the function runs."""


class EmptyConstantError(NotScalarConstantError):
    pass


class IntegerDivisionError(Exception):
    """/ between integers, with the flag int_division=raise."""


class AxisError(ValueError, IndexError):
    """An axis that is not there: Theano's functions raise the one or the other, NumPy what is both."""
