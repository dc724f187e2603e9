"""Test values: every op runs while the graph is built (flag compute_test_value)."""
import warnings

import numpy

from croton import _above, _core
from croton.configparser import config
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


# What builds applies: while test values are on, these run what they build.
_BUILDERS = ("alloc alloc_empty arange argmax argmin argsort as_variable assert_true batched_dot binary call_elemwise cast "
             "categorical_crossentropy choice_from_uniform crossentropy_softmax_argmax cumprod cumsum deep_copy diag diagonal dimshuffle disconnected_grad "
             "dot eye fill flatten grad_clip grad_scale inc_subtensor join log_softmax make_vector max_and_argmax mean "
             "multinomial_from_uniform nonzero outer "
             "pattern_broadcast print rebroadcast reduce repeat reshape reshape_sizes searchsorted shape shape_i softmax sort "
             "specify_shape split subtensor tensordot trace tri true_div undefined_grad unique zero_grad").split()
_plain = {}


def switch(action):
    """Called when the flag changes."""
    if action != "off" and not _plain:
        for name in _BUILDERS:
            _plain[name] = getattr(_core, name)
            setattr(_core, name, _trying(_plain[name]))
    elif action == "off" and _plain:
        for name, builder in _plain.items():
            setattr(_core, name, builder)
        _plain.clear()


def _trying(builder):
    def build(*args, **kwargs):
        result = builder(*args, **kwargs)
        if result is not None:
            compute(result if isinstance(result, (list, tuple)) else [result])
        return result
    return build


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
