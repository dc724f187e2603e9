"""How functions are compiled."""
from croton import _core
from croton.configparser import config

_LEVELS = {"none": "none", "merge": "merge", "fast_compile": "fast_compile", "o1": "fast_compile", "o2": "fast_compile",
           "fast_run": "fast_run", "o3": "fast_run", "o4": "fast_run", "unsafe": "fast_run", "stabilize": "fast_run"}
_EXTRA = {"o2": (["fusion"], []), "o3": ([], ["inplace"]), "unsafe": (["unsafe"], ["inplace"])}
_LINKERS = ("cvm", "cvm_nogc", "vm", "vm_nogc", "c|py", "c|py_nogc", "py", "c")


class Mode:
    """An optimizer (which rewrites run) and a linker (how the result is executed)."""

    def __init__(self, linker=None, optimizer="default", provided_optimizer=None):
        linker = config.linker if linker is None else linker
        optimizer = config.optimizer if optimizer == "default" else optimizer
        if isinstance(linker, str) and linker not in _LINKERS:
            raise ValueError("there is no linker called %r; known are %s" % (linker, ", ".join(_LINKERS)))
        if not isinstance(linker, str):
            linker = getattr(linker, "name", None) or "cvm"
        name = "none" if optimizer is None else optimizer
        if not isinstance(name, str):
            name = getattr(name, "name", None) or "fast_run"
        if name.lower() not in _LEVELS:
            raise ValueError("there is no optimizer called %r; known are None, merge, fast_compile, fast_run, o1, o2, o3, o4, unsafe, "
                             "stabilize" % (optimizer,))
        self._optimizer, self.linker_name = name, linker
        more, less = _EXTRA.get(name.lower(), ([], []))
        self._including, self._excluding, self._requiring = list(more), list(less), []
        self._name = None

    @property
    def provided_optimizer(self):
        return None if self._optimizer == "none" else self._optimizer

    provided_linker = property(lambda self: self.linker_name)
    optimizer = provided_optimizer
    linker = property(lambda self: self.linker_name)
    call_time = fn_time = 0

    def _copy(self):
        import copy
        result = copy.copy(self)
        result._including, result._excluding, result._requiring = (list(self._including), list(self._excluding), list(self._requiring))
        return result

    def including(self, *tags):
        """The same mode with these rewrites (names or tags) too."""
        result = self._copy()
        result._including += [tag for tag in tags if tag not in result._including]
        result._excluding = [tag for tag in result._excluding if tag not in tags]
        return result

    def excluding(self, *tags):
        """The same mode without these rewrites (names or tags)."""
        result = self._copy()
        result._excluding += [tag for tag in tags if tag not in result._excluding]
        result._including = [tag for tag in result._including if tag not in tags]
        return result

    def requiring(self, *tags):
        result = self._copy()
        result._requiring += list(tags)
        return result

    def register(self, *optimizations):
        raise NotImplementedError("rewrites are part of the engine; switch them on by name with including()")

    def clone(self, link_kwargs=None, optimizer="", **kwargs):
        result = self._copy()
        if optimizer != "":
            result._optimizer = "none" if optimizer is None else optimizer
        return result

    def settings(self):
        """What the engine is told."""
        including, excluding = list(self._including), list(self._excluding)
        including += [tag for tag in config.optimizer_including.split(":") if tag]
        excluding += [tag for tag in config.optimizer_excluding.split(":") if tag]
        if not config.tensor.local_elemwise_fusion:
            excluding.append("elemwise_fusion")
        allow_gc = config.allow_gc and not self.linker_name.endswith("_nogc")
        return {"name": self._name or type(self).__name__, "level": _LEVELS[self._optimizer.lower()], "linker": self.linker_name,
                "including": including, "excluding": excluding, "allow_gc": allow_gc}

    def __str__(self):
        return "%s(linker = %s, optimizer = %s)" % (self.__class__.__name__, self.linker_name, self._optimizer)

    __repr__ = __str__

    def __eq__(self, other):
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self):
        return hash((type(self), self._optimizer, self.linker_name))


def _named(name, optimizer, linker="cvm"):
    mode = Mode(linker, optimizer)
    mode._name = name
    return mode


FAST_COMPILE = _named("FAST_COMPILE", "fast_compile", "vm")
FAST_RUN = _named("FAST_RUN", "fast_run")
predefined_modes = {"FAST_COMPILE": FAST_COMPILE, "FAST_RUN": FAST_RUN}
predefined_linkers = {name: name for name in _LINKERS}
predefined_optimizers = {name: name for name in _LEVELS}
OPT_FAST_RUN, OPT_FAST_COMPILE, OPT_NONE, OPT_MERGE, OPT_STABILIZE, OPT_UNSAFE = (
    "fast_run", "fast_compile", "none", "merge", "stabilize", "unsafe")


def register_mode(name, mode):
    if name in predefined_modes:
        raise ValueError("Mode name already taken: %s" % name)
    predefined_modes[name] = mode


def get_mode(orig):
    """A mode by name or as it is; None is the flag mode."""
    name = config.mode if orig is None else orig
    if not isinstance(name, str):
        if not isinstance(name, Mode):
            raise TypeError("a mode is a name or a theano.Mode, got %r" % (name,))
        return name
    if name == "Mode":
        mode = Mode()
        mode._name = "FAST_RUN" if mode._optimizer in ("o4", "fast_run") else None
        return mode
    if name in ("DebugMode", "DEBUG_MODE"):
        from croton.compile.debugmode import DebugMode
        return DebugMode()
    if name == "NanGuardMode":
        from croton.compile.nanguardmode import NanGuardMode
        return NanGuardMode(nan_is_error=config.NanGuardMode.nan_is_error, inf_is_error=config.NanGuardMode.inf_is_error,
                            big_is_error=config.NanGuardMode.big_is_error)
    if name in ("ProfileMode", "PROFILE_MODE"):
        from croton.compile.profilemode import default_mode
        return default_mode()
    if name in predefined_modes:
        return predefined_modes[name]
    raise ValueError("there is no mode called %r; known are Mode, %s, DebugMode, NanGuardMode, ProfileMode"
                     % (name, ", ".join(sorted(predefined_modes))))


def get_default_mode():
    return get_mode(None)


default_mode = "Mode"
