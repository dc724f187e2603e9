"""The first op of the chapter on ops: twice its input."""
from croton.gof import Apply, Op
from croton.tensor.basic import as_tensor_variable


class DoubleOp(Op):
    __props__ = ()

    def make_node(self, x):
        x = as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] * 2

    def infer_shape(self, node, shapes):
        return shapes

    def grad(self, inputs, output_grads):
        return [output_grads[0] * 2]

    def R_op(self, inputs, eval_points):
        return [None] if eval_points[0] is None else self.grad(inputs, eval_points)
