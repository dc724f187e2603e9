"""What a compiled function tells and can do besides being called."""
from croton import _core
from croton.compile import arguments  # noqa: F401
from croton.compile.io import Out
from croton.compile.requests import compiled, wants_profile
from croton.configparser import config
from croton.gof.fg import FunctionGraph
from croton.gof.graph import Constant, SharedVariableBase


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
    copied = compiled(request, state["_mode"])
    copied.name = name if name is not None else (self.name + " copy" if self.name else None)
    copied.__dict__.update({"_mode": state["_mode"], "_slots": state["_slots"], "_request": request,
                            "_profile_argument": state["_profile_argument"]})
    copied.trust_input = self.trust_input
    for index in range(_core.function_input_count(self)):
        slot = _core.function_slot(self, index)
        if slot["has_default"]:
            _core.function_set_default(copied, index, slot["default"])
    if wants_profile(profile):
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
    made = compiled(request, mode)
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
