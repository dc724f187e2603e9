"""Whether two values lie in the same memory."""
import numpy


def _memory(value):
    """The arrays a value is made of, or None of what is no array."""
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return [numpy.asarray(value)]
    parts = [getattr(value, name, None) for name in ("data", "indices", "indptr")]  # a sparse matrix
    return parts if all(isinstance(part, numpy.ndarray) for part in parts) else None


def may_share_memory(a, b, raise_other_type=True):
    ours, theirs = _memory(a), _memory(b)
    if ours is None or theirs is None:
        if raise_other_type:
            raise TypeError("may_share_memory takes arrays and sparse matrices, got %s and %s" % (type(a).__name__, type(b).__name__))
        return False
    return any(numpy.may_share_memory(one, other) for one in ours for other in theirs)
