"""The engine's rewrites as Theano's database of optimizers, and optimizers in Python as rewrites of the engine."""
import inspect

from croton import _core
from croton.compat import missing
from croton.compile import rewrite_names
from croton.compile.requests import Settings
from croton.configparser import config
from croton.gof.compare import equal_computations
from croton.gof.driven import DrivenGraph
from croton.gof.fg import FunctionGraph
from croton.gof.graph import Constant, SharedVariableBase
from croton.gof.opt import LocalOptimizer, Optimizer
from croton.gof.optdb import DB, Query, SequenceDB
from croton.gof.utils import is_own_file
from croton.printing import debugprint

_LEVELS = ("none", "merge", "fast_compile", "fast_run")


class EngineOptimizer(Optimizer):
    """Rewrites of the engine, chosen by a Query or by names; Mode(optimizer=…) takes it as well."""

    def __init__(self, query, only_pass=None):
        self.query, self.only_pass = query, only_pass

    def add_requirements(self, fgraph):
        pass

    def _settings(self):
        include = [tag for tag in self.query.include]
        level = next((tag for tag in include if tag in _LEVELS), "none")
        excluding = list(self.query.exclude)
        if self.query.require:
            excluding += rewrite_names.without_tags(self.query.require)
        if self.query.position_cutoff != float("inf"):
            excluding += rewrite_names.passes_behind(self.query.position_cutoff)
        if self.only_pass is not None:
            excluding += [name for name, _, _, _ in _core.passes() if name != self.only_pass]
        else:  # what comes once all else is done, for whom the result is the last form of a graph
            excluding.append("schedule")
        return Settings(name="optimizer", level=level, linker="py", including=[tag for tag in include if tag != level], excluding=excluding,
                        allow_gc=True, memory_budget="", on_rewrite_error=config.on_opt_error if config.on_opt_error != "pdb" else "raise",
                        firings_a_node=config.optdb.max_use_ratio, debug=None)

    def apply(self, fgraph):
        before = list(fgraph.outputs)
        after = _core.rewritten(fgraph.inputs, before, self._settings())
        pairs = {}
        for old, new in zip(before, after):
            if old is not new:
                pairs.setdefault(old, new)
        for old, new in pairs.items():
            fgraph.replace(old, new, reason=self.name or "the engine's rewrites")
        for optimizer, _ in sorted(self.query.extra_optimizations, key=lambda one: one[1]):
            optimizer.optimize(fgraph)

    def __str__(self):
        return "EngineOptimizer(%s)" % self.query


class EngineRewrite(LocalOptimizer, EngineOptimizer):
    """One rewrite of the engine, by its name: theano.tensor.opt.local_add_canonizer."""

    def __init__(self, name):
        EngineOptimizer.__init__(self, Query([name]))
        self.name = self.__name__ = name

    add_requirements = EngineOptimizer.add_requirements
    is_engine = True

    def transform(self, node):
        fresh = _graph_above(node)
        self.apply(fresh)
        result = list(fresh.outputs)
        fresh.disown()
        return False if equal_computations(result, node.outputs) else result

    def __str__(self):
        return self.name

    def __reduce__(self):
        return EngineRewrite, (self.name,)

    __repr__ = __str__


def engine_rewrite(module, name, called=None):
    """For a module's __getattr__: the rewrite that Theano has there under this name."""
    if rewrite_names.rewrite_called(called or name):
        return EngineRewrite(called or name)
    if rewrite_names.is_of_theano(name):
        return missing.stand_in("%s.%s" % (module.replace("theano", "croton", 1), name),
                                 "no rewrite of the engine has this name; mode.excluding(%r) is accepted" % name)
    raise AttributeError("module %r has no attribute %r" % (module, name))


def _graph_above(node):
    inputs = [leaf for leaf in _core.leaves(node.outputs, []) if not isinstance(leaf, (Constant, SharedVariableBase))]
    graph = FunctionGraph(inputs, node.outputs, clone=False)
    graph._load = lambda: None  # the nodes stay those of the graph they are in
    graph.replace = lambda old, new, reason=None: graph.outputs.__setitem__(graph.outputs.index(old), new)
    return graph


class EnginePass(DB):
    """A pass of the engine, such as canonicalize: its rewrites, and those that scripts register."""

    def __init__(self, name):
        super().__init__()
        self.name = name

    def register(self, name, obj, *tags, **kwargs):
        final, cleanup = kwargs.pop("final_opt", False), kwargs.pop("cleanup", False)
        super().register(name, obj, *tags, **kwargs)
        tags = sorted(self._tags[name] - {name})
        if isinstance(obj, LocalOptimizer) and not final and not cleanup and not isinstance(obj, EngineRewrite):
            place = place_of(obj)
            added = _core.add_local_rewrite(name, self.name, tags, why_of(obj), *place, obj.tracks(), lambda node: _replacements(obj, node))
        else:
            position = next(position for known, _, position, _ in _core.passes() if known == self.name)
            added = _add_whole(name, position, tags, obj)
        if not added:
            del self._by_name[name]
            raise ValueError("The name of the object cannot be an existing tag or the name of another existing object.", obj, name)

    def __getitem__(self, name):
        if name not in self._by_name and name in rewrite_names.known():
            return EngineRewrite(name)
        return super().__getitem__(name)

    def __contains__(self, name):
        return super().__contains__(name) or name in rewrite_names.known()

    def _query(self, query):
        return EngineOptimizer(query, only_pass=self.name)


class EngineSequence(SequenceDB):
    """theano.compile.optdb: the engine's passes in their order, and what scripts put between them."""

    def register(self, name, obj, position, *tags, **kwargs):
        if isinstance(obj, LocalOptimizer) and not isinstance(obj, Optimizer):
            raise TypeError("%s looks at one apply; wrap it for the whole graph: theano.gof.opt.out2in(%s)" % (obj, obj))
        if position == "last":
            position = max(place for _, _, place, _ in _core.passes())
        super().register(name, obj, position, *tags, **kwargs)
        if not _add_whole(name, float(position), sorted(self._tags[name] - {name}), obj):
            del self._by_name[name]
            raise ValueError("The name of the object cannot be an existing tag or the name of another existing object.", obj, name)

    def __getitem__(self, name):
        if name in self._by_name:
            return self._by_name[name]
        pass_ = _passes.get(name) or _pass_called(name)
        if pass_ is not None:
            return pass_
        if name in rewrite_names.known():
            return EngineRewrite(name)
        return super().__getitem__(name)

    def __contains__(self, name):
        return super().__contains__(name) or name in rewrite_names.known()

    def _query(self, query):
        return EngineOptimizer(query)


_passes = {}


def _pass_called(name):
    for known, phase, _, _ in _core.passes():
        if name in (known, phase):
            return _passes.setdefault(name, EnginePass(known))
    return None


optdb = EngineSequence()


def _add_whole(name, position, tags, obj):
    def run(handle):
        graph = DrivenGraph(handle)
        try:
            chosen = obj.query(_query_of(handle)) if isinstance(obj, DB) else obj
            chosen.optimize(graph)
        finally:
            graph.disown()
    return _core.add_rewrite(name, position, tags, why_of(obj), *place_of(obj), run)


def _query_of(handle):
    level, including, excluding = handle.tags()
    return Query([_LEVELS[level]] + including, exclude=excluding)


def _replacements(opt, node):
    """[(output, what replaces it)] as the engine wants it, or None."""
    found = opt.transform(node)
    if found is False or found is None:
        return None
    if isinstance(found, dict):
        pairs = [(old, new) for old, new in found.items() if old != "remove"]
    else:
        found = found if isinstance(found, (list, tuple)) else [found]
        if len(found) != len(node.outputs):
            raise ValueError("Optimizer %s gave wrong number of replacements: %d for %d outputs" % (opt, len(found), len(node.outputs)))
        pairs = [(old, new) for old, new in zip(node.outputs, found) if new is not None]
    pairs = [(old, DrivenGraph.fitting(old, new, opt)) for old, new in pairs if old is not new]
    return pairs or None


def place_of(obj):
    """The file and line of an optimizer's code; of one that has none of its own, where it is made known."""
    if hasattr(obj, "local_opt") and obj.local_opt is not None:
        return place_of(obj.local_opt)
    for code in (getattr(obj, "transform", None), getattr(obj, "fn", None), type(obj)):
        try:
            code = inspect.unwrap(code) if code is not None else None
            file = inspect.getsourcefile(code) if code is not None else None
            if file and not is_own_file(file):
                return file, inspect.getsourcelines(code)[1]
        except (TypeError, OSError):
            continue
    lines = _core.trace_lines(_core.capture_trace())
    return (lines[0][0], lines[0][1]) if lines else ("", 0)


def why_of(obj):
    text = obj.__doc__ if type(obj).__module__.startswith(("croton.", "theano.")) and "__doc__" in obj.__dict__ else type(obj).__doc__
    if type(obj).__module__.startswith(("croton.", "theano.")) and "__doc__" not in obj.__dict__:
        text = None
    return (text or "").strip().split("\n")[0] or "registered by the script"


_of_modes = {}  # (optimizer, position) → the name under which only modes that name it run it


def name_of_mode_rewrite(optimizer, position):
    key = id(optimizer), position
    if key not in _of_modes:
        label = getattr(optimizer, "name", None) or getattr(optimizer, "__name__", None) or type(optimizer).__name__
        name, number = label, 1
        while not _add_whole(name, float(position), [], optimizer):
            number += 1
            name = "%s_%d" % (label, number)
        _of_modes[key] = name, optimizer
    return _of_modes[key][0]


def _registrar(pass_name, tags=()):
    def register(lopt, *more, **kwargs):
        if isinstance(lopt, str):
            return lambda inner: register(inner, lopt, *more, **kwargs)
        name = kwargs.pop("name", None) or lopt.__name__
        optdb[pass_name].register(name, lopt, "fast_run", *(tags + more), **kwargs)
        return lopt
    register.__name__ = "register_" + pass_name
    register.__doc__ = "Registers a local optimizer in the pass %s; also a decorator, with tags or without." % pass_name
    return register


REGISTRARS = {"register_" + name: _registrar(name, tags) for name, tags in (
    ("useless", ()), ("canonicalize", ()), ("stabilize", ()), ("specialize", ()), ("uncanonicalize", ()), ("specialize_device", ()))}


class AddFeatureOptimizer(Optimizer):
    """Attaches a feature."""

    def __init__(self, feature):
        self.feature = feature

    def add_requirements(self, fgraph):
        fgraph.attach_feature(self.feature)

    def apply(self, fgraph):
        pass


class PrintCurrentFunctionGraph(Optimizer):
    """Prints the graph as it is there."""

    def __init__(self, header):
        self.header = header

    def apply(self, fgraph):
        print("PrintCurrentFunctionGraph:", self.header)
        debugprint(list(fgraph.outputs))

