"""May what ops overwrite be overwritten?"""
from croton import _core
from croton.gof.errors import InconsistencyError
from croton.gof.fg import ordered
from croton.gof.graph import Constant
from croton.gof.toolbox import AlreadyThere, Feature


def _map_of(op, which):
    if _core.is_engine_op(op):
        pairs = _core.op_destroy_map(op) if which == "destroy_map" else _core.op_view_map(op)
        result = {}
        for output, input_ in pairs:
            result.setdefault(output, []).append(input_)
        return result
    return getattr(op, which, None) or {}


class DestroyHandler(Feature):
    """Refuses graphs in which a value is overwritten twice, is a constant or protected, or is still to be read when it is overwritten;
    readers of what an apply overwrites run before it."""

    def __init__(self, do_imports_on_attach=True, algo=None):
        self.fgraph = None

    def on_attach(self, fgraph):
        if any(isinstance(one, DestroyHandler) for one in fgraph._features):
            raise AlreadyThere("DestroyHandler feature is already present or in conflict with another plugin.")
        self.fgraph = fgraph
        fgraph.destroyers = self.destroyers
        fgraph.has_destroyers = lambda variables: any(self.destroyers(variable) for variable in variables)
        fgraph.destroy_handler = self

    def on_detach(self, fgraph):
        self.fgraph = None
        del fgraph.destroyers, fgraph.has_destroyers, fgraph.destroy_handler

    def _overwritten(self, fgraph):
        """[(apply, memory that it overwrites, input through which)]"""
        found = []
        for apply in _core.toposort(fgraph.outputs, fgraph.inputs):
            for inputs in _map_of(apply.op, "destroy_map").values():
                found.extend((apply, self._memory(apply.inputs[which]), apply.inputs[which]) for which in inputs)
        return found

    @staticmethod
    def _memory(variable):
        """The variable whose value lies there: what was overwritten before counts as new."""
        while variable.owner is not None:
            shown = _map_of(variable.owner.op, "view_map").get(variable.index)
            if not shown:
                break
            variable = variable.owner.inputs[shown[0]]
        return variable

    def destroyers(self, variable):
        root = self._memory(variable)
        return [apply for apply, memory, _ in self._overwritten(self.fgraph) if memory is root]

    def validate(self, fgraph):
        seen = {}
        for apply, memory, _ in self._overwritten(fgraph):
            if memory in seen:
                raise InconsistencyError("Multiple destroyers of %s: %s and %s" % (memory, seen[memory], apply))
            seen[memory] = apply
            if isinstance(memory, Constant):
                raise InconsistencyError("Attempting to destroy indestructible variables: %s" % [memory])
            for feature in fgraph._features:
                if memory in getattr(feature, "protected", ()):
                    raise InconsistencyError("Trying to destroy a protected Variable.", memory)
        before = self.orderings(fgraph)
        if before:
            ordered(_core.toposort(fgraph.outputs, fgraph.inputs), before)

    def orderings(self, fgraph):
        overwritten = self._overwritten(fgraph)
        if not overwritten:
            return {}
        readers = {}
        for apply in _core.toposort(fgraph.outputs, fgraph.inputs):
            for variable in set(map(self._memory, apply.inputs)):
                readers.setdefault(variable, []).append(apply)
        return {apply: [one for one in readers.get(memory, ()) if one is not apply] for apply, memory, _ in overwritten}
