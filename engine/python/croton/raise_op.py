"""An op that raises."""
from croton.gof.graph import Apply
from croton.gof.op import Op


class Raise(Op):
    """Raise(msg)(x) raises when it runs."""
    __props__ = ("msg", "exc")

    def __init__(self, msg="", exc=NotImplementedError):
        self.msg, self.exc = msg, exc

    def make_node(self, x):
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, out_storage):
        raise self.exc(self.msg)

    def grad(self, inputs, cost_grad):
        raise NotImplementedError()

    def connection_pattern(self, node):
        return [[False]]
