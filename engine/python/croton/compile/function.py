"""theano.function, and what a compiled function can do."""
import os
import warnings

import numpy

from croton import _core
from croton.compile.errors import UnusedInputError
from croton.compile.io import In, Out, SymbolicInput, SymbolicOutput
from croton.compile.mode import Mode, get_mode
from croton.compile.rebuild import collect_default_updates, pairs_of
from croton.configparser import config
from croton.gof.fg import FunctionGraph
from croton.gof.graph import Constant, SharedVariableBase, Variable
from croton.gof.errors import MissingInputError


def function_dump(filename, inputs, outputs=None, mode=None, updates=None, givens=None, no_default_updates=False, accept_inplace=False,
                  name=None, rebuild_strict=True, allow_input_downcast=None, profile=None, on_unused_input=None, extra_tag_to_remove=None):
    """Writes the arguments of function() to a file, so that somebody else can compile it."""
    import pickle
    arguments = dict(inputs=inputs, outputs=outputs, mode=mode, updates=updates, givens=givens, no_default_updates=no_default_updates,
                     accept_inplace=accept_inplace, name=name, rebuild_strict=rebuild_strict,
                     allow_input_downcast=allow_input_downcast, profile=profile, on_unused_input=on_unused_input)
    with open(filename, "wb") as stream:
        pickle.dump(arguments, stream, protocol=2)


def _default_name():
    lines = _core.trace_lines(_core.capture_trace())
    return "%s:%d" % lines[0][:2] if lines else "function"


def function(inputs, outputs=None, mode=None, updates=None, givens=None, no_default_updates=False, accept_inplace=False, name=None,
             rebuild_strict=True, allow_input_downcast=None, profile=None, on_unused_input=None):
    """Compiles expressions: the result takes values for `inputs` and returns those of `outputs`."""
    if not isinstance(inputs, (list, tuple)):
        raise Exception("Input variables of a Theano function should be contained in a list, even when there is a single input.")
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
    return build(slots, outputs, get_mode(mode), pairs_of(updates, "updates"), pairs_of(givens, "givens"), no_default_updates, name,
                 rebuild_strict, profile, on_unused_input)


def _as_input(value, allow_input_downcast):
    if isinstance(value, SymbolicInput):
        if value.allow_downcast is None:
            value.allow_downcast = allow_input_downcast
        if not isinstance(value, In):
            value = In(value.variable, value.name, None, value.update, value.mutable, value.strict, value.allow_downcast, True,
                       value.implicit, value.mutable)
        slot = value
    elif isinstance(value, Constant):
        raise TypeError("Constants not allowed in param list", value)
    elif isinstance(value, Variable):
        slot = In(value, allow_downcast=allow_input_downcast)
    elif isinstance(value, (list, tuple)):
        raise TypeError("inputs of a function are variables or theano.In, got the %s %r" % (type(value).__name__, value))
    else:
        raise TypeError("Unknown parameter type: %s: inputs of a function are variables or theano.In" % type(value))
    if isinstance(slot.variable, SharedVariableBase):
        raise TypeError("Cannot use a shared variable (%s) as explicit input. Consider substituting a non-shared variable via the "
                        "`givens` parameter" % slot.variable)
    if isinstance(slot.variable, Constant):
        raise TypeError("Constants not allowed in param list", slot.variable)
    return slot


def _refuse_duplicates(slots):
    seen = set()
    for slot in slots:
        if slot.variable in seen:
            raise ValueError("The variable %s is used as input to theano.function more than once: list it once"
                             % (slot.variable.name or slot.variable))
        seen.add(slot.variable)


def _as_output(value):
    if isinstance(value, SymbolicOutput):
        variable, borrow = value.variable, value.borrow
    else:
        variable, borrow = value, False
    if not isinstance(variable, Variable):
        from croton.tensor.basic import as_tensor_variable
        try:
            variable = as_tensor_variable(variable)
        except TypeError:
            raise TypeError("Outputs must be theano Variable or Out instances. Received %s of type %s" % (value, type(value))) from None
    return variable, borrow


def build(slots, outputs, mode, updates, givens, no_default_updates, name, rebuild_strict, profile, on_unused_input):
    keys, bare = None, False
    if outputs is None:
        values = []
    elif isinstance(outputs, dict):
        for key in outputs:
            if not isinstance(key, str):
                raise AssertionError("the keys of a dictionary of outputs must be strings, got %r" % (key,))
        keys = sorted(outputs)
        values = [outputs[key] for key in keys]
    elif isinstance(outputs, (list, tuple)):
        values = list(outputs)
    else:
        values, bare = [outputs], True
    converted = [_as_output(value) for value in values]
    variables = [variable for variable, _ in converted]
    borrow = [flag for _, flag in converted]
    updates = _checked_updates(updates)
    givens = _checked_givens(givens, slots, rebuild_strict)
    feedback = []
    for index, slot in enumerate(slots):
        if slot.update is not None:
            feedback.append(index)
            variables.append(slot.update)
            borrow.append(False)
    updates += collect_default_updates(variables, updates, givens, [slot.variable for slot in slots], no_default_updates)
    action = config.on_unused_input if on_unused_input is None else on_unused_input
    if action not in ("raise", "warn", "ignore"):
        raise ValueError("Invalid value for keyword on_unused_input of theano.function: %r.\nValid values are 'raise', 'warn', and "
                         "'ignore'." % (action,))
    request = {
        "inputs": [{"variable": slot.variable, "name": slot.name, "has_default": slot.value is not None,
                    "default": _default_value(slot), "strict": slot.strict, "allow_downcast": slot.allow_downcast,
                    "implicit": slot.implicit, "borrow": slot.borrow,
                    "mutable": slot.mutable and slot.borrow} for slot in slots],
        "outputs": variables, "borrow": borrow, "updates": updates, "givens": givens, "name": name, "mode": mode.settings(),
        "on_unused_input": action, "profile": _wants_profile(profile), "keys": keys, "bare": bare, "feedback": feedback,
    }
    if request["profile"] or getattr(mode, "keeps_profile", False):
        from croton.compile import profiling
        profiling.begin()
    made = _compiled(request, mode)
    for message in _core.function_warnings(made):
        warnings.warn(message, stacklevel=3)
    made.name = name if not name.startswith("<") else None
    state = made.__dict__
    state["_mode"], state["_slots"], state["_request"] = mode, slots, request
    state["_profile_argument"] = profile
    if request["profile"]:
        from croton.compile import profiling
        state["profile"] = profiling.attach(made, profile)
    return made


def _compiled(request, mode):
    return mode.make_function(request) if hasattr(mode, "make_function") else _core.compile(request)


def _wants_profile(profile):
    if profile is None:
        return bool(config.profile)
    return profile is not False


def _default_value(slot):
    value = slot.value
    if value is None:
        return None
    if isinstance(value, SharedVariableBase):
        return value.get_value(borrow=True)
    if hasattr(value, "storage") and hasattr(value, "data"):
        return value.data
    return slot.variable.type.filter(value, strict=slot.strict, allow_downcast=slot.allow_downcast)


def _checked_updates(updates):
    result, seen = [], set()
    for target, value in updates:
        if not isinstance(target, SharedVariableBase):
            raise TypeError("update target must be a SharedVariable", target)
        if target in seen:
            raise ValueError("this shared variable already has an update expression", (target, value))
        seen.add(target)
        original = value
        try:
            value = target.filter_update(value) if hasattr(target, "filter_update") else value
        except TypeError as error:
            raise TypeError(_update_sentence(target, original)) from error
        result.append((target, value))
    return result


def _update_sentence(target, value):
    kind = getattr(value, "type", type(value).__name__)
    sentence = ("An update must have the same type as the original shared variable (shared_var=%s, shared_var.type=%s, "
                "update_val=%s, update_val.type=%s)." % (target, target.type, value, kind))
    if getattr(value, "ndim", None) != getattr(target, "ndim", None):
        return sentence + " The number of dimensions differs."
    if getattr(value, "dtype", None) != getattr(target, "dtype", None):
        return sentence + " If the difference is related to the dtype, use update_val.astype(%r)." % target.dtype
    return (sentence + " If the difference is related to the broadcast pattern, you can call the "
            "tensor.unbroadcast(var, axis_to_unbroadcast[, ...]) function to remove broadcastable dimensions.")


def _checked_givens(givens, slots, strict):
    result = []
    for old, new in givens:
        if not isinstance(old, Variable):
            raise TypeError("givens must be keyed by Variable", old)
        if not isinstance(new, Variable):
            from croton.compile.sharedvalue import shared
            new = shared(numpy.asarray(new, dtype=getattr(old, "dtype", None)) if hasattr(old, "dtype") else new)
        if new.type != old.type:
            new = old.type.filter_variable(new, allow_convert=True) if strict else _loosely(old, new)
        result.append((old, new))
    replaced = {old for old, _ in result}
    seen = set()
    for old, _ in result:
        if old in seen:
            raise AssertionError("the variable %s is replaced twice by givens" % old)
        seen.add(old)
    for old, new in result:
        from croton.gof.graph import ancestors
        for ancestor in ancestors([new]):
            if ancestor is old and new is not old:
                raise AssertionError("givens cannot replace %s by an expression of %s itself: make another variable of the same type for "
                                     "the expression, and list that one among the inputs" % (old, old))
            if ancestor in replaced and ancestor is not old:
                raise AssertionError("When using 'givens' or 'replace' with several (old_v, new_v) replacement pairs, you can not have a "
                                     "new_v variable depend on an old_v one. For instance, givens = {a:b, b:(a+1)} is not allowed. Here, "
                                     "the old_v %s is used to compute other new_v's, but it is scheduled to be replaced by %s."
                                     % (ancestor, dict(result)[ancestor]))
    return result


def _loosely(old, new):
    from croton.tensor.basic import cast
    return old.type.filter_variable(cast(new, old.dtype))


# --- arguments --------------------------------------------------------------------------------------------
def _filter(function_, index, value):
    """`value` as the function's input wants it; the message names function, input and place."""
    slot = _core.function_slot(function_, index)
    type_ = slot["type"]
    if function_.trust_input and isinstance(value, numpy.ndarray) and str(value.dtype) == getattr(type_, "dtype", None) and \
            value.ndim == type_.ndim:
        return numpy.require(value, requirements="A")
    try:
        own = function_.__dict__["_slots"][index].variable.type if "_slots" in function_.__dict__ else type_
        result = own.filter(value, strict=slot["strict"], allow_downcast=slot["allow_downcast"])
    except (TypeError, ValueError) as error:
        function_name = "theano function"
        if getattr(function_, "name", None):
            function_name += ' with name "%s"' % function_.name
        argument = 'argument with name "%s"' % slot["name"] if slot["name"] else "argument"
        where = ""
        lines = _core.trace_lines(_core.variable_trace(function_.__dict__["_slots"][index].variable)) if "_slots" in function_.__dict__ else []
        if lines:
            where = "\nBacktrace when that variable is created:\n\n" + "".join(
                '  File "%s", line %d, in %s\n    %s\n' % line for line in reversed(lines))
        message = "Bad input %s to %s at index %d (0-based). %s%s" % (argument, function_name, index, where,
                                                                     " ".join(str(part) for part in error.args))
        raise type(error)(message) from None
    if isinstance(result, numpy.ndarray):
        if type(result) is not numpy.ndarray or not result.dtype.isnative:
            result = numpy.array(result, dtype=type_.dtype, subok=False)
        elif not result.flags.aligned:
            result = result.copy()
    return result


_core.register_filter(_filter)


def _call_subset(function_, arguments, keywords):
    """f(…, output_subset=[0, 2]): some of the outputs, by a function made for them; updates run all the same."""
    subset = keywords.pop("output_subset")
    if subset is None:
        return function_(*arguments, **keywords)
    state = function_.__dict__
    request = state["_request"]
    keys, feedback = request["keys"], request["feedback"]
    visible = len(request["outputs"]) - len(feedback)
    places = []
    for wanted in subset:
        if keys is not None and isinstance(wanted, str):
            if wanted not in keys:
                raise KeyError("output_subset: the function has no output called %r" % (wanted,))
            wanted = keys.index(wanted)
        if isinstance(wanted, bool) or not isinstance(wanted, (int, numpy.integer)) or not 0 <= wanted < visible:
            raise IndexError("output_subset: %r is no place of an output, the function has %d" % (wanted, visible))
        places.append(int(wanted))
    subsets = state.setdefault("_subsets", {})
    made = subsets.get(tuple(places))
    if made is None:
        own = dict(request)
        kept = places + list(range(visible, len(request["outputs"])))
        own["outputs"] = [request["outputs"][place] for place in kept]
        own["borrow"] = [request["borrow"][place] for place in kept]
        own["keys"] = None if keys is None else [keys[place] for place in places]
        own["bare"] = request["bare"] and len(places) == 1
        own["on_unused_input"] = "ignore"
        own["name"] = "%s%s" % (request["name"], places)
        made = subsets[tuple(places)] = _compiled(own, state["_mode"])
        made.name = function_.name
        made.__dict__.update({"_mode": state["_mode"], "_slots": state["_slots"], "_request": own})
    made.trust_input = function_.trust_input
    for index in range(_core.function_input_count(function_)):
        slot = _core.function_slot(function_, index)
        if slot["has_default"]:
            _core.function_set_default(made, index, slot["default"])
    result = made(*arguments, **keywords)
    for index in feedback:
        _core.function_set_default(function_, index, _core.function_slot(made, index)["default"])
    return result


_core.register_subset(_call_subset)


# --- what a function tells --------------------------------------------------------------------------------
class Maker:
    """function.maker: the optimized graph, inputs, outputs, mode."""

    def __init__(self, function_):
        self._function = function_

    @property
    def fgraph(self):
        state = self._function.__dict__
        graph = state.get("_fgraph")
        if graph is None:
            exported = _core.function_graph(self._function)
            inputs, outputs = exported["inputs"], exported["outputs"]
            mapping = {output: input_ for output, input_ in exported["updates"]}
            graph = state["_fgraph"] = FunctionGraph(inputs, outputs, update_mapping=mapping, _order=exported["toposort"])
            graph.profile = None
            graph.name = self._function.name
        return graph

    env = fgraph
    mode = property(lambda self: self._function.__dict__["_mode"])
    inputs = property(lambda self: list(self._function.__dict__["_slots"]))
    expanded_inputs = property(lambda self: list(self._function.__dict__["_slots"]))
    profile = property(lambda self: self._function.__dict__.get("profile"))
    name = property(lambda self: self._function.name)
    function_builder = None

    @property
    def outputs(self):
        return [Out(variable, borrow) for variable, borrow in zip(self._function.__dict__["_request"]["outputs"],
                                                                  self._function.__dict__["_request"]["borrow"])]

    @property
    def compile_time(self):
        return _core.function_times(self._function)["total"]

    def create(self, *args, **kwargs):
        return self._function


class VM:
    """function.fn: what runs; only what scripts look at."""

    def __init__(self, function_):
        self._function = function_

    @property
    def storage_map(self):
        """{variable: [value]} of inputs that have one: constants and shared variables."""
        result = {}
        for variable in self._function.maker.fgraph.variables:
            if isinstance(variable, Constant):
                result[variable] = [variable.data]
            elif isinstance(variable, SharedVariableBase):
                result[variable] = [variable.get_value(borrow=True)]
            else:
                result[variable] = [None]
        return result

    @property
    def nodes(self):
        return self._function.maker.fgraph.toposort()

    thunks = property(lambda self: [None] * len(self.nodes))
    allow_gc = property(lambda self: self._function.__dict__["_request"]["mode"]["allow_gc"])

    def __call__(self, *args, **kwargs):
        return self._function(*args, **kwargs)


def _own_slot(self, key):
    for index, slot in enumerate(self.__dict__["_slots"]):
        if key is slot.variable or key == index and isinstance(key, int) or (isinstance(key, str) and key == slot.name):
            return index
    return None


def _get_item(self, key):
    index = _own_slot(self, key)
    if index is not None:
        return _core.function_slot(self, index)["default"]
    for variable in self.get_shared():
        if variable is key or (isinstance(key, str) and variable.name == key):
            return variable.get_value(borrow=True)
    raise KeyError("Unknown input or state: %s" % (key,))


def _set_item(self, key, value):
    index = _own_slot(self, key)
    if index is not None:
        slot = self.__dict__["_slots"][index]
        _core.function_set_default(self, index, slot.variable.type.filter(value, strict=slot.strict, allow_downcast=slot.allow_downcast))
        return
    for variable in self.get_shared():
        if variable is key or (isinstance(key, str) and variable.name == key):
            variable.set_value(value)
            return
    raise KeyError("Unknown input or state: %s" % (key,))


class _Values:
    """function.value, function.container: by name, variable or place."""

    def __init__(self, function_):
        self._function = function_

    def __getitem__(self, key):
        return _get_item(self._function, key)

    def __setitem__(self, key, value):
        _set_item(self._function, key, value)

    def __contains__(self, key):
        try:
            _get_item(self._function, key)
        except KeyError:
            return False
        return True


def _copy(self, share_memory=False, swap=None, delete_updates=False, name=None, profile=None):
    """Another function with the same graph; `swap` {old shared: new shared} gives it other shared variables."""
    state = self.__dict__
    request = dict(state["_request"])
    swap = dict(swap or {})
    for old, new in swap.items():
        if not isinstance(new, SharedVariableBase):
            raise TypeError("swap: %s has to be a shared variable" % (new,))
        if old.type != new.type:
            raise TypeError("swap: %s is %s but %s is %s" % (old, old.type, new, new.type))
        if old not in self.get_shared():
            raise ValueError("SharedVariable: %s not found" % old.name)
    request["givens"] = [(old, _swapped(new, swap)) for old, new in request["givens"]]
    request["givens"] += [(old, new) for old, new in swap.items()]
    request["updates"] = [] if delete_updates else [(swap.get(target, target), value) for target, value in request["updates"]]
    request["name"] = name if name is not None else (self.name or "function") + " copy"
    copied = _compiled(request, state["_mode"])
    copied.name = name if name is not None else (self.name + " copy" if self.name else None)
    copied.__dict__.update({"_mode": state["_mode"], "_slots": state["_slots"], "_request": request,
                            "_profile_argument": state["_profile_argument"]})
    copied.trust_input = self.trust_input
    for index in range(_core.function_input_count(self)):
        slot = _core.function_slot(self, index)
        if slot["has_default"]:
            _core.function_set_default(copied, index, slot["default"])
    if _wants_profile(profile):
        from croton.compile import profiling
        copied.__dict__["profile"] = profiling.attach(copied, profile)
    return copied


def _swapped(variable, swap):
    if variable in swap:
        return swap[variable]
    return _core.substitute([variable], list(swap), list(swap.values()))[0] if swap else variable


def _free(self):
    """Drops what the function keeps between calls."""
    for subset in self.__dict__.get("_subsets", {}).values():
        _core.function_free(subset)
    _core.function_free(self)


def _get_shared(self):
    """The shared variables that the function reads or updates."""
    return list(_core.function_shared(self))


def _reduce(self):
    state = self.__dict__
    return _rebuild, (state["_slots"], state["_request"], state["_mode"], self.name, bool(self.trust_input),
                      [_core.function_slot(self, i)["default"] for i in range(_core.function_input_count(self))])


def _rebuild(slots, request, mode, name, trust, defaults):
    if not config.unpickle_function:
        return None
    request = dict(request)
    request["mode"] = mode.settings()
    made = _compiled(request, mode)
    made.name = name
    made.trust_input = trust
    made.__dict__.update({"_mode": mode, "_slots": slots, "_request": request, "_profile_argument": None})
    for index, value in enumerate(defaults):
        if value is not None:
            _core.function_set_default(made, index, value)
    return made


def _repr(self):
    return "<theano.compile.function_module.Function object %s at 0x%x>" % (self.name or "", id(self))


def _profile(self):
    return self.__dict__.get("profile_")


def _repr_html(self):
    from croton.show import html_of
    return html_of(self)


def _show(self, stage="optimized"):
    from croton.show import show
    return show(self, stage)


def _dprint(self, **kwargs):
    from croton.printing import debugprint
    return debugprint(self, **kwargs)


_core.Function.maker = property(Maker)
_core.Function.fn = property(VM)
_core.Function.copy = _copy
_core.Function.__copy__ = lambda self: _copy(self, share_memory=True)
_core.Function.__deepcopy__ = lambda self, memo: _copy(self)
_core.Function.free = _free
_core.Function.get_shared = _get_shared
_core.Function.__getitem__ = _get_item
_core.Function.__setitem__ = _set_item
_core.Function.__contains__ = lambda self, key: key in _Values(self)
_core.Function.value = property(_Values)
_core.Function.container = property(_Values)
_core.Function.__reduce__ = _reduce
_core.Function.__repr__ = _repr
_core.Function.__str__ = _repr
_core.Function._repr_html_ = _repr_html
_core.Function.show = _show
_core.Function.dprint = _dprint
_core.Function.profile = None
_core.Function.name = None
_core.Function.unpack_single = property(lambda self: self.__dict__["_request"]["bare"])
_core.Function.input_storage = property(lambda self: [None] * _core.function_input_count(self))
_core.Function.sync_shared = lambda self: None
