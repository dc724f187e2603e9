"""Graphs of functions that are being compiled, as optimizers in Python see them."""
import linecache
import traceback

from croton import _core
from croton.gof.errors import InconsistencyError
from croton.gof.fg import FunctionGraph
from croton.gof.graph import readers_of
from croton.gof.toolbox import ReplaceValidate
from croton.gof.utils import is_own_file


def sentence_of(error):
    """The class and text of an exception, and the line of the user's that raised it."""
    text = "%s: %s" % (type(error).__name__, error)
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if not is_own_file(frame.filename)]
    return text if not own else "%s (%s:%d: %s)" % (text, own[-1].filename, own[-1].lineno,
                                                    linecache.getline(own[-1].filename, own[-1].lineno).strip())


class CompiledView:
    """node.fgraph while a local optimizer looks at a node: to look at, the replacement is what the optimizer returns."""

    def __init__(self):
        self._inside = None  # any variable of the graph

    def _graph(self):
        return _core.graph_there(self._inside)

    inputs = property(lambda self: self._graph()[0])
    outputs = property(lambda self: self._graph()[1])

    def toposort(self):
        return _core.toposort(self.outputs, [])

    @property
    def apply_nodes(self):
        return set(self.toposort())

    @property
    def clients(self):
        return _Readers()

    @property
    def variables(self):
        return {variable for apply in self.toposort() for variable in apply.inputs + apply.outputs} | set(self.inputs)

    def replace(self, *args, **kwargs):
        raise InconsistencyError("a local optimizer returns its replacements; to change the graph yourself, register an Optimizer")

    replace_validate = replace_all_validate = replace_all = change_input = replace


class _Readers:
    """clients[variable] in a graph that is being compiled."""

    def __getitem__(self, variable):
        readers = readers_of(variable)
        if readers is None:
            raise KeyError(variable)
        return readers

    def get(self, variable, default=None):
        readers = readers_of(variable)
        return default if readers is None else readers

    def __contains__(self, variable):
        return readers_of(variable) is not None


class DrivenGraph(FunctionGraph):
    """The graph of a function while an optimizer works on it: each change is a step of the compile's journal."""

    def __init__(self, run):
        inputs, outputs = run.inputs(), run.outputs()
        super().__init__(inputs, outputs, clone=False, update_mapping={output: inputs.index(input_) for output, input_ in run.updates()})
        self._run, self._depth = run, 0
        self.attach_feature(ReplaceValidate())
        self._load()
        checked, removing = self.replace_all_validate, self.replace_all_validate_remove

        def replace_all_validate(replacements, reason=None, verbose=None):
            return self._together(lambda pairs: checked(pairs, reason=reason, verbose=verbose), replacements, reason)

        def replace_all_validate_remove(replacements, remove, reason=None, warn=True):
            return self._together(lambda pairs: removing(pairs, remove, reason=reason, warn=warn), replacements, reason)
        self.replace_all_validate, self.replace_all_validate_remove = replace_all_validate, replace_all_validate_remove
        self.replace_validate = lambda r, new_r, reason=None: replace_all_validate([(r, new_r)], reason=reason)

    def _together(self, change, pairs, reason):
        """Does it here, and then as one step there."""
        pairs = [(r, self.fitting(r, new_r, reason)) for r, new_r in pairs if r in self._clients]
        self._depth += 1
        try:
            result = change(pairs)
        finally:
            self._depth -= 1
        if self._depth == 0 and pairs and not self._run.replace(pairs, "" if reason is None else str(reason)):
            raise InconsistencyError("the graph did not take the replacement of %s" % ", ".join(str(r) for r, _ in pairs))
        return result

    def replace(self, r, new_r, reason=None, verbose=None):
        if self._depth:
            super().replace(r, new_r, reason, verbose)
        else:
            self._together(lambda pairs: [super(DrivenGraph, self).replace(old, new, reason, verbose) for old, new in pairs],
                           [(r, new_r)], reason)

    def change_input(self, node, i, new_r, reason=None):
        if self._depth:
            super().change_input(node, i, new_r, reason)
            return
        raise NotImplementedError("change_input while a function is compiled: replace the variable that the input is, or the output of the node")
