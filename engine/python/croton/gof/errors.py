"""Error classes that scripts catch."""


class MissingInputError(Exception):
    """A function needs the value of a variable that is none of its inputs."""

    def __init__(self, *args, variable=None):
        super().__init__(*args)
        self.variable = variable


class InconsistencyError(Exception):
    """A graph that cannot be computed."""


class MethodNotDefined(Exception):
    """An op lacks a method that is needed."""


class DebugModeError(Exception):
    """Something that DebugMode found."""


class BadOptimization(DebugModeError):
    """Rewriting changed a value."""


class BadThunkOutput(DebugModeError):
    """Two implementations of an op differ."""


class BadDestroyMap(DebugModeError):
    """An op wrote to an input that it did not declare."""


class BadViewMap(DebugModeError):
    """An output shares memory with an input, undeclared."""


class InvalidValueError(DebugModeError):
    """A value that its type does not allow."""


class StochasticOrder(DebugModeError):
    """Rewriting twice gave different graphs."""


class ShapeError(Exception):
    """A shape that is not known."""


def run_error(cls, cause, message, hint):
    """The exception for an apply that failed: the original class, the text with the apply behind it."""
    text = message if not hint else message + "\n" + hint
    if cause is not None:
        try:
            error = cls(text)
        except Exception:  # some classes want other arguments
            error = cause
            error.args = error.args + (text,)
            return error
        error.__cause__ = cause.__cause__
        error.__dict__.update(cause.__dict__)
        return error.with_traceback(cause.__traceback__)
    return cls(text)
