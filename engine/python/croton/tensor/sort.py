"""Sorting."""
from croton import _core
from croton.tensor import basic
from croton.tensor.functions.axes import normal_axis


def _prepared(a, axis):
    a = basic.as_tensor_variable(a)
    if axis is None:
        return basic.flatten(a), 0
    if a.ndim == 0:
        raise ValueError("a scalar has no axis to sort along")
    return a, normal_axis(axis, a.ndim)


def sort(a, axis=-1, kind="quicksort", order=None):
    """The elements in ascending order along an axis (None: of all)."""
    if order is not None:
        raise ValueError("order is for arrays with fields; leave it out")
    a, axis = _prepared(a, axis)
    return _core.sort(a, axis)


def argsort(a, axis=-1, kind="quicksort", order=None):
    """The indices that sort along an axis."""
    if order is not None:
        raise ValueError("order is for arrays with fields; leave it out")
    a, axis = _prepared(a, axis)
    return _core.argsort(a, axis)


def _top(kth, n):
    return slice(-kth, None) if kth > 0 else slice(None, -kth)


def topk_and_argtopk(x, kth, axis=-1, sorted=True, idx_dtype="int64"):
    """The k largest (k negative: smallest) elements and where they are."""
    where = argtopk(x, kth, axis, sorted, idx_dtype)
    x, axis = _prepared(x, axis)
    moved = basic.moveaxis(x, axis, -1)
    index = basic.moveaxis(where, axis, -1)
    grids = []
    for other in range(moved.ndim - 1):
        pattern = ["x"] * moved.ndim
        pattern[other] = 0
        grids.append(basic.dimshuffle(basic.arange(basic.shape_i(moved, other)), pattern))
    return basic.moveaxis(moved[tuple(grids) + (index,)], -1, axis), where


def topk(x, kth, axis=-1, sorted=True, idx_dtype="int64"):
    ordered = sort(x, axis)
    _, axis = _prepared(x, axis)
    return ordered[(slice(None),) * axis + (_top(kth, None),)]


def argtopk(x, kth, axis=-1, sorted=True, idx_dtype="int64"):
    order = argsort(x, axis)
    _, axis = _prepared(x, axis)
    return basic.cast(order[(slice(None),) * axis + (_top(kth, None),)], idx_dtype)
