"""Do two graphs compute the same?"""
from croton.gof import graph
from croton.gof.graph import Constant
from croton.gof.substitute import substituted
from croton.gof.utils import also_in


def equal_computations(xs, ys, in_xs=None, in_ys=None):
    """Do xs and ys apply the same ops to the same leaves? Those of in_xs stand for those of in_ys."""
    xs, ys, in_xs, in_ys = list(xs), list(ys), list(in_xs or []), list(in_ys or [])
    if len(xs) != len(ys) or len(in_xs) != len(in_ys):
        raise ValueError("equal_computations compares lists of one length, got %d and %d outputs, %d and %d inputs"
                         % (len(xs), len(ys), len(in_xs), len(in_ys)))
    if any(x.type != y.type for x, y in zip(xs + in_xs, ys + in_ys)):
        return False
    same, left = set(zip(in_xs, in_ys)), list(zip(xs, ys))
    while left:
        x, y = left.pop()
        if x is y or (x, y) in same:
            continue
        same.add((x, y))
        if isinstance(x, Constant):
            if not x.equals(y):
                return False
        elif x.owner is None or y.owner is None or x.index != y.index or x.owner.nin != y.owner.nin or x.owner.op != y.owner.op:
            return False
        else:
            left.extend(zip(x.owner.inputs, y.owner.inputs))
    return True


def is_same_graph(var1, var2, givens=None, debug=False):
    """Do two variables have the same computation, once `givens` has replaced what it names in both?"""
    pairs = [(old, old.type.filter_variable(new)) for old, new in dict(givens or {}).items()]
    first, second = substituted([var1, var2], *map(list, zip(*pairs))) if pairs else (var1, var2)
    return equal_computations([first], [second])


def is_same_graph_with_merge(var1, var2, givens=None):
    return is_same_graph(var1, var2, givens)


also_in(graph, globals())
