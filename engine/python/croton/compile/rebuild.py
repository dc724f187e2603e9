"""Updates that shared variables bring along, givens as pairs."""

from croton import _core
from croton.compile.io import Out
from croton.compile.replacements import checked_updates
from croton.gof.graph import SharedVariableBase, Variable, clone_get_equiv, graph_inputs
from croton.gof.utils import listed


def pairs_of(pairs, what):
    """A list of (variable, expression) from a dict, a list of pairs or an object with items()."""
    if hasattr(pairs, "items"):
        return list(pairs.items())
    result = []
    if isinstance(pairs, Variable) or not hasattr(pairs, "__iter__"):
        raise ValueError("%s must be a dictionary or a list of pairs, got %r" % (what, pairs))
    for pair in pairs:
        two = listed(pair)
        if two is None or len(two) != 2:
            raise ValueError("%s must be a dictionary or a list of pairs, one entry is %r" % (what, pair))
        result.append(tuple(two))
    return result


def collect_default_updates(outputs, updates, givens, inputs, no_default_updates):
    """Pairs for default_update of the shared variables that are used, and of those that these use."""
    without = no_default_updates if isinstance(no_default_updates, (bool, set, frozenset)) else listed(no_default_updates)
    if without is None:
        raise TypeError("no_default_update should be either a boolean or a list of shared variables, got %r" % (no_default_updates,))
    if without is True:
        return []
    skipped = set(without or ())
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
    """A copy of the graph of a function to be: (inputs, outputs, [{old: new}, {shared: new value}, the pairs of it, shared variables])."""
    several = listed(outputs)
    asked = ([] if outputs is None else [outputs]) if several is None else several
    values = [value.variable if isinstance(value, Out) else value for value in asked]
    for value in values:
        if not isinstance(value, Variable):
            raise TypeError("Outputs must be theano Variable or Out instances. Received %s of type %s" % (value, type(value)))
    inputs = listed(inputs or [])
    for value in inputs:
        if isinstance(value, SharedVariableBase):
            raise TypeError("Cannot use a shared variable (%s) as explicit input. Consider substituting a non-shared variable via the "
                            "`givens` parameter" % value)
    memo = {value: value if copy_inputs_over else value.clone() for value in inputs}

    def copied(variables):
        clone_get_equiv(list(memo), variables, copy_inputs=False, copy_orphans=not copy_inputs_over, memo=memo)
        return [memo[variable] for variable in variables]

    pairs = pairs_of(replace or [], "replace")
    for old, new in pairs:
        if old in inputs:
            raise AssertionError("%s is an input and cannot be replaced" % old)
        if not isinstance(new, Variable) or rebuild_strict:
            new = old.type.filter_variable(new)
        memo[old] = copied([new])[0]
    targets = checked_updates(pairs_of(updates or [], "updates"))
    targets += collect_default_updates(values, targets, pairs, inputs, no_default_updates)
    copies = copied(values)
    new_values = [(target, copied([value])[0]) for target, value in targets]
    shared = [leaf for leaf in graph_inputs(copies + [value for _, value in new_values]) if isinstance(leaf, SharedVariableBase)]
    shared += [target for target, _ in targets if target not in shared]
    results = [Out(copy, value.borrow) if isinstance(value, Out) else copy for copy, value in zip(copies, asked)]
    return list(memo[value] for value in inputs), results if several is not None or outputs is None else results[0], [memo, dict(new_values), new_values, shared]
