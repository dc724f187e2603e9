"""Copies and pickles of functions: compiled again, on containers of their own or on the same."""
from croton import _core
from croton.compile import profiling
from croton.compile.containers import fresh_storage
from croton.compile.requests import compiled, wants_profile
from croton.configparser import config
from croton.gof.graph import SharedVariableBase


def _copy(self, share_memory=False, swap=None, delete_updates=False, name=None, profile=None):
    """Another function with the same graph and shared variables; `swap` {old shared: new shared} gives it others.
    It returns a list, however the outputs were given: Theano's copy does, while deepcopy and pickle keep their form. Nothing of a call is
    shared, whatever `share_memory` says."""
    state = self.__dict__
    request = state["_request"]
    swap = dict(swap or {})
    for old, new in swap.items():
        if not isinstance(new, SharedVariableBase):
            raise TypeError("swap: %s has to be a shared variable" % (new,))
        if old.type != new.type:
            raise TypeError("swap: %s is %s but %s is %s" % (old, old.type, new, new.type))
        if old not in self.get_shared():
            raise ValueError("SharedVariable: %s not found" % old.name)
    request = request.but(
        givens=[(old, _swapped(new, swap)) for old, new in request.givens] + list(swap.items()),
        updates=[] if delete_updates else [(swap.get(target, target), value) for target, value in request.updates],
        inputs=[entry.but(storage=fresh_storage(entry)) for entry in request.inputs],
        name=name or (self.name or "function") + " copy", on_unused_input="ignore", bare=False, keys=None)
    if delete_updates:
        request = _without_feedback(request)
    copied = _made(request, state["_mode"], name or (self.name + " copy" if self.name else None), False, state["_slots"])
    copied.__dict__["_profile_argument"] = state["_profile_argument"]
    if wants_profile(profile):
        copied.__dict__["profile"] = profiling.attach(copied, profile)
    return copied


def _swapped(variable, swap):
    if variable in swap:
        return swap[variable]
    return _core.substitute([variable], list(swap), list(swap.values()))[0] if swap else variable


def _without_feedback(request):
    inputs = [entry.but(has_update=False, keeps=entry.foreign, default=None if entry.foreign else entry.storage[0])
              for entry in request.inputs]
    return request.but(inputs=inputs, outputs=request.outputs[:request.visible], borrow=request.borrow[:request.visible], feedback=[])


def _made(request, mode, name, trust, slots):
    made = compiled(request, mode)
    made.name, made.trust_input = name, trust
    made.__dict__.update({"_mode": mode, "_slots": slots, "_request": request, "_profile_argument": None})
    return made


def _reduce(self):
    state = self.__dict__
    return _rebuild, (state["_slots"], state["_request"], state["_mode"], self.name, bool(self.trust_input))


def _rebuild(slots, request, mode, name, trust):
    if not config.unpickle_function:
        return None
    return _made(request.but(mode=mode.settings()), mode, name, trust, slots)


_core.Function.copy = _copy
_core.Function.__copy__ = _copy
_core.Function.__reduce__ = _reduce
