"""theano.clone"""
from croton import _core
from croton.compile.rebuild import pairs_of
from croton.configparser import config
from croton.gof.graph import Variable
from croton.gof.substitute import substituted
from croton.gof.utils import listed


def _share_test_values(outputs, copies, new):
    """What is computed has the test values of what it is a copy of: the replacements need none."""
    seen, pending = set(new), list(zip(outputs, copies))
    while pending:
        one, copy = pending.pop()
        if one is copy or copy in seen:
            continue
        seen.add(copy)
        tag = one.__dict__.get("_tag")
        if hasattr(tag, "test_value") and not hasattr(copy.tag, "test_value"):
            copy.tag.test_value = tag.test_value
        if one.owner is not None and copy.owner is not None:
            pending += zip(one.owner.inputs, copy.owner.inputs)


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
    copied = substituted(outputs, from_, to) if from_ else outputs
    if config.compute_test_value != "off":
        _share_test_values(outputs, copied, to)
    return list(copied) if many else copied[0]
