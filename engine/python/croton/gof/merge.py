"""Equal parts of a graph become one."""
from croton import _core
from croton.gof import opt
from croton.gof.errors import InconsistencyError
from croton.gof.fg import FunctionGraph
from croton.gof.graph import Constant, graph_inputs, io_toposort
from croton.gof.opt import EquilibriumOptimizer, Optimizer
from croton.gof.toolbox import ReplaceValidate
from croton.gof.utils import also_in


class MergeOptimizer(Optimizer):
    """Equal applies on the same inputs become one, equal constants too."""

    def add_requirements(self, fgraph):
        fgraph.attach_feature(ReplaceValidate())

    def apply(self, fgraph):
        constants = {}
        for variable in fgraph.variables:
            if not isinstance(variable, Constant):
                continue
            key = variable.type, _content(variable.data)
            kept = constants.setdefault(key, variable)
            if kept is not variable:
                fgraph.replace_validate(variable, kept, reason="MergeOptimizer")
        seen = {}
        for node in fgraph.toposort():
            key = node.op, tuple(node.inputs)
            if getattr(node.op, "destroy_map", None):
                continue
            kept = seen.setdefault(key, node)
            if kept is node:
                continue
            pairs = list(zip(node.outputs, kept.outputs))
            for old, new in pairs:
                if old.name and not new.name:
                    new.name = old.name
            try:
                fgraph.replace_all_validate(pairs, reason="MergeOptimizer")
            except InconsistencyError:
                pass


def _content(value):
    array = getattr(value, "tobytes", None)
    return (value.shape, value.tobytes()) if array else repr(value)


def pre_constant_merge(variables):
    """Equal constants among what these variables are computed from become one."""
    seen = {}
    for apply in io_toposort([], variables):
        for index, variable in enumerate(apply.inputs):
            if isinstance(variable, Constant):
                kept = seen.setdefault((variable.type, _content(variable.data)), variable)
                if kept is not variable:
                    _core.set_input(apply, index, kept)
    return variables


def pre_greedy_local_optimizer(optimizations, out):
    """`out` once these local optimizers have worked on a graph that belongs to nobody yet."""
    inputs = [leaf for leaf in graph_inputs([out]) if not isinstance(leaf, Constant)]
    fgraph = FunctionGraph(inputs, [out], clone=False)
    EquilibriumOptimizer(list(optimizations), ignore_newtrees=False).optimize(fgraph)
    (result,) = fgraph.outputs
    fgraph.disown()
    return result


also_in(opt, globals())
