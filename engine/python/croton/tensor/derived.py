"""Ops of scripts whose classes derive from those of the engine's: what they leave out is what the engine does."""
from croton import _core
from croton.gof import provided
from croton.gof.graph import Apply, Constant, Variable
from croton.gof.type import DisconnectedType

_SAID = ("make_node", "perform", "c_code", "make_thunk", "grad", "L_op", "R_op", "connection_pattern")


def is_derived(cls, base):
    """Whether a class says itself what its ops are given, compute or have for a gradient."""
    return any(getattr(cls, name, None) is not getattr(base, name, None) for name in _SAID)


def are_same(op, other):
    return type(op) is type(other) and vars(op) == vars(other)


def hash_of(op):
    return hash(type(op))


def make_node(op, function, inputs):
    """An Apply of `op` with the types that the engine's op has."""
    inputs = [value if isinstance(value, Variable) else _core.as_variable(value) for value in inputs]
    return Apply(op, inputs, [one.type() for one in _listed(function(*inputs))])


def perform(function, node, inputs, output_storage):
    """Computes what the engine's op does."""
    if "_by_engine" not in node.__dict__:
        given = [variable.type() for variable in node.inputs]
        node._by_engine = provided.compiled(given, _listed(function(*given)), on_unused_input="ignore")
    for cell, value in zip(output_storage, node._by_engine(*inputs)):
        cell[0] = value


def gradient(function, inputs, output_grads):
    """The gradient of what the engine's op computes, of each input by itself, whatever inputs have to do with each other."""
    inputs = [value if isinstance(value, Variable) else _core.as_variable(value) for value in inputs]
    stand = [one if isinstance(one, Constant) else one.clone() for one in inputs]
    output_grads = [one if isinstance(one, Variable) else _core.as_variable(one) for one in output_grads]
    known = {output: given for output, given in zip(_listed(function(*stand)), output_grads) if not isinstance(given.type, DisconnectedType)}
    if not known:
        return [DisconnectedType()() for _ in inputs]
    terms = provided.gradients(None, stand, known_grads=known, disconnected_inputs="ignore", return_disconnected="Disconnected")
    return _core.substitute(terms, stand, inputs)


def _listed(results):
    return list(results) if isinstance(results, (list, tuple)) else [results]
