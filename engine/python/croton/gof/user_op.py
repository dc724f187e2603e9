"""What the engine calls for ops written in Python."""
import numpy

from croton import _core
from croton.gof.errors import MethodNotDefined
from croton.gof.graph import Variable


class PerformNode:
    """What perform() is shown as its node: op, inputs and outputs of the Apply."""

    def __init__(self, op, inputs, outputs):
        from croton.gof.utils import scratchpad
        self.op, self.inputs, self.outputs = op, inputs, outputs
        self.tag = scratchpad()
        self.tag.trace = []

    nin = property(lambda self: len(self.inputs))
    nout = property(lambda self: len(self.outputs))
    out = property(lambda self: self.outputs[0])

    def __str__(self):
        return "%s(%s)" % (self.op, ", ".join(str(variable) for variable in self.inputs))

    __repr__ = __str__

    def run_params(self):
        return None


def perform(op, node, inputs):
    """Runs the op's code; returns its outputs, checked."""
    defined = type(op)
    from croton.gof.op import Op
    if defined.perform is Op.perform:
        return _run_thunk(op, node, inputs)
    storage = [[None] for _ in node.outputs]
    destroyed = {which for list_ in op.destroy_map.values() for which in list_}
    arguments = []
    for index, value in enumerate(inputs):
        if isinstance(value, numpy.ndarray) and index not in destroyed and value.flags.writeable:
            value = value.view()
            value.flags.writeable = False
        arguments.append(value)
    if getattr(op, "params_type", None) is not None:
        op.perform(node, arguments, storage, getattr(op, "params", None))
    else:
        op.perform(node, arguments, storage)
    return [checked(op, variable, cell[0], index) for index, (variable, cell) in enumerate(zip(node.outputs, storage))]


def _run_thunk(op, node, inputs):
    from croton.gof.op import Op
    if type(op).make_thunk is Op.make_thunk:
        raise MethodNotDefined("the op %s of class %s has no method perform: Croton runs ops written in Python through it"
                               % (op, type(op).__name__))
    storage_map = {variable: [value] for variable, value in zip(node.inputs, inputs)}
    storage_map.update({variable: [None] for variable in node.outputs})
    compute_map = {variable: [variable not in node.outputs] for variable in storage_map}
    op.make_thunk(node, storage_map, compute_map, [])()
    return [checked(op, variable, storage_map[variable][0], index) for index, variable in enumerate(node.outputs)]


def checked(op, variable, value, index):
    wanted = variable.type
    if value is None and not hasattr(wanted, "_kind"):
        raise ValueError("perform of the op %s left output %d empty: it has to write output_storage[%d][0]" % (op, index, index))
    from croton.tensor.type import TensorType
    if not isinstance(wanted, TensorType):
        return wanted.filter(value)
    if not isinstance(value, numpy.ndarray) and not isinstance(value, numpy.generic):
        raise TypeError("perform of the op %s has to give an array for output %d, got %s" % (op, index, type(value).__name__))
    value = numpy.asarray(value)
    if str(value.dtype) != wanted.dtype:
        raise TypeError("perform of the op %s gave dtype %s for output %d, its type says %s" % (op, value.dtype, index, wanted.dtype))
    if value.ndim != wanted.ndim:
        raise ValueError("perform of the op %s gave %d dimensions for output %d, its type says %d"
                         % (op, value.ndim, index, wanted.ndim))
    for axis, (size, one) in enumerate(zip(value.shape, wanted.broadcastable)):
        if one and size != 1:
            raise ValueError("perform of the op %s gave size %d for axis %d of output %d, which is broadcastable"
                             % (op, size, axis, index))
    return value


def gradient_terms(op, node, output_grads):
    """grad or L_op of the op, one term an input, checked as Theano does."""
    from croton.gradient import DisconnectedType
    from croton.tensor.basic import as_tensor_variable
    inputs, outputs = node.inputs, node.outputs
    from croton.gof.op import Op
    if type(op).L_op is Op.L_op and type(op).grad is Op.grad:
        return [_core.undefined_gradient("the op %s has no method grad" % op) for _ in inputs]
    terms = op.L_op(inputs, outputs, list(output_grads))
    if not isinstance(terms, (list, tuple)):
        raise TypeError("grad of the op %s has to return a list or tuple, got %s" % (op, type(terms).__name__))
    if len(terms) != len(inputs):
        raise ValueError("%s returned the wrong number of gradient terms: %d for %d inputs." % (op, len(terms), len(inputs)))
    result = []
    for index, (term, variable) in enumerate(zip(terms, inputs)):
        if term is None:
            raise TypeError("%s.grad returned None for a gradient term, this is prohibited. Return zeros_like(input), "
                            "a DisconnectedType variable, or theano.gradient.grad_undefined for input %d." % (op, index))
        if not isinstance(term, Variable):
            term = as_tensor_variable(term)
        if _core.is_disconnected(term) or _core.is_undefined(term):
            result.append(term)
            continue
        if getattr(term, "dtype", "float64").startswith(("int", "uint", "bool")):
            raise TypeError("%s.grad illegally returned an integer-valued variable for input %d (dtype %s)" % (op, index, term.dtype))
        wanted = getattr(variable, "ndim", None)
        if wanted is not None and getattr(term, "ndim", wanted) != wanted:
            raise ValueError("%s.grad returned a term with %d dimensions, but the corresponding input %d has %d dimensions."
                             % (op, term.ndim, index, wanted))
        result.append(term)
    return result


def rop_terms(op, node, eval_points):
    terms = op.R_op(node.inputs, list(eval_points))
    if not isinstance(terms, (list, tuple)) or len(terms) != node.nout:
        raise ValueError("R_op of the op %s has to return one term an output" % op)
    return list(terms)


def connection_pattern(op, node):
    rule = getattr(op, "connection_pattern", None)
    if rule is None:
        return [[True] * node.nout for _ in node.inputs]
    pattern = [list(map(bool, row)) for row in rule(node)]
    if len(pattern) != node.nin or any(len(row) != node.nout for row in pattern):
        raise ValueError("connection_pattern of the op %s has to be a list of %d lists of %d booleans" % (op, node.nin, node.nout))
    return pattern


def plain_shapes(op, node):
    """infer_shape of the op where it only names sizes of its inputs: numbers, or (input, axis). Else None."""
    rule = getattr(op, "infer_shape", None)
    if rule is None:
        return None
    symbols = [[_Size(index, axis) for axis in range(getattr(variable, "ndim", 0))] for index, variable in enumerate(node.inputs)]
    try:
        shapes = rule(node, [tuple(row) for row in symbols])
    except Exception:
        # The rule computes with the sizes: they are known after the op ran.
        return None
    result = []
    for variable, shape in zip(node.outputs, shapes):
        if shape is None or not isinstance(shape, (list, tuple)) or len(shape) != getattr(variable, "ndim", -1):
            return None
        sizes = []
        for size in shape:
            if isinstance(size, _Size):
                sizes.append((size.index, size.axis))
            elif isinstance(size, (int, numpy.integer)) and not isinstance(size, bool):
                sizes.append(int(size))
            else:
                return None
        result.append(sizes)
    return result


class _Size:
    """The size of one axis of one input; it can only be passed on."""
    __slots__ = ("index", "axis")

    def __init__(self, index, axis):
        self.index, self.axis = index, axis


def default_shapes(op, node, shapes):
    return [tuple(variable.shape[axis] for axis in range(variable.ndim)) for variable in node.outputs]
