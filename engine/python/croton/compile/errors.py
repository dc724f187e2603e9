"""Errors of function()."""


class UnusedInputError(Exception):
    """An input that no output needs."""


class AliasedMemoryError(Exception):
    """Memory that should be separate is shared."""

    def __init__(self, a, b):
        self.a, self.b = a, b
        super().__init__(a, b)
