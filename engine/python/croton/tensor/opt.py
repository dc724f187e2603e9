"""Assert and what scripts import beside it."""
from croton import _core, _missing
from croton.tensor import basic
from croton.tensor.basic import ShapeError, as_tensor_variable, get_scalar_constant_value
from croton.tensor.opclasses import MakeVector, Shape_i


class Assert:
    """Assert(message)(x, *conditions): x, if every condition holds when it runs; AssertionError otherwise.

    It is for finding faults, and runs where a result reads its value: rewrites may take it away with a value that no result needs any more
    (x * 0, x.shape, the branch of a switch that is never taken). Without an optimizer it always runs."""

    def __init__(self, msg="Theano Assert failed!"):
        self.msg = msg

    def __call__(self, value, *conditions):
        conditions = [as_tensor_variable(condition) for condition in conditions]
        return _core.assert_true(value, [basic.all(c) if c.ndim else c for c in conditions], self.msg)

    def __str__(self):
        return "Assert{msg='%s'}" % self.msg


assert_op = Assert()
assert_ = Assert


def __getattr__(name):
    if name.startswith(("local_", "register_", "Shape", "Fusion")):
        return _missing.Missing("croton.tensor.opt." + name, "rewrites are chosen by name: mode.including(%r), mode.excluding(%r)" % (name, name))
    raise AttributeError("module 'theano.tensor.opt' has no attribute %r" % name)
