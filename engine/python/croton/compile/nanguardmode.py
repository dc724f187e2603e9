"""NanGuardMode: stops at the first apply that makes NaN, infinity or huge values."""
import warnings

import numpy

from croton import _core
from croton.compile.loop_steps import steps_of
from croton.compile.mode import made_by_name
from croton.compile.profiling import record_check
from croton.compile.stepper import SteppedMode, place_text
from croton.configparser import config
from croton.gof.graph import ancestors
from croton.gof.utils import flatten  # noqa: F401


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
        self._exempt = {}  # by function: places of applies that nobody has to look at
        if not (self.nan_is_error or self.inf_is_error or self.big_is_error):
            raise AssertionError("NanGuardMode has to look for something: nan_is_error, inf_is_error or big_is_error")

    def make_function(self, request):
        stated = [variable for variable in ancestors(request.computed()) if not getattr(_tag(variable), "nan_guard_mode_check", True)]
        if stated:  # one kernel must not do the work of an exempt apply and of others
            request = request.but(mode=request.mode.but(excluding=request.mode.excluding + ["fusion"]))
        made = super().make_function(request)
        if stated:
            self._exempt[_core.function_id(made)] = set(_core.function_carriers(made, stated))
        return made

    def _faults(self, value):
        found = []
        if self.nan_is_error and contains_nan(value):
            found.append("NaN detected")
        if self.inf_is_error and contains_inf(value):
            found.append("Inf detected")
        if self.big_is_error and _floats(value) and value.size and bool((numpy.abs(value) > 1e10).any()) and not found:
            found.append("Big value detected")
        return found

    def _check(self, value, variable, place, where):
        if not getattr(_tag(variable), "nan_guard_mode_check", True):
            return
        found = self._faults(value)
        if not found:
            return
        text = "\n".join(found) + "\nNanGuardMode found an error in %s%s" % (where(), place)
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
            self._check(value, variable, place_text([_core.variable_trace(variable)]), lambda: "an input of the graph: %s" % variable)

    def after(self, stepper, index, inputs, outputs):
        apply = stepper.order[index]
        if _core.is_engine_op(apply.op) and _core.op_leaves_elements_open(apply.op) or index in self._exempt.get(stepper.function_id, ()):
            return outputs
        if _is_loop(apply.op) and any(self._faults(value) for value in outputs):
            self._look_inside(stepper.place(index), apply, inputs)
        for number, (variable, value) in enumerate(zip(apply.outputs, outputs)):
            self._check(value, variable, stepper.place(index), lambda: _output_text(variable, number, len(outputs)))
        return outputs


    def _look_inside(self, place, loop, inputs):
        """The loop again, step by step, up to the first apply of its body that does it."""
        for step, apply, values in steps_of(loop.op, inputs):
            if _is_loop(apply.op) or _core.is_engine_op(apply.op) and _core.op_leaves_elements_open(apply.op):
                continue
            for number, (variable, value) in enumerate(zip(apply.outputs, values)):
                where = place_text([_core.variable_trace(variable)]) or place
                self._check(value, variable, where, lambda: "step %d of the loop %s: %s" % (step, loop.op, _output_text(variable, number, len(values))))


def _output_text(variable, number, count):
    which = "the output" if count == 1 else "output %d" % number
    return "%s of a node in this variable:\n%s" % (which, _core.debug_print([variable], -1, False, False, "CHAR", [], False))


def _is_loop(op):
    return hasattr(op, "n_sit_sot")


def _tag(variable):
    return variable.__dict__.get("_tag")


def _by_flags():
    flags = config.NanGuardMode
    return NanGuardMode(nan_is_error=flags.nan_is_error, inf_is_error=flags.inf_is_error, big_is_error=flags.big_is_error)


made_by_name["NanGuardMode"] = _by_flags
