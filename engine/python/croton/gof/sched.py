"""Orders that satisfy several wishes, the first ones first."""
from croton.gof.graph import ancestors, general_toposort, io_toposort


def make_dependence_cmp():
    """f(a, b) of applies: above 0 if a depends on b, below if b depends on a."""
    above = {}

    def depends(a, b):
        if a not in above:
            above[a] = set(ancestors(a.inputs))
        return any(output in above[a] for output in b.outputs)

    return lambda a, b: 1 if depends(a, b) else -1 if depends(b, a) else 0


def posort(items, *cmps):
    """The items in an order in which each comparator is obeyed as far as those before it allow."""
    before, after = {item: set() for item in items}, {item: set() for item in items}
    for compare in cmps:
        for a in items:
            for b in items:
                if compare(a, b) >= 0 or b in before[a] or b in after[a]:
                    continue
                for first in before[a] | {a}:
                    after[first] |= after[b] | {b}
                for last in after[b] | {b}:
                    before[last] |= before[a] | {a}
    return general_toposort(reversed(items), before.get)


def sort_apply_nodes(inputs, outputs, cmps):
    """The applies between inputs and outputs, producers first, and as the comparators want it beside that."""
    return posort(io_toposort(inputs, outputs), make_dependence_cmp(), *cmps)


def sort_schedule_fn(*cmps):
    """A function of a FunctionGraph that orders its applies so."""
    return lambda fgraph: sort_apply_nodes(fgraph.inputs, fgraph.outputs, cmps)
