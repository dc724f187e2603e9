"""The sizes of the variables of a graph, as expressions that do not compute the variables where that can be avoided."""
from croton import _core
from croton.compile.rewriting import EngineOptimizer
from croton.gof.compare import is_same_graph
from croton.gof.fg import FunctionGraph
from croton.gof.graph import Constant, SharedVariableBase
from croton.gof.optdb import Query
from croton.gof.toolbox import Feature
from croton.tensor import basic

_SIMPLER = ("canonicalize", "merge", "local_shape_to_shape_i", "shape_opt")


class _Shapes(dict):
    """{variable: its sizes}, found when they are asked for; None for what has no dimensions."""

    def __missing__(self, variable):
        sizes = None
        if hasattr(variable, "ndim"):
            sizes = tuple(basic.constant(1, dtype="int64") if one else basic.shape_i(variable, axis)
                          for axis, one in enumerate(variable.broadcastable))
            if variable.owner is not None:
                sizes = _simplified(sizes)
        self[variable] = sizes
        return sizes


def _simplified(sizes):
    leaves = [leaf for leaf in _core.leaves(list(sizes), []) if not isinstance(leaf, (Constant, SharedVariableBase))]
    return tuple(_core.rewritten(leaves, list(sizes), EngineOptimizer(Query(include=_SIMPLER))._settings()))


class ShapeFeature(Feature):
    """graph.shape_feature.shape_of[variable] is a tuple of sizes."""

    def __init__(self):
        self.shape_of = _Shapes()

    def on_attach(self, fgraph):
        fgraph.shape_feature = self

    def on_detach(self, fgraph):
        fgraph.shape_feature = None

    def get_shape(self, var, idx):
        return self.shape_of[var][idx]

    def shape_ir(self, i, r):
        return self.shape_of[r][i]

    def shape_tuple(self, r):
        return self.shape_of[r]

    def set_shape(self, r, s, override=False):
        if s is not None and len(s) != r.ndim:
            raise AssertionError("%s has %d dimensions, the shape %d" % (r, r.ndim, len(s)))
        if override or r not in self.shape_of:
            self.shape_of[r] = None if s is None else tuple(basic.as_tensor_variable(size) for size in s)

    def set_shape_i(self, r, i, s_i):
        sizes = list(self.shape_of[r])
        sizes[i] = basic.as_tensor_variable(s_i)
        self.shape_of[r] = tuple(sizes)

    def update_shape(self, r, other_r):
        self.shape_of[r] = self.shape_of[other_r]

    def init_r(self, r):
        self.shape_of[r]

    def same_shape(self, x, y, dim_x=None, dim_y=None):
        """Are the sizes known to be the same?"""
        ours, theirs = self.shape_of[x], self.shape_of[y]
        if ours is None or theirs is None:
            return False
        if dim_x is not None:
            ours = (ours[dim_x],)
        if dim_y is not None:
            theirs = (theirs[dim_y],)
        return len(ours) == len(theirs) and all(is_same_graph(a, b) for a, b in zip(ours, theirs))


FunctionGraph.new_shape_feature = ShapeFeature
