"""MonitorMode: functions of yours before and after each apply."""
from croton.compile.stepper import SteppedMode


class _Thunk:
    """What the functions see: lists of one-element lists, as storage cells."""

    def __init__(self, inputs, outputs):
        self.inputs = [[value] for value in inputs]
        self.outputs = [[value] for value in outputs]


class MonitorMode(SteppedMode):
    def __init__(self, pre_func=None, post_func=None, optimizer="default", linker=None):
        super().__init__(optimizer=optimizer)
        self.pre_func, self.post_func = pre_func, post_func

    def before(self, index, apply, inputs):
        if self.pre_func is not None:
            self.pre_func(index, apply, _Thunk(inputs, [None] * len(apply.outputs)))

    def after(self, index, apply, inputs, outputs):
        if self.post_func is not None:
            self.post_func(index, apply, _Thunk(inputs, outputs))


def detect_nan(i, node, fn):
    """A post_func that prints the first apply with NaN in its outputs."""
    import numpy

    from croton.printing import debugprint
    for output in fn.outputs:
        if not isinstance(output[0], numpy.random.RandomState) and numpy.isnan(output[0]).any():
            print("*** NaN detected ***")
            debugprint(node)
            print("Inputs : %s" % [value[0] for value in fn.inputs])
            print("Outputs: %s" % [value[0] for value in fn.outputs])
            break
