"""theano.clone"""
from croton import _core
from croton.compile.rebuild import listed, pairs_of
from croton.gof.graph import SharedVariableBase, Variable


def clone(output, replace=None, strict=True, share_inputs=True, copy_inputs=None):
    """A copy of expressions with some variables replaced: clone(y, replace={x: z})."""
    if copy_inputs is not None:
        share_inputs = not copy_inputs
    pairs = pairs_of(replace or [], "replace")
    outputs = listed(output)
    many = outputs is not None
    outputs = outputs if many else [output]
    for variable in outputs:
        if not isinstance(variable, Variable):
            raise TypeError("clone() copies a variable or a list of variables, got %r" % (variable,))
    from_, to = [], []
    for old, new in pairs:
        if not isinstance(new, Variable):
            new = old.type.filter_variable(new)
        if new.type != old.type and strict:
            new = old.type.filter_variable(new)
        from_.append(old)
        to.append(new)
    if not share_inputs:
        for leaf in _core.leaves(outputs, from_):
            if leaf not in from_ and _core.variable_kind(leaf) == 0:
                from_.append(leaf)
                to.append(leaf.clone())
    copied = _core.substitute(outputs, from_, to) if from_ else outputs
    return list(copied) if many else copied[0]
