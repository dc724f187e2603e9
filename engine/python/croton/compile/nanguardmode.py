"""NanGuardMode: stops at the first apply that makes NaN, infinity or huge values."""
import warnings

import numpy

from croton.compile.stepper import SteppedMode
from croton.configparser import config


def contains_nan(array, node=None, var=None):
    return _floats(array) and bool(numpy.isnan(array).any())


def contains_inf(array, node=None, var=None):
    return _floats(array) and bool(numpy.isinf(array).any())


def _floats(array):
    return isinstance(array, (numpy.ndarray, numpy.generic)) and array.dtype.kind in "fc"


class NanGuardMode(SteppedMode):
    def __init__(self, nan_is_error=None, inf_is_error=None, big_is_error=None, optimizer="default", linker=None):
        super().__init__(linker=linker, optimizer=optimizer)
        flags = config.NanGuardMode
        self.nan_is_error = flags.nan_is_error if nan_is_error is None else nan_is_error
        self.inf_is_error = flags.inf_is_error if inf_is_error is None else inf_is_error
        self.big_is_error = flags.big_is_error if big_is_error is None else big_is_error
        if not (self.nan_is_error or self.inf_is_error or self.big_is_error):
            raise AssertionError("NanGuardMode has to look for something: nan_is_error, inf_is_error or big_is_error")

    def _check(self, value, variable, apply, is_input):
        tag = variable.__dict__.get("_tag")
        if tag is not None and not getattr(tag, "nan_guard_mode_check", True):
            return
        if apply is not None and not _checked(apply):
            return
        found = []
        if self.nan_is_error and contains_nan(value):
            found.append("NaN detected")
        if self.inf_is_error and contains_inf(value):
            found.append("Inf detected")
        if self.big_is_error and _floats(value) and value.size and bool((numpy.abs(value) > 1e10).any()) and not found:
            found.append("Big value detected")
        if not found:
            return
        from croton import _core
        text = "\n".join(found)
        text += "\nNanGuardMode found an error in %s" % (
            "an input of the graph: %s" % variable if apply is None else
            "the output of a node in this variable:\n%s" % _core.debug_print([variable], -1, False, False, "CHAR", [], False))
        trace = _core.trace_lines(_core.variable_trace(variable))
        if trace:
            text += "\nBacktrace when the node is created:\n" + "".join(
                '  File "%s", line %d, in %s\n    %s\n' % line for line in reversed(trace))
        from croton.compile.profiling import record_check
        record_check(None, "nan", False, text)
        action = config.NanGuardMode.action
        if action == "warn":
            warnings.warn(text, stacklevel=4)
        elif action == "pdb":
            import pdb
            pdb.set_trace()
        else:
            raise AssertionError(text)

    def started(self, stepper, values):
        for variable, value in values.items():
            self._check(value, variable, None, True)

    def after(self, index, apply, inputs, outputs):
        for variable, value in zip(apply.outputs, outputs):
            self._check(value, variable, apply, False)


def _checked(apply):
    return apply.op.__class__.__name__ != "AllocEmpty"
