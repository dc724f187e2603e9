"""The graph of a function, or one made of expressions, as scripts look at it."""
from croton import _core
from croton.gof.errors import MissingInputError
from croton.gof.graph import Constant, SharedVariableBase


class CachedConstantError(Exception):
    pass


class FunctionGraph:
    """Inputs, outputs and applies in the order in which they run. To change a graph, build another."""

    def __init__(self, inputs, outputs, features=None, clone=True, update_mapping=None, _order=None):
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.update_mapping = dict(update_mapping or {})
        if _order is None:
            known = set(self.inputs)
            for leaf in _core.leaves(self.outputs, self.inputs):
                if leaf in known or isinstance(leaf, (Constant, SharedVariableBase)):
                    continue
                raise MissingInputError("An input of the graph, %s, was not provided and not given a value." % leaf)
            _order = _core.toposort(self.outputs, self.inputs)
        self._order = list(_order)

    @property
    def apply_nodes(self):
        return set(self._order)

    @property
    def variables(self):
        found = set(self.inputs) | set(self.outputs)
        for apply in self._order:
            found.update(apply.inputs)
            found.update(apply.outputs)
        return found

    def toposort(self):
        return list(self._order)

    @property
    def clients(self):
        """{variable: [(apply or 'output', index)]}"""
        result = {variable: [] for variable in self.variables}
        for apply in self._order:
            for index, variable in enumerate(apply.inputs):
                result[variable].append((apply, index))
        for index, variable in enumerate(self.outputs):
            result[variable].append(("output", index))
        return result

    def disown(self):
        pass

    def clone(self):
        return FunctionGraph(self.inputs, self.outputs, update_mapping=self.update_mapping, _order=self._order)

    def __str__(self):
        return "[%s]" % ", ".join(_core.pretty_print(variable) for variable in self.outputs)

    __repr__ = __str__
