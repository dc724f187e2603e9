"""Runs a compiled function apply by apply, with something done before and after each: the checking modes."""
import weakref

from croton import _core
from croton.compile.function_object import exported_graph
from croton.compile.mode import Mode
from croton.gof.graph import Constant, SharedVariableBase
from croton.ifelse import IfElse


class SteppedMode(Mode):
    """A mode whose functions run one apply after the other in Python."""

    def make_function(self, request):
        made = _core.compile(request)
        stepper = Stepper(made, self)
        _core.function_set_runner(made, stepper.run)
        return made

    def started(self, stepper, values):
        """Inputs and shared variables have their values."""

    def before(self, stepper, index, inputs):
        """The apply at that place is about to run; gives what it runs on."""
        return inputs

    def run(self, stepper, index, inputs):
        """Runs it; gives its outputs."""
        return _core.run_apply(stepper.order[index], inputs)

    def after(self, stepper, index, inputs, outputs):
        """It ran; gives what goes on."""
        return outputs


class Stepper:
    def __init__(self, function, mode):
        exported = exported_graph(function)
        self.mode, self._function, self._is_placed = mode, weakref.ref(function), False
        self.function_id = _core.function_id(function)
        self.inputs, self.outputs = exported["inputs"], exported["outputs"]
        self.order = exported["toposort"]
        self.updates = exported["updates"]
        self._traces = exported["sources"]
        self._branches = exported["branches"]

    def place(self, index):
        """The lines of the script behind the apply at that place, as an error shows them; empty: none."""
        return place_text(self._traces[index])

    def run(self, arguments):
        if not self._is_placed and self._function() is not None:
            self._is_placed = self._function().maker.fgraph is not None  # what a wrapper is given knows its graph
        values = {}
        written = {self.inputs[which] for _, which in self.updates}
        for variable, value in zip(self.inputs, arguments):
            values[variable] = value
        for variable in self.inputs[len(arguments):]:
            values[variable] = variable.get_value(borrow=variable not in written)
        self.mode.started(self, values)

        def value_of(variable):
            if isinstance(variable, Constant):
                return variable.data
            return values[variable] if variable in values or variable.owner else variable.get_value(borrow=True)

        for index, apply in enumerate(self.order):
            if not all(bool(value_of(self.order[choice].inputs[0])) == wanted for choice, wanted in self._branches[index]):
                continue
            given = apply.inputs
            if isinstance(apply.op, IfElse):  # both sides are the one that was computed
                count = len(apply.outputs)
                given = [given[0]] + list(given[1:1 + count] if value_of(given[0]) else given[1 + count:]) * 2
            inputs = [value_of(variable) for variable in given]
            inputs = self.mode.before(self, index, inputs)
            try:
                outputs = self.mode.run(self, index, inputs)
            except Exception as error:
                if error.args and isinstance(error.args[0], str) and "Apply node that caused the error" not in error.args[0]:
                    error.args = ("%s\nApply node that caused the error: %s\nToposort index: %d%s"
                                  % (error.args[0], apply, index, self.place(index)),) + error.args[1:]
                raise
            outputs = self.mode.after(self, index, inputs, outputs)
            values.update(zip(apply.outputs, outputs))
        results = [variable.data if isinstance(variable, Constant) else values[variable] for variable in self.outputs]
        updated = dict(self.updates)
        for position, which in updated.items():
            self.inputs[which].set_value(results[position])
        return [value.copy() if hasattr(value, "copy") else value
                for position, value in enumerate(results) if position not in updated]


class _Thunk:
    """Runs an apply when it is called; lists of one-element lists, as storage cells."""

    def __init__(self, apply, inputs):
        self._apply = apply
        self.inputs = [[value] for value in inputs]
        self.outputs = [[None] for _ in apply.outputs]

    def __call__(self):
        for cell, value in zip(self.outputs, _core.run_apply(self._apply, [cell[0] for cell in self.inputs])):
            cell[0] = value


class Around(SteppedMode):
    """What a linker does around each apply: wrapper(index, node, thunk, …), which calls the thunks, one a linker."""

    def __init__(self, wrapper, linkers):
        super().__init__()
        self.wrapper, self.linkers = wrapper, linkers

    def run(self, stepper, index, inputs):
        thunks = [_Thunk(stepper.order[index], inputs) for _ in range(self.linkers)]
        self.wrapper(index, stepper.order[index], *thunks)
        return [cell[0] for cell in thunks[0].outputs]


class After(SteppedMode):
    """What a linker does after each apply: callback(node, thunk, storage_map, compute_map)."""

    def __init__(self, callback):
        super().__init__()
        self.callback = callback

    def run(self, stepper, index, inputs):
        apply = stepper.order[index]
        thunk = _Thunk(apply, inputs)
        thunk()
        storage = dict(zip(list(apply.inputs) + list(apply.outputs), thunk.inputs + thunk.outputs))
        self.callback(node=apply, thunk=thunk, storage_map=storage, compute_map={variable: [True] for variable in storage})
        return [cell[0] for cell in thunk.outputs]


def place_text(traces):
    text = ""
    for trace in traces:
        for line in reversed(_core.trace_lines(trace)):
            text += '  File "%s", line %d, in %s\n    %s\n' % line
    return "\nBacktrace when the node is created:\n" + text if text else ""
