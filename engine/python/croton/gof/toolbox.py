"""Features of graphs: what listens to changes, undoes them, checks them, finds nodes."""
import inspect
import sys
import time

from croton.gof.errors import InconsistencyError


class AlreadyThere(Exception):
    """Raised by on_attach of a feature that the graph has already."""


class ReplacementDidntRemovedError(Exception):
    """What replace_all_validate_remove was to remove is still there; the change was undone."""


ReplacementDidNotRemoveError = ReplacementDidntRemovedError  # as Theano-PyMC calls it


class BadOptimization(Exception):
    """A rewrite changed a value."""


class Feature:
    """Hears of the changes of a graph. Derive from it what you need of these."""

    def on_attach(self, fgraph):
        pass

    def on_detach(self, fgraph):
        pass

    def on_import(self, fgraph, node, reason):
        pass

    def on_prune(self, fgraph, node, reason):
        pass

    def on_change_input(self, fgraph, node, i, r, new_r, reason=None):
        pass

    def orderings(self, fgraph):
        return {}


class Bookkeeper(Feature):
    """A feature that takes what is there when it comes for imported, and for pruned when it goes."""

    def on_attach(self, fgraph):
        for node in fgraph.toposort():
            self.on_import(fgraph, node, "on_attach")

    def on_detach(self, fgraph):
        for node in fgraph.toposort():
            self.on_prune(fgraph, node, "Bookkeeper.detach")


class GetCheckpoint:
    def __init__(self, history, fgraph):
        self.history, self.fgraph, self.nb = history, fgraph, 0

    def __call__(self):
        self.history.history[self.fgraph] = []
        self.nb += 1
        return self.nb


class LambdExtract:
    def __init__(self, fgraph, node, i, r, reason=None):
        self.fgraph, self.node, self.i, self.r, self.reason = fgraph, node, i, r, reason

    def __call__(self):
        return self.fgraph.change_input(self.node, self.i, self.r, reason=("Revert", self.reason))


class History(Feature):
    """Gives the graph checkpoint() and revert(checkpoint)."""

    def __init__(self):
        self.history = {}

    def on_attach(self, fgraph):
        if hasattr(fgraph, "checkpoint") or hasattr(fgraph, "revert"):
            raise AlreadyThere("History feature is already present or in conflict with another plugin.")
        self.history[fgraph] = []
        fgraph.checkpoint = GetCheckpoint(self, fgraph)
        fgraph.revert = lambda checkpoint: self.revert(fgraph, checkpoint)

    def on_detach(self, fgraph):
        del fgraph.checkpoint, fgraph.revert, self.history[fgraph]

    def on_change_input(self, fgraph, node, i, r, new_r, reason=None):
        if self.history[fgraph] is not None:
            self.history[fgraph].append(LambdExtract(fgraph, node, i, r, reason))

    def revert(self, fgraph, checkpoint):
        """Undoes what was done since the checkpoint, which has to be the last one."""
        changes, self.history[fgraph] = self.history[fgraph], None
        assert fgraph.checkpoint.nb == checkpoint
        while changes:
            changes.pop()()
        self.history[fgraph] = changes


class Validator(Feature):
    """Gives the graph validate(), which asks all features, and consistent()."""

    def on_attach(self, fgraph):
        for name in ("validate", "validate_time"):
            if hasattr(fgraph, name):
                raise AlreadyThere("Validator feature is already present or in conflict with another plugin.")
        fgraph.validate = lambda: self.validate_(fgraph)
        fgraph.consistent = lambda: self.consistent_(fgraph)
        fgraph.validate_time = 0

    def on_detach(self, fgraph):
        del fgraph.validate, fgraph.consistent, fgraph.validate_time

    def validate_(self, fgraph):
        start = time.time()
        try:
            return fgraph.execute_callbacks("validate")
        finally:
            fgraph.validate_time += time.time() - start

    def consistent_(self, fgraph):
        try:
            fgraph.validate()
            return True
        except Exception:
            return False


class ReplaceValidate(History, Validator):
    """Gives the graph replace_validate, replace_all_validate and replace_all_validate_remove: what is not valid is undone."""

    def on_attach(self, fgraph):
        for name in ("replace_validate", "replace_all_validate", "replace_all_validate_remove"):
            if hasattr(fgraph, name):
                raise AlreadyThere("ReplaceValidate feature is already present or in conflict with another plugin.")
        for base in (History, Validator):
            try:
                base.on_attach(self, fgraph)
            except AlreadyThere:
                pass
        fgraph.replace_validate = lambda r, new_r, reason=None: self.replace_validate(fgraph, r, new_r, reason)
        fgraph.replace_all_validate = lambda pairs, reason=None, verbose=None: self.replace_all_validate(fgraph, pairs, reason, verbose)
        fgraph.replace_all_validate_remove = (lambda pairs, remove, reason=None, warn=True:
                                              self.replace_all_validate_remove(fgraph, pairs, remove, reason, warn))
        self._nodes_removed = set()
        self.fail_validate = False

    def on_detach(self, fgraph):
        History.on_detach(self, fgraph)
        Validator.on_detach(self, fgraph)
        del fgraph.replace_validate, fgraph.replace_all_validate, fgraph.replace_all_validate_remove

    def replace_validate(self, fgraph, r, new_r, reason=None):
        self.replace_all_validate(fgraph, [(r, new_r)], reason=reason)

    def replace_all_validate(self, fgraph, replacements, reason=None, verbose=None):
        replacements = list(replacements)
        checkpoint = fgraph.checkpoint()
        try:
            for r, new_r in replacements:
                fgraph.replace(r, new_r, reason=reason)
            fgraph.validate()
        except Exception:
            fgraph.revert(checkpoint)
            raise
        if verbose:
            print(reason, ", ".join(str(r) for r, _ in replacements), ", ".join(str(new_r) for _, new_r in replacements))
        return checkpoint

    def replace_all_validate_remove(self, fgraph, replacements, remove, reason=None, warn=True):
        checkpoint = self.replace_all_validate(fgraph, replacements, reason)
        for node in remove:
            if node in fgraph.apply_nodes:
                fgraph.revert(checkpoint)
                if warn:
                    sys.stderr.write("WARNING: An optimization wanted to replace a Variable in the graph, but the replacement for it doesn't "
                                     "remove it. We disabled the optimization (%s): %s\n" % (reason, replacements))
                raise ReplacementDidntRemovedError()

    def __getstate__(self):
        return {}



class NodeFinder(Bookkeeper):
    """Gives the graph get_nodes(op)."""

    def __init__(self):
        self.fgraph, self.d = None, {}

    def on_attach(self, fgraph):
        if self.fgraph is not None:
            raise Exception("A NodeFinder instance can only serve one FunctionGraph.")
        if hasattr(fgraph, "get_nodes"):
            raise AlreadyThere("NodeFinder is already present or in conflict with another plugin.")
        self.fgraph = fgraph
        fgraph.get_nodes = lambda op: self.query(fgraph, op)
        Bookkeeper.on_attach(self, fgraph)

    def on_detach(self, fgraph):
        if self.fgraph is not fgraph:
            raise Exception("This NodeFinder instance was not attached to the provided fgraph.")
        self.fgraph = None
        del fgraph.get_nodes
        Bookkeeper.on_detach(self, fgraph)

    def on_import(self, fgraph, node, reason):
        self.d.setdefault(node.op, []).append(node)

    def on_prune(self, fgraph, node, reason):
        nodes = self.d.get(node.op, [])
        if node in nodes:
            nodes.remove(node)
        if not nodes:
            self.d.pop(node.op, None)

    def query(self, fgraph, op):
        return list(self.d.get(op, []))


class PrintListener(Feature):
    """Prints every change."""

    def __init__(self, active=True):
        self.active = active

    def _say(self, *what):
        if self.active:
            print(*what)

    def on_attach(self, fgraph):
        self._say("-- attaching to: ", fgraph)

    def on_detach(self, fgraph):
        self._say("-- detaching from: ", fgraph)

    def on_import(self, fgraph, node, reason):
        self._say("-- importing: %s, reason: %s" % (node, reason))

    def on_prune(self, fgraph, node, reason):
        self._say("-- pruning: %s, reason: %s" % (node, reason))

    def on_change_input(self, fgraph, node, i, r, new_r, reason=None):
        self._say("-- changing (%s.inputs[%s]) from %s to %s" % (node, i, r, new_r))


class PreserveNames(Feature):
    """What replaces a variable with a name takes the name over."""

    def on_change_input(self, fgraph, node, i, r, new_r, reason=None):
        if r.name is not None and new_r.name is None:
            new_r.name = r.name


class PreserveVariableAttributes(Feature):
    """Name and nan_guard_mode_check go over to what replaces a variable."""

    def on_change_input(self, fgraph, node, i, r, new_r, reason=None):
        if r.name is not None and new_r.name is None:
            new_r.name = r.name
        if getattr(r.tag, "nan_guard_mode_check", False) and not hasattr(new_r.tag, "nan_guard_mode_check"):
            new_r.tag.nan_guard_mode_check = r.tag.nan_guard_mode_check


class NoOutputFromInplace(Feature):
    """Refuses graphs of which one of the first outputs is computed in place."""

    def __init__(self, first_output_idx=0, last_output_idx=None):
        self.first_idx, self.last_idx = first_output_idx, last_output_idx

    def validate(self, fgraph):
        for output in fgraph.outputs[self.first_idx:self.last_idx]:
            if output.owner is not None and output.index in (getattr(output.owner.op, "destroy_map", None) or {}):
                raise InconsistencyError("A function graph Feature has requested that outputs of the graph be prevented from being the "
                                         "result of in-place operations. This has prevented the output %s from being computed by the "
                                         "modification of another variable in-place." % output)


__all__ = [name for name, value in list(globals().items()) if inspect.isclass(value) and value.__module__ == __name__]
