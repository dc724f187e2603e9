"""What scripts take from theano.scan_module.scan_utils, and how what a step returns is told apart."""
from croton import _core
from croton.clone import clone  # noqa: F401
from croton.gof.compare import equal_computations  # noqa: F401
from croton.gof.graph import Constant, Variable
from croton.tensor.basic import as_tensor_variable
from croton.updates import OrderedUpdates, Updates  # noqa: F401


class until:
    """What a step returns to end the loop: it stops after the step in which the condition holds."""

    def __init__(self, condition):
        self.condition = as_tensor_variable(condition)
        if self.condition.ndim != 0:
            raise ValueError("until() takes a scalar condition, got %s: take its any() or all()" % self.condition.type)


def _is_updates(value):
    if isinstance(value, dict):
        return True
    return (isinstance(value, (list, tuple)) and len(value) > 0
            and all(isinstance(pair, (list, tuple)) and len(pair) == 2 for pair in value))


def _outputs_of(value):
    if value is None:
        return []
    several = value if isinstance(value, (list, tuple)) else [value]
    try:
        return [one if isinstance(one, Variable) else as_tensor_variable(one) for one in several]
    except (TypeError, ValueError) as problem:
        raise ValueError("Scan can not parse the return value of your lambda expression: a step returns outputs, a dictionary of updates, "
                         "until(condition), or a tuple of these; got %r" % (value,)) from problem


def get_updates_and_outputs(returned):
    """(condition or None, outputs, updates) of what a step returned."""
    condition = None
    if isinstance(returned, until):
        return returned.condition, [], OrderedUpdates()
    if isinstance(returned, (list, tuple)) and returned and isinstance(returned[-1], until):
        condition, returned = returned[-1].condition, list(returned[:-1])
        returned = returned[0] if len(returned) == 1 else returned
    outputs, updates = returned, {}
    if isinstance(returned, dict) or _is_updates(returned):
        outputs, updates = None, returned
    elif isinstance(returned, (list, tuple)) and len(returned) == 2:
        if _is_updates(returned[1]) or (isinstance(returned[1], (list, tuple)) and not returned[1]):
            outputs, updates = returned
        elif _is_updates(returned[0]):
            updates, outputs = returned
    made = OrderedUpdates()
    for shared, value in (updates.items() if isinstance(updates, dict) else updates):
        made[shared] = value
    return condition, _outputs_of(outputs), made


def safe_new(x, tag="", dtype=None):
    """A variable of the same type, named after x with `tag` behind it."""
    x = x if isinstance(x, Variable) else as_tensor_variable(x)
    made = (x.type if dtype is None else x.type.clone(dtype=dtype))()
    made.name = x.name + tag if x.name else None
    return made


def map_variables(replacer, graphs, additional_inputs=None):
    """Copies of the graphs in which each variable is what `replacer` gives for it; it sees them with what they depend on replaced already."""
    graphs = list(graphs)
    found = {}

    def of(variable):
        if variable not in found:
            found[variable] = variable if isinstance(variable, Constant) else replacer(variable)
        return found[variable]

    for apply in _core.toposort(graphs, []):
        inputs = [of(variable) for variable in apply.inputs]
        for old, new in zip(apply.outputs, apply.clone_with_new_inputs(inputs, strict=False).outputs):
            new.name = old.name
            found[old] = replacer(new)
    return [of(graph) for graph in graphs]
