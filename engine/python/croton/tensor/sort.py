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


def _top_results(x, kth, axis, sorted, idx_dtype, values, places):
    """The results of one TopKOp: values, places, or both."""
    x = basic.as_tensor_variable(x)
    if axis is None:
        x, axis = basic.flatten(x), 0
    if x.ndim == 0:
        raise ValueError("topk: a scalar has no axis to take elements along")
    normal_axis(axis, x.ndim)
    if not isinstance(idx_dtype, str) or idx_dtype not in basic.integer_dtypes:
        raise TypeError('"idx_dtype" parameter must be an integer dtype, got "%s"' % (idx_dtype,))
    if not isinstance(kth, Variable) and kth == 0:
        raise ValueError("topk: kth cannot be zero")
    kth = basic.as_tensor_variable(kth)
    if kth.ndim != 0 or kth.dtype not in basic.integer_dtypes:
        raise TypeError("kth must be an integer scalar, got %s of type %s" % (kth, kth.type))
    return _core.top_k(x, kth, int(axis), bool(sorted), idx_dtype, values, places)


def topk_and_argtopk(x, kth, axis=-1, sorted=True, idx_dtype="int64"):
    """The k largest (k negative: smallest) elements and where they are, in ascending order."""
    return tuple(_top_results(x, kth, axis, sorted, idx_dtype, True, True))


def topk(x, kth, axis=-1, sorted=True, idx_dtype="int64"):
    return _top_results(x, kth, axis, sorted, idx_dtype, True, True)[0]


def argtopk(x, kth, axis=-1, sorted=True, idx_dtype="int64"):
    return _top_results(x, kth, axis, sorted, idx_dtype, True, True)[1]
