"""Test values: every op runs while the graph is built (flag compute_test_value)."""
import warnings

import numpy

from croton import _above, _core
from croton.configparser import config
from croton.gof import watched
from croton.gof.graph import Constant, SharedVariableBase, Variable


def get_test_value(variable):
    """The value with which graphs are tried out; AttributeError if there is none."""
    if not isinstance(variable, Variable):
        variable = _above.as_tensor_variable(variable)
    if isinstance(variable, Constant):
        return variable.data
    if isinstance(variable, SharedVariableBase):
        return variable.get_value(borrow=True, return_internal_type=True)
    tag = variable.__dict__.get("_tag")
    if tag is not None and hasattr(tag, "test_value"):
        return variable.type.filter(tag.test_value)
    raise AttributeError("%s has no test value %s" % (variable, _where(variable)))


def _where(variable):
    lines = _core.trace_lines(_core.variable_trace(variable))
    if not lines:
        return ""
    return "\nBacktrace when that variable is created:\n\n" + "\n".join(
        "  File \"%s\", line %d, in %s\n    %s" % line for line in reversed(lines))


def switch(action):
    """Called when the flag changes."""
    watched.watch("test values", None if action == "off" else compute)


def compute(variables):
    for apply in _core.toposort(list(variables), []):
        compute_for_apply(apply)


def compute_for_apply(apply):
    """Runs one apply on test values and keeps the results at its outputs."""
    outputs = apply.outputs
    if all("_tag" in output.__dict__ and hasattr(output.tag, "test_value") for output in outputs):
        return
    values = []
    for index, variable in enumerate(apply.inputs):
        try:
            values.append(get_test_value(variable))
        except AttributeError as error:
            action = config.compute_test_value
            message = "Cannot compute test value: input %i (%s) of Op %s missing default value. %s" % (
                index, variable, apply, _where(variable))
            if action == "ignore":
                return
            if action == "warn":
                warnings.warn(message, stacklevel=4)
                return
            if action == "pdb":
                import pdb
                pdb.post_mortem()
                return
            raise ValueError(message) from error
    for output, value in zip(outputs, _core.run_apply(apply, values)):
        output.tag.test_value = value
