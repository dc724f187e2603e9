"""theano.function: from variables to something that can be called."""
import copy
import pickle
import warnings

from croton import _core, _files
from croton.gof import provided
from croton.gof.substitute import substituted
from croton.compile import profiling
from croton.compile.containers import fresh_storage, storage_of
from croton.compile.errors import UnusedInputError
from croton.compile.function_object import Maker, VM  # noqa: F401
from croton.compile.io import In, SymbolicInput, SymbolicOutput
from croton.compile.mode import Mode, get_mode  # noqa: F401
from croton.compile.rebuild import collect_default_updates, pairs_of
from croton.compile.replacements import checked_givens, checked_updates
from croton.compile.requests import Input, Request, compiled, wants_profile
from croton.configparser import config
from croton.gof.errors import MissingInputError  # noqa: F401
from croton.gof.graph import Constant, SharedVariableBase, Variable, destroyed_inputs, io_toposort, view_roots
from croton.gof.type import NullType
from croton.gof.utils import listed
from croton.tensor.basic import TensorType, as_tensor_variable

__path__ = []  # Theano-PyMC has modules in here (theano/_moved.py)


def function_dump(filename, inputs, outputs=None, mode=None, updates=None, givens=None, no_default_updates=False, accept_inplace=False,
                  name=None, rebuild_strict=True, allow_input_downcast=None, profile=None, on_unused_input=None, extra_tag_to_remove=None):
    """Writes the arguments of function() to a file, so that somebody else can compile it."""
    inputs, outputs = listed(inputs), listed(outputs) or outputs
    updates, givens = pairs_of(updates or [], "updates"), pairs_of(givens or [], "givens")
    arguments = dict(inputs=inputs, outputs=outputs, mode=mode, updates=updates, givens=givens, no_default_updates=no_default_updates,
                     accept_inplace=accept_inplace, name=name, rebuild_strict=rebuild_strict,
                     allow_input_downcast=allow_input_downcast, profile=profile, on_unused_input=on_unused_input)
    _files.write(filename, pickle.dumps(arguments, protocol=2))


def _default_name():
    lines = _core.trace_lines(_core.capture_trace())
    return "%s:%d" % lines[0][:2] if lines else "function"


@provided.compiled.by
def function(inputs, outputs=None, mode=None, updates=None, givens=None, no_default_updates=False, accept_inplace=False, name=None,
             rebuild_strict=True, allow_input_downcast=None, profile=None, on_unused_input=None, memory_budget=None):
    """Compiles expressions: the result takes values for `inputs` and returns those of `outputs`.

    `memory_budget`: what a call may take at most ("200MB", or bytes); values are computed again where keeping them takes more."""
    inputs = listed(inputs)
    if inputs is None:
        raise Exception("Input variables of a Theano function should be contained in a list, even when there is a single input.")
    if any(isinstance(value, (list, tuple)) for value in inputs) and (updates or givens):
        raise NotImplementedError("inputs written as tuples do not go with updates and givens: write them as theano.In")
    if updates is None:
        updates = []
    if givens is None:
        givens = []
    if name is None:
        name = _default_name()
    elif not isinstance(name, str):
        raise TypeError("the name of a function must be a string, got %r" % (name,))
    slots = [_as_input(value, allow_input_downcast) for value in inputs]
    _refuse_duplicates(slots)
    mode = get_mode(mode)
    if memory_budget is not None:
        mode = mode.within(memory_budget)
    return build(slots, outputs, mode, pairs_of(updates, "updates"), pairs_of(givens, "givens"), no_default_updates, accept_inplace, name,
                 rebuild_strict, profile, on_unused_input)


def _as_input(value, allow_input_downcast):
    parts = listed(value)
    if parts is not None:
        value = _from_tuple(parts)
    if isinstance(value, SymbolicInput):
        if value.allow_downcast is None and allow_input_downcast is not None:
            value = copy.copy(value)
            value.allow_downcast = allow_input_downcast
        if not isinstance(value, In):
            value = In(value.variable, value.name, None, value.update, value.mutable, value.strict, value.allow_downcast, True,
                       value.implicit, value.mutable)
        slot = value
    elif isinstance(value, Constant):
        raise TypeError("Constants not allowed in param list", value)
    elif isinstance(value, Variable):
        slot = In(value, allow_downcast=allow_input_downcast)
    else:
        raise TypeError("Unknown parameter type: %s: inputs of a function are variables or theano.In" % type(value))
    if isinstance(slot.variable, SharedVariableBase):
        raise TypeError("Cannot use a shared variable (%s) as explicit input. Consider substituting a non-shared variable via the "
                        "`givens` parameter" % slot.variable)
    if isinstance(slot.variable, Constant):
        raise TypeError("Constants not allowed in param list", slot.variable)
    return slot


def _from_tuple(parts):
    """(variable, value) and ((variable, update), value), with a name before it or without."""
    rest = list(parts)
    name = rest.pop(0) if rest and isinstance(rest[0], str) else None
    value = rest[1] if len(rest) == 2 else None
    if len(rest) in (1, 2) and isinstance(rest[0], Variable):
        return In(rest[0], name=name, value=value)
    pair = listed(rest[0]) if len(rest) == 2 else None
    if pair is not None and len(pair) == 2:
        return In(pair[0], name=name, value=value, update=pair[1])
    raise TypeError("Invalid input syntax: %r: write (variable, value) or ((variable, update), value), or a theano.In" % (parts,))


def _refuse_duplicates(slots):
    places = {}
    for index, slot in enumerate(slots):
        if slot.variable in places:
            raise UnusedInputError("Variable %s is used twice in inputs to theano.function, at indices %d and %d.  This would result in values "
                                   "provided for it being ignored. Please do not duplicate variables in the inputs list."
                                   % (slot.variable, places[slot.variable], index))
        places[slot.variable] = index


def _as_output(value):
    if isinstance(value, SymbolicOutput):
        variable, borrow = value.variable, value.borrow
    else:
        variable, borrow = value, False
    if not isinstance(variable, Variable):
        try:
            variable = as_tensor_variable(variable)
        except TypeError:
            raise TypeError("Outputs must be theano Variable or Out instances. Received %s of type %s" % (value, type(value))) from None
    if isinstance(variable.type, NullType):
        raise TypeError("no function can compute the output %s: %s" % (variable, variable.type.why_null or "it is a gradient that is not there"))
    return variable, borrow


def _overwritten(slots, variables, updates):
    """What the ops of the script's own graph overwrite: the inputs, of which those may be overwritten; {place of one: what it is then}; and the updates
    with those of shared variables."""
    roots, first, last = set(), {}, {}
    for apply in io_toposort([], variables):
        for output, which in destroyed_inputs(apply.op):
            given, made = apply.inputs[which], apply.outputs[output]
            roots.update(view_roots(given))
            first[made] = first.get(given, given)
            last[first[made]] = made
    slots = [copy.copy(slot) if slot.variable in roots else slot for slot in slots]
    for slot in slots:
        if slot.variable in roots:
            slot.mutable = slot.borrow = True
    after = {place: last[slot.variable] for place, slot in enumerate(slots)
             if slot.variable in last and slot.update is None and isinstance(slot.variable.type, TensorType)}
    known = {variable for variable, _ in updates}
    return slots, after, updates + [(one, value) for one, value in last.items()
                                    if isinstance(one, SharedVariableBase) and one not in known and one.type == value.type]


def build(slots, outputs, mode, updates, givens, no_default_updates, accept_inplace, name, rebuild_strict, profile, on_unused_input):
    keys, bare = None, False
    if outputs is None:
        values = []
    elif isinstance(outputs, dict):
        for key in outputs:
            if not isinstance(key, str):
                raise AssertionError("the keys of a dictionary of outputs must be strings, got %r" % (key,))
        keys = sorted(outputs)
        values = [outputs[key] for key in keys]
    else:
        values = listed(outputs)
        bare = values is None
        if bare:
            values = [outputs]
    converted = [_as_output(value) for value in values]
    variables = [variable for variable, _ in converted]
    borrow = [flag for _, flag in converted]
    updates = checked_updates(updates)
    after = {}
    if accept_inplace:
        slots, after, updates = _overwritten(slots, variables + [value for _, value in updates], updates)
    givens, at_once = checked_givens(givens, slots, rebuild_strict)
    feedback = []
    for index, slot in enumerate(slots):
        if slot.update is not None:
            feedback.append(index)
            variables.append(slot.update)
            borrow.append(False)
        elif index in after:
            feedback.append(index)
            variables.append(after[index])
            borrow.append(True)
    updates += collect_default_updates(variables, updates, givens, [slot.variable for slot in slots], no_default_updates)
    if at_once:
        old, new = [list(side) for side in zip(*givens)]
        changed = substituted(variables + [value for _, value in updates], old, new)
        variables, givens = changed[:len(variables)], []
        updates = [(target, value) for (target, _), value in zip(updates, changed[len(variables):])]
    action = config.on_unused_input if on_unused_input is None else on_unused_input
    if action not in ("raise", "warn", "ignore"):
        raise ValueError("Invalid value for keyword on_unused_input of theano.function: %r.\nValid values are 'raise', 'warn', and "
                         "'ignore'." % (action,))
    request = Request(inputs=[_entry(slot, index in after) for index, slot in enumerate(slots)], outputs=variables, borrow=borrow, updates=updates, givens=givens, name=name,
                      mode=mode.settings(), on_unused_input=action, profile=wants_profile(profile), keys=keys, bare=bare, feedback=feedback)
    if request.profile or getattr(mode, "keeps_profile", False):
        profiling.begin()
    made = compiled(request, mode)
    for message in _core.function_warnings(made):
        warnings.warn(message, stacklevel=3)
    made.name = name if not name.startswith("<") else None
    state = made.__dict__
    state["_mode"], state["_slots"], state["_request"] = mode, slots, request
    state["_profile_argument"] = profile
    if request.profile:
        state["profile"] = profiling.attach(made, profile)
    return made


def _entry(slot, overwritten):
    """What a request says of an input."""
    storage, initial, foreign = storage_of(slot)
    has_update, required = slot.update is not None, slot.value is None
    keeps = foreign or (has_update and not required)
    entry = Input(variable=slot.variable, name=slot.name, strict=slot.strict, allow_downcast=slot.allow_downcast, implicit=slot.implicit,
                  borrow=slot.borrow, mutable=slot.mutable and slot.borrow, has_update=has_update, overwritten=overwritten, required=required,
                  keeps=keeps,
                  foreign=foreign, storage=storage, initial=initial, default=None if required or keeps else initial)
    return entry.but(storage=fresh_storage(entry))
