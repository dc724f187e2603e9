"""Test values: every op runs while the graph is built (flag compute_test_value)."""
import warnings

from croton import _core
from croton.configparser import config
from croton.gof.graph import Variable, made_at
from croton.gof.utils import depth_of_caller


def get_test_value(variable):
    """The value with which graphs are tried out; AttributeError if there is none."""
    if not isinstance(variable, Variable):
        variable = _core.as_variable(variable)
    return variable.get_test_value()


def switch(action):
    """Called when the flag changes."""
    _core.watch("test values", None if action == "off" else compute)


def compute(variables, first):
    """Runs what was just built. What the builder at work made itself, from the id `first` on, needs no value: the engine builds the insides of loops
    of variables that only stand for something."""
    for apply in {variable.owner for variable in variables} - {None}:
        compute_for_apply(apply, first)


def compute_for_apply(apply, first=float("inf")):
    """Runs one apply on test values, once, and keeps the results at its outputs."""
    if "_tried" in apply.__dict__ or all(map(_has_value, apply.outputs)):
        return
    apply.__dict__["_tried"] = True
    values = []
    for index, variable in enumerate(apply.inputs):
        _catch_up(variable)
        try:
            values.append(get_test_value(variable))
        except AttributeError as error:
            if _core.variable_id(variable) < first:
                _tell_of_missing(apply, index, error)
            return
    for output, value in zip(apply.outputs, _core.run_apply(apply, values)):
        output.tag.test_value = value


def _has_value(variable):
    return "_tag" in variable.__dict__ and hasattr(variable.tag, "test_value")


def _catch_up(variable):
    """Runs what was built while the flag was off."""
    if variable.owner is None or "_tried" in variable.owner.__dict__ or _has_value(variable):
        return
    for apply in _core.toposort([variable], []):
        compute_for_apply(apply)


def _tell_of_missing(apply, index, error):
    action, variable = config.compute_test_value, apply.inputs[index]
    message = "Cannot compute test value: input %i (%s) of Op %s missing default value. %s" % (index, variable, apply, made_at(variable))
    if action == "warn":
        warnings.warn(message, stacklevel=depth_of_caller())
    elif action == "pdb":
        import pdb
        pdb.post_mortem()
    elif action != "ignore":
        raise ValueError(message) from error
