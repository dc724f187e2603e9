"""What scripts call by hand of the engine's ops: perform, grad, R_op, infer_shape, as if they were written in Python."""
import numpy

from croton import _core
from croton.gof.graph import Constant, Variable, destroyed_inputs, io_toposort
from croton.gof.op import PureOp
from croton.gof.type import DisconnectedType
from croton.tensor import basic
from croton.tensor.shape_feature import ShapeFeature
from croton.tensor.type import TensorType


def perform(node, inputs, output_storage):
    """Computes the outputs of an apply; what its op overwrites is overwritten."""
    values = [variable.type.filter(value) if isinstance(variable.type, TensorType) else value for variable, value in zip(node.inputs, inputs)]
    found = _core.run_apply(node, values)
    for output, which in destroyed_inputs(node.op):
        if isinstance(inputs[which], numpy.ndarray):
            inputs[which][...] = found[output]
            found[output] = inputs[which]
    for cell, value in zip(output_storage, found):
        cell[0] = value


def gradient(node, output_grads):
    """One term an input."""
    grads = [one if isinstance(one, Variable) else _core.disconnected() if one is None else basic.as_tensor_variable(one) for one in output_grads]
    if all(isinstance(one.type, DisconnectedType) for one in grads):
        return [DisconnectedType()() for _ in node.inputs]
    return [DisconnectedType()() if one is None else one for one in _core.op_gradient(node, grads)]


def forward(node, eval_points):
    """One term an output; None where it is not known."""
    return _core.op_rop(node, [basic.as_tensor_variable(one) if one is not None and not isinstance(one, Variable) else one for one in eval_points])


def infer_shape(node, shapes):
    """The sizes of the outputs as expressions of those of the inputs and, where sizes depend on them, of the inputs."""
    inputs, op = node.inputs, node.op
    stand = [one if isinstance(one, Constant) else one.type() for one in inputs]
    made = op.make_node(*stand)
    known, feature = {}, ShapeFeature()
    sizes = [feature.shape_of[one] for one in made.outputs]
    flat = [one for several in sizes if several is not None for one in several]
    for apply in io_toposort([], flat):
        place = next((place for place, one in enumerate(stand) if apply.inputs and apply.inputs[0] is one), None)
        if place is not None and isinstance(apply.op, basic.Shape_i):
            known[apply.outputs[0]] = basic.cast(basic.as_tensor_variable(shapes[place][apply.op.i]), "int64")
    known.update((one, given) for one, given in zip(stand, inputs) if one is not given)
    changed = iter(_core.substitute(flat, list(known), list(known.values())) if flat else [])
    return [None if several is None else tuple(next(changed) for _ in several) for several in sizes]



PureOp._run_by_engine, PureOp._gradient_by_engine = staticmethod(perform), staticmethod(gradient)
PureOp._forward_by_engine, PureOp._sizes_by_engine = staticmethod(forward), staticmethod(infer_shape)
