"""Updates that shared variables bring along, givens as pairs."""

from croton import _core
from croton.gof.graph import SharedVariableBase, Variable


def pairs_of(pairs, what):
    """A list of (variable, expression) from a dict, a list of pairs or an object with items()."""
    if hasattr(pairs, "items"):
        return list(pairs.items())
    result = []
    if isinstance(pairs, Variable) or not hasattr(pairs, "__iter__"):
        raise ValueError("%s must be a dictionary or a list of pairs, got %r" % (what, pairs))
    for pair in pairs:
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise ValueError("%s must be a dictionary or a list of pairs, one entry is %r" % (what, pair))
        result.append((pair[0], pair[1]))
    return result


def collect_default_updates(outputs, updates, givens, inputs, no_default_updates):
    """Pairs for default_update of the shared variables that are used, and of those that these use."""
    if not isinstance(no_default_updates, (bool, list, tuple)):
        raise TypeError("no_default_update should be either a boolean or a list of shared variables, got %r" % (no_default_updates,))
    if no_default_updates is True:
        return []
    skipped = set() if no_default_updates is False else set(no_default_updates)
    known = {target for target, _ in updates} | skipped
    replaced = {old for old, _ in givens}
    blockers = inputs + list(replaced)
    found, visited = [], set()
    # A replacement may contain what it replaces: there it is used.
    leaves = _core.leaves([new for _, new in givens], inputs)
    todo = list(outputs) + [value for _, value in updates]
    while todo or leaves:
        leaves += [leaf for leaf in _core.leaves(todo, blockers) if leaf not in replaced]
        new, leaves, todo = [leaf for leaf in leaves if leaf not in visited], [], []
        for leaf in new:
            visited.add(leaf)
            update = leaf.__dict__.get("default_update") if isinstance(leaf, SharedVariableBase) else None
            if update is None or leaf in known:
                continue
            update = leaf.filter_update(update)
            known.add(leaf)
            found.append((leaf, update))
            todo.append(update)
    return found


def rebuild_collect_shared(outputs, inputs=None, replace=None, updates=None, rebuild_strict=True, copy_inputs_over=True,
                           no_default_updates=False):
    raise NotImplementedError("use theano.clone(outputs, replace=…) or theano.function(…, givens=…)")
