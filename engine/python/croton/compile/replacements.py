"""Updates and givens: what replaces what, and whether it may."""
import numpy

from croton.compile.sharedvalue import shared
from croton.gof.graph import SharedVariableBase, Variable, ancestors


def checked_updates(updates):
    result, seen = [], set()
    for target, value in updates:
        if not isinstance(target, SharedVariableBase):
            raise TypeError("update target must be a SharedVariable", target)
        if target in seen:
            raise ValueError("this shared variable already has an update expression", (target, value))
        seen.add(target)
        original = value
        try:
            value = target.filter_update(value) if hasattr(target, "filter_update") else value
        except TypeError as error:
            raise TypeError(_update_sentence(target, original)) from error
        result.append((target, value))
    return result


def _update_sentence(target, value):
    kind = getattr(value, "type", type(value).__name__)
    sentence = ("An update must have the same type as the original shared variable (shared_var=%s, shared_var.type=%s, "
                "update_val=%s, update_val.type=%s)." % (target, target.type, value, kind))
    if getattr(value, "ndim", None) != getattr(target, "ndim", None):
        return sentence + " The number of dimensions differs."
    if getattr(value, "dtype", None) != getattr(target, "dtype", None):
        return sentence + " If the difference is related to the dtype, use update_val.astype(%r)." % target.dtype
    return (sentence + " If the difference is related to the broadcast pattern, you can call the "
            "tensor.unbroadcast(var, axis_to_unbroadcast[, ...]) function to remove broadcastable dimensions.")


def checked_givens(givens, slots, strict):
    """The pairs, and whether they have to be put into the expressions at once: one contains what it replaces, or has another type."""
    result, at_once = [], False
    inputs = {slot.variable for slot in slots}
    for old, new in givens:
        if not isinstance(old, Variable):
            raise TypeError("given keys must be Variable", old)
        if old in inputs:
            raise RuntimeError("You are trying to replace variable '%s' through the `givens` parameter, but this variable is an input to your "
                               "function. Replacing inputs is currently forbidden because it has no effect. One way to modify an input `x` to "
                               "a function evaluating f(x) is to define a new input `y` and use `theano.function([y], f(x), givens={x: "
                               "g(y)})`. Another solution consists in using `theano.clone`, e.g. like this: `theano.function([x], "
                               "theano.clone(f(x), replace={x: g(x)}))`." % old)
        if not isinstance(new, Variable):
            new = shared(numpy.asarray(new, dtype=getattr(old, "dtype", None)) if hasattr(old, "dtype") else new)
        if new.type != old.type and strict:
            new = old.type.filter_variable(new, allow_convert=True)
        at_once |= new.type != old.type
        result.append((old, new))
    replaced = {old for old, _ in result}
    seen = set()
    for old, _ in result:
        if old in seen:
            raise AssertionError("the variable %s is replaced twice by givens" % old)
        seen.add(old)
    for old, new in result:
        for ancestor in ancestors([new]):
            at_once |= ancestor is old and new is not old
            if ancestor in replaced and ancestor is not old:
                raise AssertionError("When using 'givens' or 'replace' with several (old_v, new_v) replacement pairs, you can not have a "
                                     "new_v variable depend on an old_v one. For instance, givens = {a:b, b:(a+1)} is not allowed. Here, "
                                     "the old_v %s is used to compute other new_v's, but it is scheduled to be replaced by %s."
                                     % (ancestor, dict(result)[ancestor]))
    return result, at_once
