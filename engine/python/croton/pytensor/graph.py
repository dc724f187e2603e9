"""A graph of PyTensor as one of Croton."""
import functools
import warnings

import numpy
from pytensor.graph.basic import Constant
from pytensor.graph.traversal import toposort
from pytensor.scalar.basic import ScalarType
from pytensor.tensor.type import TensorType

import croton
import croton.tensor as T
from croton.pytensor.lines import at_lines_of
from croton.pytensor.python_apply import PythonApply
from croton.pytensor.table import NoConversion, convert
from croton.pytensor.types import type_of


class Converter:
    """Converts variables of PyTensor, each once."""

    def __init__(self):
        self._made = {}
        self.in_python = []  # applies without a conversion

    def input(self, variable):
        """An input of Croton's graph for an input of PyTensor's."""
        made = at_lines_of(variable, lambda: type_of(variable.type)(variable.name))
        self._made[variable] = made
        return made

    def bind(self, variables, values):
        """Says what stands for these variables."""
        self._made.update(zip(variables, values, strict=True))

    def outputs(self, variables):
        bound = list(self._made)
        for node in toposort(variables, blockers=bound):
            if not all(output in self._made for output in node.outputs):
                at_lines_of(node.outputs[0], functools.partial(self._apply, node))
        return [self._value(variable) for variable in variables]

    def _value(self, variable):
        if variable not in self._made and isinstance(variable, Constant):
            self._made[variable] = _constant(variable)
        return self._made[variable]

    def _apply(self, node):
        inputs = [self._value(variable) for variable in node.inputs]
        try:
            made = convert(node.op, node, *inputs)
        except NoConversion:
            made = None
        except (TypeError, ValueError, NotImplementedError) as problem:
            warnings.warn("croton.pytensor: %s of %s is not converted and runs in Python: %s"
                          % (node.op, ", ".join(str(variable.type) for variable in node.inputs), str(problem).split("\n")[0]), stacklevel=2)
            made = None
        if made is None:
            self.in_python.append(node)
            made = PythonApply(node)(*inputs, return_list=True)
        made = list(made) if isinstance(made, (list, tuple)) else [made]
        for variable, value in zip(node.outputs, made, strict=True):
            self._made[variable] = _as(value, variable)


def _constant(variable):
    if isinstance(variable.type, TensorType | ScalarType):
        return T.constant(numpy.asarray(variable.data, dtype=variable.type.dtype), name=variable.name)
    return croton.gof.Constant(croton.generic, variable.data, name=variable.name)


def _as(value, variable):
    """`value` with the dtype and the known sizes of one that PyTensor's variable has."""
    wanted = type_of(variable.type)
    if not isinstance(wanted, T.TensorType):
        return value
    if value.dtype != wanted.dtype:
        value = T.cast(value, wanted.dtype)
    if isinstance(variable.type, TensorType) and value.broadcastable != wanted.broadcastable:  # scalars stand for elements of arrays
        value = T.patternbroadcast(value, wanted.broadcastable)
    if variable.name and value.owner is not None and value.name is None:
        value.name = variable.name
    return value


def converted(inputs, outputs):
    """(inputs, outputs, applies that run in Python): Croton's graph for PyTensor's."""
    converter = Converter()
    ours = [converter.input(variable) for variable in inputs]
    return ours, converter.outputs(outputs), converter.in_python
