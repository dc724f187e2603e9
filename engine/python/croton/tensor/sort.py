"""Sorting."""
from croton import _core
from croton.gof.graph import Variable
from croton.tensor import basic
from croton.tensor.functions.axes import normal_axis
from croton.tensor.opclasses import ArgSortOp, SortOp, TopKOp  # noqa: F401
from croton.tensor.run_time_axis import ArgSortAlong, SortAlong, known_or_variable


def _prepared(a, axis):
    a, axis = basic.as_tensor_variable(a), known_or_variable(axis, "iuf")  # T.scalar() is a float
    if isinstance(axis, Variable):
        return a, axis
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
    return SortAlong()(a, axis) if isinstance(axis, Variable) else _core.sort(a, axis)


def argsort(a, axis=-1, kind="quicksort", order=None):
    """The indices that sort along an axis."""
    if order is not None:
        raise ValueError("order is for arrays with fields; leave it out")
    a, axis = _prepared(a, axis)
    return ArgSortAlong()(a, axis) if isinstance(axis, Variable) else _core.argsort(a, axis)


def _top(kth, size):
    """Where the k largest (k negative: smallest) of so many sorted elements are."""
    if not isinstance(kth, Variable):
        if kth == 0:
            raise ValueError("topk: kth cannot be zero")
        count = _checked(basic.constant(abs(kth), dtype="int64"), size)
        return slice(-count, None) if kth > 0 else slice(None, count)
    if kth.ndim != 0 or kth.dtype[0] not in "iu":
        raise TypeError("kth must be an integer scalar, got %s of type %s" % (kth, kth.type))
    kth = basic.cast(kth, "int64")
    count = _checked(basic.abs_(kth), size)
    return slice(basic.switch(kth > 0, size - count, 0), basic.switch(kth > 0, size, count))


def _checked(count, size):
    """So many elements; a ValueError when it runs where the axis does not have them."""
    fits = basic.and_(basic.gt(count, 0), basic.le(count, size))
    return _core.assert_true(count, [fits], "topk: kth cannot be zero, nor larger than the size of the axis", as_value=True)


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
    x, axis = _prepared(x, axis)
    return sort(x, axis)[(slice(None),) * axis + (_top(kth, basic.shape_i(x, axis)),)]


def argtopk(x, kth, axis=-1, sorted=True, idx_dtype="int64"):
    x, axis = _prepared(x, axis)
    return basic.cast(argsort(x, axis)[(slice(None),) * axis + (_top(kth, basic.shape_i(x, axis)),)], idx_dtype)
