"""What is known about a value before anything runs."""
from croton import _core
from croton.gof.op import parameters


def size(variable, axis):
    """The static size along an axis, or None."""
    hint = variable.type.shape[axis]
    if hint is not None:
        return hint
    if axis == 0 and variable.ndim == 1:
        return _vector_length(variable)
    return None


def _vector_length(variable):
    owner = variable.owner
    if owner is None:
        return None
    kind = owner.op.__class__.__name__
    if kind == "MakeVector":
        return len(owner.inputs)
    if kind == "Shape":
        return owner.inputs[0].ndim
    if kind == "Join":
        parts = [size(part, 0) for part in owner.inputs[1:]]
        return None if None in parts else sum(parts)
    if kind == "Elemwise":
        for part in owner.inputs:
            if not part.broadcastable[0]:
                return size(part, 0)
        return 1
    if kind == "Subtensor":
        scalars = iter(owner.inputs[1:])
        for entry in parameters(owner.op)["index"]:
            bounds = []
            for dtype in entry.split(":"):
                known = _core.scalar_constant_value(next(scalars)) if dtype else None
                if dtype and known is None:
                    return None
                bounds.append(None if known is None else int(known))
            if len(bounds) > 1:
                length = size(owner.inputs[0], 0)
                return None if length is None else len(range(*slice(*bounds).indices(length)))
    return None
