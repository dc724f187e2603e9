"""The mode CROTON_CHECK: each call runs PyTensor's own code beside ours, and a difference is an error that names the first apply that differs."""
import numpy
import pytensor
from pytensor.link.utils import raise_with_op

import croton
from croton.pytensor.graph import converted
from croton.pytensor.linker import CrotonLinker


class ResultsDiffer(AssertionError):
    """Croton and PyTensor computed different values."""


class CheckLinker(CrotonLinker):
    """Compiles a graph by Croton, runs it apply by apply by PyTensor's C code (perform where there is none), and compares."""

    def create_jitable_thunk(self, compute_map, order, input_storage, output_storage, storage_map):
        [ours], nodes, function = super().create_jitable_thunk(compute_map, order, input_storage, output_storage, storage_map)
        fgraph, reference = self.fgraph, _Reference(self.fgraph)

        def thunk():
            given = [cell[0] for cell in ours.inputs]
            reference.run(given)
            ours()
            found = zip(fgraph.outputs, (cell[0] for cell in ours.outputs), strict=True)
            different = next((pair for pair in found if not reference.agrees(*pair)), None)
            if different is not None:
                _report(fgraph, reference, *(_first_difference(fgraph, reference, given) or different))
        thunk.inputs, thunk.outputs, thunk.lazy = ours.inputs, ours.outputs, False
        return [thunk], nodes, function


class _Reference:
    """PyTensor's values of all variables of a graph."""

    def __init__(self, fgraph):
        self.order = fgraph.toposort()
        self._inputs = fgraph.inputs
        self.cells = {variable: [getattr(variable, "data", None)] for variable in fgraph.variables}
        computed = {variable: [variable.owner is None] for variable in fgraph.variables}
        way = None if pytensor.config.cxx else "py"
        self._thunks = [node.op.make_thunk(node, self.cells, computed, [], impl=way) for node in self.order]
        self._computed = computed

    def run(self, given):
        for variable, value in zip(self._inputs, given, strict=True):
            self.cells[variable][0] = value
        for node, thunk in zip(self.order, self._thunks, strict=True):
            for output in node.outputs:
                self.cells[output][0] = None  # results of the call before belong to whoever has them
            thunk()
            for output in node.outputs:
                self._computed[output][0] = True
        # As a choice asks for its branches by this, the next call begins anew.
        for node in self.order:
            for output in node.outputs:
                self._computed[output][0] = False

    def agrees(self, variable, value):
        """True if `value` is what PyTensor has for this variable, by PyTensor's own measure."""
        wanted = self.cells[variable][0]
        if not isinstance(wanted, numpy.ndarray | numpy.generic):
            return True
        return (wanted.shape == value.shape and wanted.dtype == value.dtype
                and bool(numpy.all(variable.type.values_eq_approx(wanted, value))))


def _first_difference(fgraph, reference, given):
    """(variable, our value) of the first apply that differs, found by a function that gives all values; None where that one agrees."""
    variables = [output for node in reference.order for output in node.outputs if hasattr(output.type, "dtype")]
    inputs, outputs, _ = converted(fgraph.inputs, variables)
    every = croton.function(inputs, outputs, on_unused_input="ignore", accept_inplace=False)
    return next((pair for pair in zip(variables, every(*given), strict=True) if not reference.agrees(*pair)), None)


def _report(fgraph, reference, variable, ours):
    node, theirs = variable.owner, reference.cells[variable][0]
    if node is None:
        raise ResultsDiffer("Croton gives %s for %s, and PyTensor %s." % (ours, variable, theirs))
    text = "Croton and PyTensor differ in output %d of this apply: %s." % (node.outputs.index(variable), _difference(ours, theirs))

    def failed():
        """What raise_with_op asks for shapes and values."""
    failed.inputs = [reference.cells[one] for one in node.inputs]
    failed.outputs = [reference.cells[one] for one in node.outputs]
    raise_with_op(fgraph, node, failed, (ResultsDiffer, ResultsDiffer(text), None))


def _difference(ours, theirs):
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return "%s of shape %s, not %s of shape %s" % (ours.dtype, ours.shape, theirs.dtype, theirs.shape)
    wrong = numpy.argwhere(~numpy.isclose(ours, theirs, rtol=1e-5, atol=1e-8, equal_nan=True))
    place = tuple(int(one) for one in wrong[0]) if len(wrong) else ()
    return "%s instead of %s at %s, and %d of %d elements in all" % (ours[place], theirs[place], list(place), max(len(wrong), 1), ours.size)
