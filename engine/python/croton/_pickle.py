"""How graphs are pickled and copied: apply by apply, producers first, so that a deep graph needs no deep stack."""
import threading
import weakref

from croton import _core
from croton._kinds import CONSTANT, INPUT, OUTPUT, SHARED
from croton.configparser import config
from croton.gof.utils import scratchpad


def reduce_op(op):
    return read_op, _core.op_parts(op)


def read_op(class_name, text, graphs):
    return _core.op_of_parts(class_name, text, graphs)


def _attributes(node):
    """The free attributes that are worth keeping."""
    kept = {}
    for key, value in node.__dict__.items():
        if key in ("_fn_cache", "_container", "_class", "_tried"):
            continue
        if key == "_tag":
            tag = {name: content for name, content in value.__dict__.items()
                   if name != "trace" and not (name == "test_value" and not config.pickle_test_value)}
            if tag:
                kept["_tag"] = tag
        else:
            kept[key] = value
    return kept or None


def reduce_variable(variable):
    kind = _core.variable_kind(variable)
    name, state = variable.name, _attributes(variable)
    if kind == INPUT:
        return _input, (_own_class(variable), variable.type, name), state
    if kind == CONSTANT:
        return _constant, (variable.type, variable.data, name), state
    if kind == SHARED:
        return _shared, (variable.type, _core.shared_get(variable, True), name, _own_class(variable)), state
    return _output, (_Below.of(variable.owner), variable.owner, variable.index, name, _own_class(variable)), state


def _own_class(variable):
    """The class that a script wrote for this variable; None for the usual ones."""
    return variable.__dict__.get("_class")


def _with_class(variable, cls):
    if cls is not None:
        variable.__class__ = variable.__dict__["_class"] = cls
    return variable


_SHALLOW = 10  # applies below a node that may be pickled one inside the other
_open = weakref.WeakSet()  # what the picklers at work have written already


class _Below:
    """The applies that a node needs, producers first: written before it, so that nothing nests deeply."""

    def __init__(self, applies):
        self.applies, self.known, self.thread = applies, set(applies), threading.get_ident()
        _open.add(self)

    @staticmethod
    def of(apply):
        thread = threading.get_ident()
        if any(apply in below.known for below in list(_open) if below.thread == thread):
            return None
        applies = _core.toposort(list(apply.inputs), [])
        return _Below(applies) if len(applies) > _SHALLOW else None

    def __reduce__(self):
        return _below, (self.applies,)


def _below(applies):
    return None


def reduce_apply(apply):
    return _apply, (_Below.of(apply), apply.op, apply.inputs, [output.type for output in apply.outputs]), _attributes(apply)


def restore(node, state):
    """For __setstate__ of nodes."""
    for key, value in state.items():
        if key == "_tag":
            tag = scratchpad()
            tag.trace = []
            tag.__dict__.update(value)
            value = tag
        node.__dict__[key] = value


def _input(cls, type_, name):
    return _with_class(type_(name) if not hasattr(type_, "make_variable") else type_.make_variable(name), cls)


def _constant(type_, data, name):
    return _core.constant(type_, data, name or "")


def _shared(type_, value, name, cls=None):
    return _with_class(_core.shared(type_, value, name or "", True), cls)


def _output(below, owner, index, name, cls=None):
    variable = owner.outputs[index]
    if name:
        variable.name = name
    return _with_class(variable, cls)


def _apply(below, op, inputs, types):
    if _core.is_engine_op(op):
        return _core.make_apply(op, inputs, types)
    return _core.apply_from_python(op, inputs, [type_() for type_ in types])
