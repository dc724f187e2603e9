"""MonitorMode: functions of yours before and after each apply."""
import numpy

from croton.compile.stepper import SteppedMode
from croton.printing import debugprint


class _Thunk:
    """What the functions see: lists of one-element lists, as storage cells. What they put there is what goes on."""

    def __init__(self, inputs, outputs):
        self.inputs = [[value] for value in inputs]
        self.outputs = [[value] for value in outputs]


class MonitorMode(SteppedMode):
    def __init__(self, pre_func=None, post_func=None, optimizer="default", linker=None):
        super().__init__(linker=linker, optimizer=optimizer)
        for name, function in (("pre_func", pre_func), ("post_func", post_func)):
            if function is not None and not callable(function):
                raise TypeError("%s of MonitorMode is a function of (index, node, thunk), got %r" % (name, function))
        self.pre_func, self.post_func = pre_func, post_func

    def before(self, stepper, index, inputs):
        if self.pre_func is None:
            return inputs
        apply = stepper.order[index]
        thunk = _Thunk(inputs, [None] * len(apply.outputs))
        self.pre_func(index, apply, thunk)
        return _left("pre_func", "input", stepper, index, thunk.inputs, inputs, apply.inputs)

    def after(self, stepper, index, inputs, outputs):
        if self.post_func is None:
            return outputs
        apply, thunk = stepper.order[index], _Thunk(inputs, outputs)
        self.post_func(index, apply, thunk)
        return _left("post_func", "output", stepper, index, thunk.outputs, outputs, apply.outputs)


def _left(name, word, stepper, index, cells, values, variables):
    """What the cells hold now; what is new has to be of the variable's type."""
    for place, (cell, value, variable) in enumerate(zip(cells, values, variables)):
        if cell[0] is value:
            continue
        try:
            cell[0] = variable.type.filter(cell[0])
        except (TypeError, ValueError) as error:
            raise type(error)("%s of MonitorMode left %r as %s %d of %s: %s%s"
                              % (name, cell[0], word, place, stepper.order[index], error, stepper.place(index))) from None
    return [cell[0] for cell in cells]


def detect_nan(i, node, fn):
    """A post_func that prints the first apply with NaN in its outputs."""

    for output in fn.outputs:
        if not isinstance(output[0], numpy.random.RandomState) and numpy.isnan(output[0]).any():
            print("*** NaN detected ***")
            debugprint(node)
            print("Inputs : %s" % [value[0] for value in fn.inputs])
            print("Outputs: %s" % [value[0] for value in fn.outputs])
            break
