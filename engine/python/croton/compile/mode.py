"""How functions are compiled."""
import copy
import warnings

from croton import _core
from croton.compile import rewrite_names
from croton.compile.requests import Settings
from croton.compile.rewriting import (AddFeatureOptimizer, EngineOptimizer, EngineRewrite, PrintCurrentFunctionGraph,  # noqa: F401
                                      name_of_mode_rewrite, optdb)
from croton.configparser import config, device_of, origin
from croton.gof.opt import Optimizer
from croton.gof.optdb import Query, checked_tags

_LEVELS = {"none": "none", "merge": "merge", "fast_compile": "fast_compile", "o1": "fast_compile", "o2": "fast_compile",
           "fast_run": "fast_run", "o3": "fast_run", "o4": "fast_run", "unsafe": "fast_run", "stabilize": "fast_run"}
_EXTRA = {"o2": (["fusion"], []), "o3": ([], ["inplace"]), "unsafe": (["unsafe"], ["inplace"])}
_CUTOFF = {"stabilize": 1.5}
_LINKERS = ("cvm", "cvm_nogc", "vm", "vm_nogc", "c|py", "c|py_nogc", "py", "c")
predefined_linkers = {name: name for name in _LINKERS}
predefined_optimizers = {name: name for name in _LEVELS}


def _linker_name(linker):
    """Of a name, or of a linker object (theano.gof.vm.VM_Linker() and the like)."""
    name = linker if isinstance(linker, str) else getattr(linker, "linker_name", None)
    if name is None:
        raise TypeError("a linker is one of %s, got %r" % (", ".join(_LINKERS), linker))
    name = predefined_linkers.get(name, name)
    if not isinstance(name, str):
        return _linker_name(name)
    if name not in _LINKERS:
        raise ValueError("there is no linker called %r; known are %s" % (name, ", ".join(_LINKERS)))
    return name


def _optimizer_name(optimizer):
    """The level, and what a Query adds to and takes from it."""
    if optimizer is None:
        return "none", [], [], []
    if isinstance(optimizer, str) and optimizer in predefined_optimizers:
        optimizer = predefined_optimizers[optimizer]
    if isinstance(optimizer, EngineOptimizer) and optimizer.only_pass is None:
        optimizer = optimizer.query
    if isinstance(optimizer, Query):
        level = next((tag for tag in optimizer.include if tag.lower() in _LEVELS), "none")
        own = [name_of_mode_rewrite(one, position) for one, position in optimizer.extra_optimizations]
        behind = rewrite_names.passes_behind(optimizer.position_cutoff) if optimizer.position_cutoff != float("inf") else []
        return (level, [tag for tag in optimizer.include if tag != level] + own, list(optimizer.exclude) + behind, list(optimizer.require))
    if isinstance(optimizer, Optimizer):
        return "none", [name_of_mode_rewrite(optimizer, 1.0)], [], []
    if not isinstance(optimizer, str):
        raise TypeError("an optimizer is None, a name, a theano.gof.Query or an Optimizer, got %r" % (optimizer,))
    if optimizer.lower() not in _LEVELS:
        raise ValueError("there is no optimizer called %r; known are None, merge, fast_compile, fast_run, o1, o2, o3, o4, unsafe, "
                         "stabilize" % (optimizer,))
    more, less = _EXTRA.get(optimizer.lower(), ([], []))
    return optimizer, list(more), list(less), []


class Mode:
    """An optimizer (which rewrites run) and a linker (how the result is executed)."""

    def __init__(self, linker=None, optimizer="default", provided_optimizer=None):
        linker = config.linker if linker is None else linker
        optimizer = config.optimizer if optimizer == "default" else optimizer
        self.linker_name = _linker_name(linker)
        self.steps = getattr(predefined_linkers.get(linker, linker), "steps", None)  # what a linker does around each apply
        self._optimizer = optimizer
        self._name = None

    def __setstate__(self, state):
        self.__dict__.update(state)
        if "_optimizer" in state:  # a pickle of an older Croton
            self._level = self.__dict__.pop("_optimizer")

    _query = None  # what somebody was given to look at and to change

    @property
    def _optimizer(self):
        """Which rewrites run, as a Query."""
        if self._query is None:
            level = [] if self._level == "none" else [self._level]
            self._query = Query(level + self._including, self._requiring, self._excluding)
        return self._query

    @_optimizer.setter
    def _optimizer(self, optimizer):
        self._query = None
        self._level, self._including, self._excluding, self._requiring = _optimizer_name(optimizer)

    def _heed(self):
        """Takes over what became of the Query."""
        if self._query is not None:
            self._optimizer = self._query

    @property
    def provided_optimizer(self):
        self._heed()
        return None if self._level == "none" and not self._including else self._level

    provided_linker = property(lambda self: self.linker_name)
    optimizer = provided_optimizer
    linker = property(lambda self: self.linker_name)
    call_time = fn_time = 0

    _memory_budget = None  # what config.memory_budget says

    def within(self, memory_budget):
        """The same mode for functions that may take so much memory in a call: bytes, '200MB', 'order', 'least', 'none'."""
        result = self._copy()
        result._memory_budget = str(memory_budget)
        return result

    def _copy(self):
        self._heed()
        result = copy.copy(self)
        result._including, result._excluding, result._requiring = (list(self._including), list(self._excluding), list(self._requiring))
        return result

    def including(self, *tags):
        """The same mode with these rewrites (names or tags) too."""
        result, tags = self._copy(), checked_tags(tags)
        result._including += [tag for tag in tags if tag not in result._including]
        result._excluding = [tag for tag in result._excluding if tag not in tags]
        return result

    def excluding(self, *tags):
        """The same mode without these rewrites (names or tags)."""
        result, tags = self._copy(), checked_tags(tags)
        result._excluding += [tag for tag in tags if tag not in result._excluding]
        result._including = [tag for tag in result._including if tag not in tags]
        return result

    def requiring(self, *tags):
        """The same mode with only those rewrites that have all these tags."""
        result = self._copy()
        result._requiring += checked_tags(tags)
        return result

    def register(self, *optimizations):
        """The same mode with these (optimizer, position) too."""
        result = self._copy()
        result._including += [name_of_mode_rewrite(optimizer, position) for optimizer, position in optimizations]
        return result

    def clone(self, link_kwargs=None, optimizer="", **kwargs):
        result = self._copy()
        if optimizer != "":
            result._optimizer = optimizer
        return result

    def settings(self):
        """What the engine is told."""
        self._heed()
        including, excluding = list(self._including), list(self._excluding)
        including += [tag for tag in config.optimizer_including.split(":") if tag]
        excluding += [tag for tag in config.optimizer_excluding.split(":") if tag]
        requiring = self._requiring + [tag for tag in config.optimizer_requiring.split(":") if tag]
        for sentence in rewrite_names.unknown(including + excluding + requiring):
            warnings.warn(sentence, stacklevel=4)
        if requiring:
            excluding += rewrite_names.without_tags(requiring)
        cutoff = min(_CUTOFF.get(self._level.lower(), float("inf")), config.optdb.position_cutoff)
        if cutoff != float("inf"):
            excluding += rewrite_names.passes_behind(cutoff)
        if config.dnn.enabled == "False":
            excluding.append("cudnn")
        elif config.dnn.enabled == "True":
            problem = cudnn_problem(None)
            if problem:
                raise RuntimeError("dnn.enabled=True asks for cuDNN, and there is none: " + problem)
        if not config.tensor.local_elemwise_fusion:
            excluding.append("elemwise_fusion")
        allow_gc = config.allow_gc and not self.linker_name.endswith("_nogc")
        on_error = "raise" if config.on_opt_error == "pdb" else config.on_opt_error
        return Settings(name=self._name or type(self).__name__, level=_LEVELS[self._level.lower()], linker=self.linker_name,
                        including=including, excluding=excluding, allow_gc=allow_gc, on_rewrite_error=on_error,
                        memory_budget=config.memory_budget if self._memory_budget is None else self._memory_budget,
                        firings_a_node=config.optdb.max_use_ratio, debug=None)

    def __str__(self):
        return "%s(linker = %s, optimizer = %s)" % (self.__class__.__name__, self.linker_name, self.provided_optimizer or "none")

    __repr__ = __str__

    def __eq__(self, other):
        if type(self) is not type(other):
            return False
        self._heed()
        other._heed()
        return self.__dict__ == other.__dict__

    def __hash__(self):
        self._heed()
        return hash((type(self), self._level, self.linker_name))


def cudnn_problem(context_name):
    """Why cuDNN does not compute on the device of a context; nothing where it does."""
    device = device_of(context_name)
    if device == "cpu":
        return "functions run on the CPU: set the flag device=cuda before theano is imported"
    problem = _core.convolution_problem(device)
    if not problem and config.dnn.enabled == "False":
        return "the flag dnn.enabled=False leaves it out"
    return problem


def _named(name, optimizer, linker="cvm"):
    mode = Mode(linker, optimizer)
    mode._name = name
    return mode


FAST_COMPILE = _named("FAST_COMPILE", "fast_compile", "vm")
FAST_RUN = _named("FAST_RUN", "fast_run")
predefined_modes = {"FAST_COMPILE": FAST_COMPILE, "FAST_RUN": FAST_RUN}
made_by_name = {}  # modes that are made when their name is asked for, by the modules that define them
OPT_FAST_RUN, OPT_FAST_COMPILE, OPT_MERGE, OPT_STABILIZE, OPT_UNSAFE = (
    Query(include=[level]) for level in ("fast_run", "fast_compile", "merge", "stabilize", "unsafe"))
OPT_NONE = Query(include=[])
for _name in ("OPT_FAST_RUN", "OPT_FAST_COMPILE", "OPT_NONE", "OPT_MERGE", "OPT_STABILIZE", "OPT_UNSAFE"):
    globals()[_name].name = _name


def register_mode(name, mode):
    if name in predefined_modes:
        raise ValueError("Mode name already taken: %s" % name)
    predefined_modes[name] = mode


def register_linker(name, linker):
    """`name` is from now on another name of a linker."""
    if name in predefined_linkers:
        raise ValueError("Linker name already taken: %s" % name)
    _linker_name(linker)
    predefined_linkers[name] = linker


def register_optimizer(name, opt):
    """`name` is from now on another name of an optimizer: a level or a theano.gof.Query."""
    if name in predefined_optimizers:
        raise ValueError("Optimizer name already taken: %s" % name)
    _optimizer_name(opt)
    predefined_optimizers[name] = opt


def _near(name, names):
    import difflib
    near = difflib.get_close_matches(name.lower(), [known.lower() for known in names], 1, 0.6)
    return "; did you mean %s?" % next(known for known in names if known.lower() == near[0]) if near else ""


def get_mode(orig):
    """A mode by name or as it is; None is the flag mode."""
    name = config.mode if orig is None else orig
    if not isinstance(name, str):
        if isinstance(name, type) and issubclass(name, Mode):
            raise TypeError("a mode is a name or a theano.Mode, got the class: write %s()" % name.__name__)
        if not isinstance(name, Mode):
            raise TypeError("a mode is a name or a theano.Mode, got %r" % (name,))
        return name
    if name == "Mode":
        mode = Mode()
        mode._name = "FAST_RUN" if mode._level in ("o4", "fast_run") else None
        return mode
    if name in made_by_name:
        return made_by_name[name]()
    if name in predefined_modes:
        return predefined_modes[name]
    if name == "MonitorMode":
        raise ValueError("MonitorMode wants your functions: mode=theano.compile.MonitorMode(post_func=...) as an argument of function()")
    names = ["Mode"] + sorted(predefined_modes) + ["DebugMode", "NanGuardMode", "ProfileMode"]
    where = " (the flag mode%s)" % (", set in %s" % origin("mode") if origin("mode") != "script" else "") if orig is None else ""
    raise ValueError("there is no mode called %r%s; known are %s%s" % (name, where, ", ".join(names), _near(name, names)))


def get_default_mode():
    return get_mode(None)


default_mode = "Mode"
