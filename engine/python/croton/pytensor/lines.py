"""Lines of a script that made a variable of PyTensor, for what Croton makes of it."""
import functools
import types

_CALL = (lambda function: function()).__code__


@functools.cache
def _caller(file, line, name):
    """A function that calls its argument, as if it stood in this line: Croton finds lines in the frames of a call."""
    return types.FunctionType(_CALL.replace(co_filename=file, co_firstlineno=line, co_name=name), {})


def at_lines_of(variable, function):
    """function(), where what it builds counts as built by the lines that made `variable`."""
    traces = getattr(variable.tag, "trace", None)
    for file, line, name, *_ in reversed(traces[0] if traces else ()):  # the innermost comes last
        function = functools.partial(_caller(file, line, name), function)
    return function()
