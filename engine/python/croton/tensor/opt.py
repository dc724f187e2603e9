"""Assert and what scripts import beside it."""
import importlib

from croton import _core
from croton.compat import missing
from croton.compile.rewrite_names import rewrite_called
from croton.compile.rewriting import EngineRewrite, REGISTRARS
from croton.tensor import basic
from croton.tensor.basic import NotScalarConstantError, ShapeError, as_tensor_variable, get_scalar_constant_value  # noqa: F401
from croton.tensor.opclasses import MakeVector, Shape_i
from croton.tensor.shape_feature import ShapeFeature  # noqa: F401


_OF_GOF = {"local_optimizer": "opt", "Optimizer": "opt", "LocalOptimizer": "opt", "PatternSub": "patterns", "OpSub": "patterns", "OpRemove": "patterns",
           "in2out": "opt", "out2in": "opt", "copy_stack_trace": "opt", "optimizer": "opt", "toolbox": "toolbox", "opt": "opt",
           "InconsistencyError": "errors", "MergeOptimizer": "merge", "TopoOptimizer": "opt", "EquilibriumDB": "optdb"}
_OTHER_NAMES = {"FusionOptimizer": "elemwise_fusion", "GemmOptimizer": "gemm_optimizer"}


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


def get_clients(node):
    """The applies that read the first output."""
    return [reader for reader, _ in node.outputs[0].clients if reader != "output"]


def get_clients2(node):
    """The applies that read what they compute of it."""
    return [far for reader in get_clients(node) for output in reader.outputs for far, _ in output.clients if far != "output"]


def broadcast_like(value, template, fgraph, dtype=None):
    """The value repeated to the shape of the template."""
    value = as_tensor_variable(value)
    if value.type == template.type:
        return value
    return basic.alloc(basic.cast(value, template.dtype if dtype is None else dtype), *fgraph.shape_feature.shape_of[template])


def encompasses_broadcastable(b1, b2):
    """Does what b1 can be broadcast to hold all that b2 can be?"""
    b1 = list(b1)[max(0, len(b1) - len(b2)):]
    return len(b1) == len(b2) and not any(one and not other for one, other in zip(b1, b2))


def merge_broadcastables(broadcastables):
    return [all(ones) for ones in zip(*broadcastables)]


def is_inverse_pair(node_op, prev_op, inv_pair):
    return (getattr(node_op, "scalar_op", None), getattr(prev_op, "scalar_op", None)) in (tuple(inv_pair), tuple(inv_pair)[::-1])


def scalarconsts_rest(inputs, elemwise=True, only_process_constants=False):
    """(numbers, their variables, all others)"""
    numbers, constants, rest = [], [], []
    for variable in inputs:
        try:
            number = get_scalar_constant_value(variable, elemwise=elemwise, only_process_constants=only_process_constants)
        except NotScalarConstantError:
            rest.append(variable)
        else:
            numbers.append(number)
            constants.append(variable)
    return numbers, constants, rest


assert_op = Assert()
assert_ = assert_op


def __getattr__(name):
    if name in REGISTRARS:
        return REGISTRARS[name]
    if name == "make_vector":
        return MakeVector()
    if name in _OF_GOF:
        return getattr(importlib.import_module("croton.gof." + _OF_GOF[name]), name)
    if name.startswith("local_") or name in ("constant_folding", *_OTHER_NAMES):
        if rewrite_called(_OTHER_NAMES.get(name, name)):
            return EngineRewrite(_OTHER_NAMES.get(name, name))
    if name.startswith(("local_", "register_", "Shape", "Fusion")):
        return missing.stand_in("croton.tensor.opt." + name, "no rewrite of the engine has this name; mode.excluding(%r) is accepted" % name)
    raise AttributeError("module 'theano.tensor.opt' has no attribute %r" % name)
