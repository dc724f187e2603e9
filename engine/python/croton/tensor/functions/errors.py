"""Errors of what a graph does not know yet."""


class NotScalarConstantError(Exception):
    """The value is not known before the function runs."""


class EmptyConstantError(NotScalarConstantError):
    pass


class ShapeError(Exception):
    """A shape that is not known."""


class IntegerDivisionError(Exception):
    """/ between integers, with the flag int_division=raise."""
