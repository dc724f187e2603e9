"""Reductions by scalar functions for which the engine has none: bit by bit, and by functions that scripts write."""
import numpy

from croton.gof.graph import Apply
from croton.gof.op import Op
from croton.tensor.basic import as_tensor_variable, zeros_like
from croton.tensor.functions.axes import normal_axes
from croton.tensor.type import TensorType

_BITWISE = {"or_": numpy.bitwise_or, "and_": numpy.bitwise_and, "xor": numpy.bitwise_xor}


class OwnReduce(Op):
    """scalar_op between all elements along some axes."""
    __props__ = ("scalar_op", "axis")

    def __init__(self, scalar_op, axis=None):
        self.scalar_op, self.axis = scalar_op, axis

    def __str__(self):
        return "Reduce{%s}{%s}" % (self.scalar_op, "" if self.axis is None else ", ".join(map(str, self.axis)))

    def _axes(self, ndim):
        return tuple(range(ndim)) if self.axis is None else normal_axes(self.axis, ndim)

    def make_node(self, x):
        x = as_tensor_variable(x)
        dtype = self.scalar_op.output_types([TensorType(x.dtype, ())] * 2)[0].dtype
        axes = self._axes(x.ndim)
        return Apply(self, [x], [TensorType(dtype, [one for axis, one in enumerate(x.broadcastable) if axis not in axes])()])

    def perform(self, node, inputs, outputs):
        result, wanted = inputs[0], node.outputs[0].type
        function = _BITWISE.get(self.scalar_op.symbol) or numpy.frompyfunc(self.scalar_op.impl, 2, 1)
        for axis in sorted(self._axes(result.ndim), reverse=True):
            if result.shape[axis] == 0 and function.identity is None:
                raise ValueError("Input (%s) has zero-size on axis %s, but %s has no identity: there is nothing to reduce"
                                 % (node.inputs[0], axis, self.scalar_op))
            result = function.reduce(result, axis=axis)
        outputs[0][0] = numpy.array(result, dtype=wanted.dtype)

    def infer_shape(self, node, shapes):
        axes = self._axes(node.inputs[0].ndim)
        return [tuple(size for axis, size in enumerate(shapes[0]) if axis not in axes)]

    def grad(self, inputs, output_grads):
        if self.scalar_op.symbol in _BITWISE:
            return [zeros_like(inputs[0], dtype="floatX")]
        return super().grad(inputs, output_grads)
