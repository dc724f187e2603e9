"""Breakpoints inside of functions."""
import pdb

import numpy

from croton.gof.graph import Apply, Variable
from croton.gof.op import Op
from croton.gof.type import DisconnectedType
from croton.tensor import basic


class PdbBreakpoint(Op):
    """PdbBreakpoint(name)(condition, x, …) gives x, …; where the condition holds it opens the debugger first."""
    __props__ = ("name",)

    def __init__(self, name):
        self.name = name

    def make_node(self, condition, *monitored):
        if not isinstance(condition, Variable):
            condition = basic.as_tensor_variable(condition)
        if condition.ndim != 0:
            raise ValueError("the condition of the breakpoint %r must be a scalar, got %s: take its any() or all()" % (self.name, condition.type))
        monitored = [one if isinstance(one, Variable) else basic.as_tensor_variable(one) for one in monitored]
        return Apply(self, [condition] + monitored, [one.type() for one in monitored])

    def do_constant_folding(self, node):
        return False

    def perform(self, node, inputs, output_storage):
        monitored = [numpy.array(one) for one in inputs[1:]]
        if inputs[0]:
            print("\n-------------------------------------------------\n"
                  "Conditional breakpoint '%s' activated\n\n"
                  "The monitored variables are stored, in order, in the list variable 'monitored' as NumPy arrays.\n"
                  "Their contents can be altered; when execution resumes, the new values are used.\n"
                  "-------------------------------------------------" % self.name)
            pdb.set_trace()
        for output, cell, value in zip(node.outputs, output_storage, monitored):
            cell[0] = output.type.filter(value)

    def grad(self, inputs, output_gradients):
        return [DisconnectedType()()] + list(output_gradients)

    def infer_shape(self, node, input_shapes):
        return input_shapes[1:]

    def connection_pattern(self, node):
        return [[place == number - 1 for place in range(len(node.outputs))] for number in range(len(node.inputs))]
