"""Basic and advanced indexing, reading and writing."""
from pytensor.tensor import subtensor, type_other

import croton.tensor as T
from croton.pytensor.table import NoConversion, conversion


def _index(variable, ours):
    """What stands between brackets for one input of an advanced index: an array, a slice, or a new axis."""
    if isinstance(variable.type, type_other.NoneTypeT):
        return None
    if isinstance(variable, type_other.SliceConstant):
        return variable.data
    return ours


def _indices(op, inputs):
    """The index of a basic subtensor, whose op says where its inputs go."""
    left = iter(inputs)

    def filled(entry):
        if isinstance(entry, slice):
            return slice(filled(entry.start), filled(entry.stop), filled(entry.step))
        return entry if entry is None or isinstance(entry, int) else next(left)
    return tuple(filled(entry) for entry in op.idx_list)


def _written(op, x, index, y):
    part = x[index]
    return T.set_subtensor(part, y) if op.set_instead_of_inc else T.inc_subtensor(part, y)


@conversion(subtensor.Subtensor)
def subtensor_(op, node, x, *inputs):
    return x[_indices(op, inputs)]


@conversion(subtensor.IncSubtensor)
def inc_subtensor(op, node, x, y, *inputs):
    index = _indices(op, inputs)
    return _written(op, x, index if index else (Ellipsis,), y)


@conversion(type_other.MakeSlice)
def make_slice(op, node, start, stop, step):
    return slice(*(None if isinstance(theirs.type, type_other.NoneTypeT) else ours
                   for theirs, ours in zip(node.inputs, (start, stop, step), strict=True)))


@conversion(subtensor.AdvancedSubtensor1)
def rows(op, node, x, places):
    return x[places]


@conversion(subtensor.AdvancedIncSubtensor1)
def inc_rows(op, node, x, y, places):
    return _written(op, x, places, y)


@conversion(subtensor.AdvancedSubtensor)
def advanced(op, node, x, *inputs):
    return x[tuple(_index(*pair) for pair in zip(node.inputs[1:], inputs, strict=True))]


@conversion(subtensor.AdvancedIncSubtensor)
def inc_advanced(op, node, x, y, *inputs):
    if op.ignore_duplicates:
        raise NoConversion("%s that ignores duplicates" % op)
    return _written(op, x, tuple(_index(*pair) for pair in zip(node.inputs[2:], inputs, strict=True)), y)
