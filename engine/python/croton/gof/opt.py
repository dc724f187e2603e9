"""Optimizers: what changes graphs. Those written in Python run by hand on a FunctionGraph, and in compiles once they are registered."""
import inspect
import logging
import sys
import traceback

from croton.configparser import config
from croton.gof.destroyhandler import DestroyHandler
from croton.gof.errors import InconsistencyError
from croton.gof.graph import Variable, io_toposort
from croton.gof.op import Op
from croton.gof.toolbox import Feature, NodeFinder, ReplaceValidate

_logger = logging.getLogger("theano.gof.opt")


class Optimizer:
    """Works on a whole graph: apply(fgraph) changes it."""
    name = None

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def apply(self, fgraph):
        """Changes the graph; fgraph.replace_validate and the like are there if add_requirements asked for them."""
        raise NotImplementedError("%s has to define apply(fgraph)" % type(self).__name__)

    def add_requirements(self, fgraph):
        """Attaches the features that apply() needs."""

    def optimize(self, fgraph, *args, **kwargs):
        self.add_requirements(fgraph)
        return self.apply(fgraph, *args, **kwargs)

    def __call__(self, fgraph):
        return self.optimize(fgraph)

    def add_requirements_of(self, fgraph, others):
        for other in others:
            other.add_requirements(fgraph)

    def print_summary(self, stream=sys.stdout, level=0, depth=-1):
        print("%s%s %s id=%s" % (" " * level, type(self).__name__, getattr(self, "name", None), id(self)), file=stream)

    @staticmethod
    def print_profile(stream, prof, level=0):
        if prof is not None:
            raise NotImplementedError("croton report prints what the rewrites of a compile took")


class FromFunctionOptimizer(Optimizer):
    def __init__(self, fn, requirements=()):
        self.fn, self.requirements = fn, requirements

    def apply(self, *args, **kwargs):
        return self.fn(*args, **kwargs)

    def add_requirements(self, fgraph):
        for requirement in self.requirements:
            requirement(fgraph)

    def __str__(self):
        return getattr(self, "__name__", "<FromFunctionOptimizer instance>")


def optimizer(f):
    """Decorator: a function of a graph as an Optimizer that may call fgraph.replace_validate."""
    made = FromFunctionOptimizer(f, (lambda fgraph: fgraph.attach_feature(ReplaceValidate()),))
    made.__name__ = f.__name__
    return made


def inplace_optimizer(f):
    """Decorator: like optimizer, for one that makes ops work in place."""
    made = FromFunctionOptimizer(f, (lambda fgraph: fgraph.attach_feature(ReplaceValidate()),
                                     lambda fgraph: fgraph.attach_feature(DestroyHandler())))
    made.__name__ = f.__name__
    return made


class SeqOptimizer(Optimizer, list):
    """Several optimizers, one after the other."""

    def __init__(self, *opts, **kwargs):
        if len(opts) == 1 and isinstance(opts[0], (list, tuple)):
            opts = opts[0]
        list.__init__(self, opts)
        self.failure_callback = kwargs.pop("failure_callback", None)

    __hash__ = Optimizer.__hash__
    __eq__ = Optimizer.__eq__

    @staticmethod
    def warn(exc, self, optimizer):
        """A failure_callback that logs what went wrong."""
        _logger.error("SeqOptimizer apply %s", optimizer)
        _logger.error("Traceback:")
        _logger.error(traceback.format_exc())
        if config.on_opt_error == "raise":
            raise exc

    def apply(self, fgraph):
        for one in self:
            try:
                one.optimize(fgraph)
            except AssertionError:
                raise
            except Exception as error:
                if self.failure_callback is None:
                    raise
                self.failure_callback(error, self, one)

    def add_requirements(self, fgraph):
        for one in self:
            one.add_requirements(fgraph)

    def __str__(self):
        return "SeqOpt(%s)" % list.__str__(self)

    __repr__ = list.__repr__

    def print_summary(self, stream=sys.stdout, level=0, depth=-1):
        super().print_summary(stream, level, depth)
        if depth != 0:
            for one in self:
                one.print_summary(stream, level=level + 2, depth=depth - 1)


class LocalOptimizer:
    """Looks at one apply: transform(node) gives what replaces its outputs, or False."""
    name = None

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def tracks(self):
        """The ops and classes of ops it looks at; None for all."""
        return None

    def transform(self, node, *args, **kwargs):
        raise NotImplementedError("%s has to define transform(node)" % type(self).__name__)

    def add_requirements(self, fgraph):
        """Attaches the features that transform() needs."""

    def print_summary(self, stream=sys.stdout, level=0, depth=-1):
        print("%s%s id=%s" % (" " * level, type(self).__name__, id(self)), file=stream)


class FromFunctionLocalOptimizer(LocalOptimizer):
    def __init__(self, fn, tracks=None, requirements=()):
        self.transform, self._tracks, self.requirements = fn, tracks, requirements

    def tracks(self):
        return self._tracks

    def add_requirements(self, fgraph):
        for requirement in self.requirements:
            requirement(fgraph)

    def __str__(self):
        return getattr(self, "__name__", "<FromFunctionLocalOptimizer instance>")

    __repr__ = __str__

    def print_summary(self, stream=sys.stdout, level=0, depth=-1):
        print("%s%s id=%s" % (" " * level, self, id(self)), file=stream)


def local_optimizer(tracks, inplace=False, requirements=()):
    """Decorator: a function of an apply as a LocalOptimizer. `tracks`: the ops and classes of ops it looks at, None for all."""
    def decorate(f):
        wanted = tracks
        if wanted is not None:
            wanted = list(wanted)
            if not wanted:
                raise ValueError("Use None instead of an empty list to apply to all nodes.", f.__module__, f.__name__)
            for one in wanted:
                if not (isinstance(one, Op) or inspect.isclass(one) and issubclass(one, Op)):
                    raise ValueError("Tracks are op classes or instances", f.__module__, f.__name__)
        needs = tuple(requirements)
        if inplace:
            needs += (lambda fgraph: fgraph.attach_feature(DestroyHandler()),)
        made = FromFunctionLocalOptimizer(f, wanted, needs)
        made.__name__, made.__doc__ = f.__name__, f.__doc__
        return made
    return decorate


class LocalOptGroup(LocalOptimizer):
    """Several local optimizers: the first that replaces something wins, and they look at what it made."""

    def __init__(self, *optimizers, **kwargs):
        if len(optimizers) == 1 and isinstance(optimizers[0], (list, tuple)):
            optimizers = tuple(optimizers[0])
        self.opts, self.optimizers = optimizers, list(optimizers)
        self.apply_all_opts = kwargs.pop("apply_all_opts", False)
        self.profile = kwargs.pop("profile", False)

    def __str__(self):
        return getattr(self, "__name__", "LocalOptGroup(%s)" % ",".join(str(one) for one in self.opts))

    def tracks(self):
        all_ = [one.tracks() for one in self.opts]
        return None if any(one is None for one in all_) else [op for one in all_ for op in one]

    def transform(self, node):
        result = None
        for one in self.opts:
            if not _looks_at(one, node.op):
                continue
            replaced = one.transform(node)
            if not replaced:
                continue
            result = _as_list(replaced)
            if not self.apply_all_opts or result[0].owner is None:
                return result
            if any(old is new for old, new in zip(node.outputs, result)):
                continue
            node = result[0].owner
        return result or False

    def add_requirements(self, fgraph):
        for one in self.opts:
            one.add_requirements(fgraph)


def _as_list(replaced):
    return [replaced] if isinstance(replaced, Variable) else replaced


def _looks_at(opt, op):
    tracks = opt.tracks()
    return tracks is None or any(isinstance(op, one) if inspect.isclass(one) else op == one for one in tracks)


class NavigatorOptimizer(Optimizer):
    """Shows applies of a graph to a local optimizer."""

    @staticmethod
    def warn(exc, nav, repl_pairs, local_opt, node):
        """A failure_callback that logs what went wrong."""
        if config.on_opt_error == "ignore":
            return
        _logger.error("Optimization failure due to: %s", local_opt)
        _logger.error("node: %s", node)
        _logger.error("TRACEBACK:")
        _logger.error(traceback.format_exc())
        if config.on_opt_error == "pdb":
            import pdb
            pdb.post_mortem(sys.exc_info()[2])
        elif isinstance(exc, AssertionError) or config.on_opt_error == "raise":
            raise exc

    @staticmethod
    def warn_inplace(exc, nav, repl_pairs, local_opt, node):
        if not isinstance(exc, InconsistencyError):
            NavigatorOptimizer.warn(exc, nav, repl_pairs, local_opt, node)

    @staticmethod
    def warn_ignore(exc, nav, repl_pairs, local_opt, node):
        pass

    def __init__(self, local_opt, ignore_newtrees="auto", failure_callback=None):
        self.local_opt, self.failure_callback = local_opt, failure_callback
        self.ignore_newtrees = not getattr(local_opt, "reentrant", True) if ignore_newtrees == "auto" else ignore_newtrees

    def process_node(self, fgraph, node, lopt=None):
        """True if the optimizer replaced something."""
        lopt = lopt or self.local_opt
        try:
            replacements = lopt.transform(node)
        except Exception as error:
            if self.failure_callback is None:
                raise
            self.failure_callback(error, self, [(variable, None) for variable in node.outputs], lopt, node)
            return False
        remove = []
        if isinstance(replacements, dict):
            replacements = dict(replacements)
            remove = list(replacements.pop("remove", ()))
            pairs = list(replacements.items())
        elif replacements is False or replacements is None:
            return False
        else:
            replacements = _as_list(replacements)
            if not isinstance(replacements, (tuple, list)):
                raise TypeError("Optimizer %s gave wrong type of replacement. Expected list or tuple. Got %s" % (lopt, replacements))
            if len(node.outputs) != len(replacements):
                raise ValueError("Optimizer %s gave wrong number of replacements" % lopt)
            pairs = [(old, new) for old, new in zip(node.outputs, replacements) if new is not None]
        pairs = [(old, new) for old, new in pairs if old is not new]
        if not pairs:
            return False
        try:
            fgraph.replace_all_validate_remove(pairs, remove, reason=lopt)
            return True
        except Exception as error:
            if self.failure_callback is None:
                raise
            self.failure_callback(error, self, pairs, lopt, node)
            return False

    def add_requirements(self, fgraph):
        fgraph.attach_feature(ReplaceValidate())
        if hasattr(self.local_opt, "add_requirements"):
            self.local_opt.add_requirements(fgraph)

    def print_summary(self, stream=sys.stdout, level=0, depth=-1):
        print("%s%s (%i)" % (" " * level, type(self).__name__, id(self)), file=stream)
        if depth != 0:
            self.local_opt.print_summary(stream, level=level + 2, depth=depth - 1)


class _Arrivals(Feature):
    """Collects the applies that come into a graph."""

    def __init__(self):
        self.nodes, self.changed = [], []

    def on_import(self, fgraph, node, reason):
        self.nodes.append(node)

    def on_change_input(self, fgraph, node, i, r, new_r, reason=None):
        if node != "output":
            self.changed.append(node)

    def take(self):
        nodes, self.nodes, self.changed = self.nodes + self.changed, [], []
        return nodes


class TopoOptimizer(NavigatorOptimizer):
    """Shows all applies to the local optimizer, in the order from the outputs to the inputs or the other way; then those it made."""

    def __init__(self, local_opt, order="in_to_out", ignore_newtrees=False, failure_callback=None):
        if order not in ("out_to_in", "in_to_out"):
            raise ValueError("order must be 'out_to_in' or 'in_to_out'")
        self.order = order
        super().__init__(local_opt, ignore_newtrees, failure_callback)

    def apply(self, fgraph, start_from=None):
        queue = io_toposort(fgraph.inputs, fgraph.outputs if start_from is None else start_from)
        if self.order == "in_to_out":
            queue = list(reversed(queue))  # the last is taken first
        arrivals = _Arrivals()
        fgraph.attach_feature(arrivals)
        try:
            while queue:
                node = queue.pop()
                if fgraph.has_node(node) and _looks_at(self.local_opt, node.op):
                    self.process_node(fgraph, node)
                new = arrivals.take()
                if not self.ignore_newtrees:
                    queue.extend(one for one in new if one is not node)
        finally:
            fgraph.remove_feature(arrivals)

    def __str__(self):
        return getattr(self, "__name__", "<TopoOptimizer instance>")


def _topo(order, local_opts, kwargs):
    local_opts = [one for given in local_opts for one in (given if isinstance(given, (list, tuple)) else [given])]
    if len(local_opts) > 1:
        local_opts = [LocalOptGroup(*local_opts)]
    (local_opt,) = local_opts
    label = kwargs.pop("name", None) or str(local_opt)
    made = TopoOptimizer(local_opt, order=order, failure_callback=TopoOptimizer.warn_inplace, **kwargs)
    made.__name__ = made.name = label
    return made


def out2in(*local_opts, **kwargs):
    """A TopoOptimizer of local optimizers, from the outputs to the inputs."""
    return _topo("out_to_in", local_opts, dict(kwargs))


def in2out(*local_opts, **kwargs):
    """A TopoOptimizer of local optimizers, from the inputs to the outputs."""
    return _topo("in_to_out", local_opts, dict(kwargs))


class OpKeyOptimizer(NavigatorOptimizer):
    """Shows the applies of one op to a local optimizer that has op_key()."""

    def __init__(self, local_opt, ignore_newtrees=False, failure_callback=None):
        if not hasattr(local_opt, "op_key"):
            raise TypeError("LocalOptimizer for OpKeyOptimizer must have an 'op_key' method.")
        super().__init__(local_opt, ignore_newtrees, failure_callback)

    def apply(self, fgraph):
        keys = self.local_opt.op_key()
        queue = [node for op in (keys if isinstance(keys, (list, tuple)) else [keys]) for node in fgraph.get_nodes(op)]
        arrivals = _Arrivals()
        fgraph.attach_feature(arrivals)
        try:
            while queue:
                node = queue.pop()
                if fgraph.has_node(node):
                    self.process_node(fgraph, node)
                new = arrivals.take()
                if not self.ignore_newtrees:
                    queue.extend(one for one in new if one is not node and _looks_at(self.local_opt, one.op))
        finally:
            fgraph.remove_feature(arrivals)

    def add_requirements(self, fgraph):
        super().add_requirements(fgraph)
        fgraph.attach_feature(NodeFinder())


class ChangeTracker(Feature):
    """Says whether something changed."""

    def __init__(self):
        self.changed = self.nb_imported = False

    def on_import(self, fgraph, node, reason):
        self.nb_imported += 1
        self.changed = True

    def on_change_input(self, fgraph, node, i, r, new_r, reason=None):
        self.changed = True

    def reset(self):
        self.changed = False

    def on_attach(self, fgraph):
        fgraph.change_tracker = self

    def on_detach(self, fgraph):
        del fgraph.change_tracker


class EquilibriumOptimizer(NavigatorOptimizer):
    """Runs optimizers until none of them changes anything."""

    def __init__(self, optimizers, failure_callback=None, ignore_newtrees=True, tracks_on_change_inputs=False, max_use_ratio=None,
                 final_optimizers=None, cleanup_optimizers=None):
        super().__init__(None, ignore_newtrees, failure_callback)
        self.max_use_ratio = config.optdb.max_use_ratio if max_use_ratio is None else max_use_ratio
        self.optimizers = list(optimizers)
        self.local_optimizers = [one for one in self.optimizers if isinstance(one, LocalOptimizer)]
        self.global_optimizers = [one for one in self.optimizers if not isinstance(one, LocalOptimizer)]
        self.final_optimizers, self.cleanup_optimizers = list(final_optimizers or []), list(cleanup_optimizers or [])
        self.tracks_on_change_inputs = tracks_on_change_inputs

    def get_local_optimizers(self):
        return list(self.local_optimizers)

    def add_requirements(self, fgraph):
        fgraph.attach_feature(ReplaceValidate())
        for one in self.optimizers + self.final_optimizers + self.cleanup_optimizers:
            one.add_requirements(fgraph)

    def apply(self, fgraph, start_from=None):
        tracker = ChangeTracker()
        fgraph.attach_feature(tracker)
        uses, stopped = {}, set()
        most = self.max_use_ratio * max(len(fgraph.apply_nodes), 1)
        arrivals = _Arrivals()
        fgraph.attach_feature(arrivals)

        def used(one):
            uses[one] = uses.get(one, 0) + 1
            if uses[one] > most:
                stopped.add(one)

        def run_all(several):
            for one in several:
                if one in stopped:
                    continue
                tracker.reset()
                one.apply(fgraph)
                if tracker.changed:
                    used(one)
                    changes.append(one)

        try:
            changes = [None]
            while changes and not stopped:
                changes = []
                run_all(self.global_optimizers)
                run_all(self.cleanup_optimizers)
                arrivals.take()
                queue = io_toposort(fgraph.inputs, fgraph.outputs if start_from is None else start_from)
                while queue:
                    node = queue.pop()
                    for one in self.local_optimizers:
                        if one in stopped or not fgraph.has_node(node):
                            continue
                        if _looks_at(one, node.op) and self.process_node(fgraph, node, one):
                            used(one)
                            changes.append(one)
                            break
                    new = arrivals.take()
                    if not self.ignore_newtrees:
                        queue.extend(new)
                run_all(self.final_optimizers)
                run_all(self.cleanup_optimizers)
        finally:
            fgraph.remove_feature(tracker)
            fgraph.remove_feature(arrivals)
        if stopped:
            sentence = ("EquilibriumOptimizer max'ed out by '%s'. You can safely raise the current threshold of %f with the theano flag "
                        "'optdb.max_use_ratio'." % (", ".join(str(one) for one in stopped), self.max_use_ratio))
            if config.on_opt_error == "raise":
                raise AssertionError(sentence)
            _logger.error(sentence)

    def print_summary(self, stream=sys.stdout, level=0, depth=-1):
        print("%s%s %s id=%s" % (" " * level, type(self).__name__, getattr(self, "name", None), id(self)), file=stream)
        if depth != 0:
            for one in self.local_optimizers:
                one.print_summary(stream, level=level + 2, depth=depth - 1)


def copy_stack_trace(from_var, to_var):
    """The lines behind from_var (a variable or a list) are behind to_var as well."""
    tr = []
    for variable in from_var if isinstance(from_var, (list, tuple)) else [from_var]:
        trace = getattr(variable.tag, "trace", [])
        tr += trace if not trace or isinstance(trace[0], (list, tuple)) else [trace]
    if tr and not isinstance(tr[0], (list, tuple)):
        tr = [tr]
    for variable in to_var if isinstance(to_var, (list, tuple)) else [to_var]:
        variable.tag.trace = list(getattr(variable.tag, "trace", [])) + tr
    return to_var
