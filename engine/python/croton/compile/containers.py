"""Where a function keeps the values of its inputs and shared variables: f[x], f.value, f.container, f.finder."""
from croton import _core
from croton.compile.io import In
from croton.gof.graph import SharedVariableBase
from croton.gof.link import DUPLICATE, Container


def storage_of(slot):
    """(storage, initial value, whether it belongs to somebody else) of an input of a new function."""
    value = slot.value
    if isinstance(value, SharedVariableBase):
        value = value.container
    if isinstance(value, Container):
        return value.storage, None, True
    if value is not None:
        value = slot.variable.type.filter(value, strict=slot.strict, allow_downcast=slot.allow_downcast)
    return [value], value, False


def fresh_storage(entry):
    """Another storage for the same input: with its first value in it, or somebody else's as before."""
    if entry.foreign:
        return entry.storage
    value = entry.initial
    return [value.copy() if entry.mutable and hasattr(value, "copy") else value]


def inputs_of(function_):
    """The explicit inputs, and one for each shared variable."""
    state = function_.__dict__
    inputs = state.get("_inputs")
    if inputs is None:
        updates = dict(state["_request"].updates)
        inputs = state["_inputs"] = list(state["_slots"])
        for variable in _core.function_shared(function_):
            update = updates.get(variable)
            inputs.append(In(variable, value=variable.container, update=update, mutable=update is not None, borrow=True, shared=True))
    return inputs


def containers_of(function_):
    state = function_.__dict__
    containers = state.get("_containers")
    if containers is None:
        containers = [Container(slot.variable, entry.storage, strict=slot.strict, allow_downcast=slot.allow_downcast, name=slot.name)
                      for slot, entry in zip(state["_slots"], state["_request"].inputs)]
        containers += [slot.value for slot in inputs_of(function_)[len(containers):]]
        state["_containers"] = containers
    return containers


def finder(function_):
    """{place, variable or name of an input: its container}"""
    state = function_.__dict__
    found = state.get("_finder")
    if found is None:
        found = state["_finder"] = {}
        for index, (slot, container) in enumerate(zip(inputs_of(function_), containers_of(function_))):
            found[index] = found[slot.variable] = container
            if slot.name is not None:
                found[slot.name] = DUPLICATE if slot.name in found else container
    return found


class ContainerAttribute:
    """f.container"""

    def __init__(self, function_):
        self._finder = finder(function_)

    def __getitem__(self, key):
        return self._finder[key]

    def __contains__(self, key):
        return key in self._finder


class ValueAttribute(ContainerAttribute):
    """f.value"""

    def _container(self, key):
        try:
            container = self._finder[key]
        except KeyError:
            names = [name for name in self._finder if isinstance(name, str)]
            named = getattr(key, "name", None)
            hint = " Its own variable of that name (copies and pickles have others) is found by it: f[%r]." % named if named in names else ""
            raise TypeError("Unknown input or state: %s. The function has %d named inputs (%s).%s" % (key, len(names), ", ".join(names), hint)) from None
        if container is DUPLICATE:
            raise TypeError("Ambiguous name: %s - please check the names of the inputs of your function for duplicates." % (key,))
        return container

    def __getitem__(self, key):
        return self._container(key).value

    def __setitem__(self, key, value):
        self._container(key).value = value


_core.Function.container = property(ContainerAttribute)
_core.Function.value = property(ValueAttribute)
_core.Function.finder = property(finder)
_core.Function.inv_finder = property(lambda self: dict(zip(containers_of(self), inputs_of(self))))
_core.Function.input_storage = property(containers_of)
_core.Function.__getitem__ = lambda self, key: ValueAttribute(self)[key]
_core.Function.__setitem__ = lambda self, key, value: ValueAttribute(self).__setitem__(key, value)
_core.Function.__contains__ = lambda self, key: key in finder(self)
