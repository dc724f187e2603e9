"""Types of what stands between brackets, and ops on slices, where Theano has them."""
import numpy

from croton import _core
from croton.gof.graph import Apply, Constant, Variable
from croton.gof.op import Op
from croton.gof.type import DisconnectedType, NoneTypeT, SliceType
from croton.tensor.functions.conversion import as_tensor_variable

none_type_t = NoneTypeT()
slicetype = SliceType()
NoneConst = Constant(none_type_t, None, name="NoneConst")


class SliceConstant(Constant):
    pass


def as_int_none_variable(x):
    """A bound of a slice as a variable: an integer scalar, or NoneConst."""
    if x is None or isinstance(x, Variable) and isinstance(x.type, NoneTypeT):
        return NoneConst
    x = as_tensor_variable(x)
    if x.ndim != 0 or x.dtype[0] not in "iu":
        raise TypeError("index must be integers, got %s of type %s" % (x, x.type))
    return x


class _OfSlices(Op):
    __props__ = ()

    def __str__(self):
        return self.__class__.__name__

    def grad(self, inputs, output_grads):
        return [DisconnectedType()() for _ in inputs]

    def connection_pattern(self, node):
        return [[False] * len(node.outputs) for _ in node.inputs]


class MakeSlice(_OfSlices):
    """make_slice(start, stop, step), or of a Python slice whose bounds may be variables: the slice as a variable."""

    def make_node(self, slc, stop=None, step=None):
        bounds = [slc.start, slc.stop, slc.step] if isinstance(slc, slice) else [slc, stop, step]
        return Apply(self, [as_int_none_variable(bound) for bound in bounds], [slicetype()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = slice(*[None if bound is None else int(bound) for bound in inputs])


make_slice = MakeSlice()


class SliceBounds(_OfSlices):
    """Start, stop and step of a slice of so many elements: numbers that index as the slice does."""

    def make_node(self, slc, size):
        return Apply(self, [slc, as_tensor_variable(size)], [_core.tensor_type("int64", [])() for _ in range(3)])

    def perform(self, node, inputs, outputs):
        slc, size = inputs
        start, stop, step = slc.indices(int(size))
        if step < 0 and stop < 0:
            stop -= int(size)  # backwards to the first element: -1 by itself would be the last
        for cell, bound in zip(outputs, (start, stop, step)):
            cell[0] = numpy.asarray(bound, dtype="int64")

    def infer_shape(self, node, shapes):
        return [(), (), ()]


def bounds_of(slc, size):
    """A slice variable as a Python slice whose bounds may be variables."""
    if isinstance(slc, Constant):
        return slc.data
    if slc.owner is not None and isinstance(slc.owner.op, MakeSlice):
        return slice(*[None if isinstance(bound.type, NoneTypeT) else bound for bound in slc.owner.inputs])
    return slice(*SliceBounds()(slc, size))
