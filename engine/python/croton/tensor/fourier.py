"""Fourier transforms of any length along any axis, with complex results: fft(a, n, axis). theano.tensor.fft has those of real arrays."""
import numpy

from croton.gof import Apply, Op
from croton.gof.type import DisconnectedType
from croton.tensor import basic
from croton.tensor.subtensor import set_subtensor
from croton.tensor.type import TensorType


class Fourier(Op):
    __props__ = ()

    def make_node(self, a, n, axis):
        a = basic.as_tensor_variable(a)
        if a.ndim < 1:
            raise TypeError("Fourier: input must be an array, not a scalar")
        if axis is None:
            axis = a.ndim - 1
        axis = basic.as_tensor_variable(axis)
        n = a.shape[axis] if n is None else basic.as_tensor_variable(n)
        for name, value in (("n, the length of the transformed axis,", n), ("axis", axis)):
            if value.dtype not in basic.integer_dtypes or value.ndim:
                raise TypeError("Fourier: %s has to be a whole number, got %s" % (name, value.type))
        pattern = [False] * a.ndim
        return Apply(self, [a, basic.cast(n, "int64"), basic.cast(axis, "int64")], [TensorType("complex128", pattern)()])

    def infer_shape(self, node, shapes):
        axis = basic.get_scalar_constant_value(node.inputs[2])
        sizes = list(shapes[0])
        sizes[int(axis)] = node.inputs[1]
        return [tuple(sizes)]

    def perform(self, node, inputs, outputs):
        a, n, axis = inputs
        outputs[0][0] = numpy.fft.fft(a, int(n), int(axis)).astype("complex128")

    def connection_pattern(self, node):
        return [[True], [False], [False]]

    def grad(self, inputs, output_grads):
        a, n, axis = inputs
        try:
            place = int(basic.get_scalar_constant_value(axis)) % a.ndim
        except basic.NotScalarConstantError:
            raise NotImplementedError("the gradient of fft along an axis that is known only as it runs is not supported: "
                                      "give the axis as a number") from None
        back = basic.conj(self(basic.conj(output_grads[0]), n, place))
        # What fft cuts off has no gradient, and what it fills up with is nobody's.
        kept = [slice(None)] * a.ndim
        kept[place] = slice(None, basic.minimum(a.shape[place], n))
        kept = tuple(kept)
        whole = basic.zeros([a.shape[k] for k in range(a.ndim)], dtype="complex128")
        found = set_subtensor(whole[kept], back[kept])
        if not a.dtype.startswith("complex"):
            found = basic.real(found)
        return [basic.cast(found, a.dtype), DisconnectedType()(), DisconnectedType()()]


fft = Fourier()
