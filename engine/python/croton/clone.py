"""theano.clone"""
from croton import _core
from croton.gof.graph import SharedVariableBase, Variable


def clone(output, replace=None, strict=True, share_inputs=True, copy_inputs=None):
    """A copy of expressions with some variables replaced: clone(y, replace={x: z})."""
    if copy_inputs is not None:
        share_inputs = not copy_inputs
    pairs = list(replace.items()) if isinstance(replace, dict) else list(replace or [])
    many = isinstance(output, (list, tuple))
    outputs = list(output) if many else [output]
    from_, to = [], []
    for old, new in pairs:
        if not isinstance(new, Variable):
            from croton.tensor.basic import as_tensor_variable
            new = as_tensor_variable(new)
        if new.type != old.type:
            if strict:
                new = old.type.filter_variable(new)
            elif getattr(new, "ndim", None) != getattr(old, "ndim", None):
                raise TypeError("clone cannot replace %s of type %s by %s of type %s" % (old, old.type, new, new.type))
        from_.append(old)
        to.append(new)
    if not share_inputs:
        for leaf in _core.leaves(outputs, from_):
            if leaf not in from_ and _core.variable_kind(leaf) == 0:
                from_.append(leaf)
                to.append(leaf.clone())
    copied = _core.substitute(outputs, from_, to) if from_ else outputs
    return list(copied) if many else copied[0]
