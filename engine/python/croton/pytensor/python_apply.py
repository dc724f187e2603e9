"""An apply of PyTensor that has no form in Croton and runs by its method perform."""
import croton
from croton.pytensor.types import type_of


class PythonApply(croton.Op):
    """The op of one such apply."""

    def __init__(self, node):
        self.node = node

    def __str__(self):
        return "Python: %s" % (self.node.op,)

    def make_node(self, *inputs):
        return croton.Apply(self, list(inputs), [type_of(output.type)() for output in self.node.outputs])

    def perform(self, node, inputs, output_storage):
        cells = [[None] for _ in output_storage]
        self.node.op.perform(self.node, [variable.type.filter(value, allow_downcast=True)
                                         for variable, value in zip(self.node.inputs, inputs, strict=True)], cells)
        for variable, cell, ours in zip(self.node.outputs, cells, output_storage, strict=True):
            ours[0] = variable.type.filter(cell[0], allow_downcast=True)
