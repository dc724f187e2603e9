"""Elements picked by a condition or a number."""
import functools

from croton import _core
from croton.gof.utils import listed
from croton.tensor.functions.conversion import as_tensor_variable
from croton.tensor.functions.creation import alloc, arange
from croton.tensor.functions.elementwise import cast, clip, eq, ge, lt, maximum, mod, switch
from croton.tensor.functions.joining import stack
from croton.tensor.functions.reductions import all
from croton.tensor.functions.shapes import dimshuffle, flatten, shape_i, shape_padleft


def nonzero(a, return_matrix=False):
    """Index vectors of the elements that are not zero, one a dimension."""
    a = as_tensor_variable(a)
    if a.ndim == 0:
        raise ValueError("Nonzero only supports non-scalar arrays.")
    found = _core.nonzero(a)
    return stack(found, axis=0) if return_matrix else tuple(found)


def flatnonzero(a):
    a = as_tensor_variable(a)
    if a.ndim == 0:
        raise ValueError("Nonzero only supports non-scalar arrays.")
    return nonzero(flatten(a))[0]


def nonzero_values(a):
    a = as_tensor_variable(a)
    return flatten(a)[flatnonzero(a)]


def permute_row_elements(x, y, inverse=0):
    """x with the elements of its last axis in the order y (inverse: back from that order); x and y broadcast to each other."""
    x, y = as_tensor_variable(x), as_tensor_variable(y)
    if y.dtype[0] not in "iu":
        raise TypeError("a permutation is made of integers, got %s" % y.type)
    if x.ndim == 0 or y.ndim == 0:
        raise ValueError("permute_row_elements takes rows: x and y need at least one dimension")
    y = inverse_permutation(y) if inverse else y
    ndim = x.ndim if x.ndim > y.ndim else y.ndim
    x, y = shape_padleft(x, ndim - x.ndim), shape_padleft(y, ndim - y.ndim)
    rows = [0 if x.broadcastable[axis] else dimshuffle(arange(shape_i(x, axis)), [0] + ["x"] * (ndim - 1 - axis))
            for axis in range(ndim - 1)]
    return x[tuple(rows) + (y,)]


def inverse_permutation(perm):
    """The permutation that undoes perm (of every row, if it has several)."""
    perm = as_tensor_variable(perm)
    if perm.dtype[0] not in "iu":
        raise TypeError("a permutation is made of integers, got %s" % perm.type)
    return cast(_core.argsort(perm, perm.ndim - 1), perm.dtype)


def _of_one_shape(*values):
    """As NumPy broadcasts them: sizes of 1 that only the run knows, too."""
    values = [as_tensor_variable(value) for value in values]
    ndim = max([value.ndim for value in values])
    values = [shape_padleft(value, ndim - value.ndim) for value in values]
    sizes = []
    for axis in range(ndim):
        of_several = [shape_i(value, axis) for value in values if not value.broadcastable[axis]]
        sizes.append(functools.reduce(maximum, of_several) if of_several else 1)
    return [alloc(value, *sizes) if sizes else value for value in values]


MOST_BROADCAST = 32  # choices, which is NumPy's limit; more have to have one shape


def choose(a, choices, out=None, mode="raise"):
    """choices[a[i]][i] for every i; choices is a list of tensors that are broadcast, or a tensor of one more dimension."""
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError("mode must be raise, wrap or clip")
    several, a = listed(choices), as_tensor_variable(a)
    if several is not None and len(several) > MOST_BROADCAST:
        several = None  # each would be looked at for every element: one array of them, of which elements are taken
    if a.dtype[0] not in "biu":
        raise TypeError("choose picks by integers, got %s" % a.type)
    a = cast(a, "int64") if a.dtype == "bool" else a
    if several is None:
        choices = as_tensor_variable(choices)
        if choices.ndim == 0:
            raise TypeError("choose needs a list of choices, or a tensor of at least one dimension")
    elif not several:
        raise ValueError("choose needs at least one choice")
    count = shape_i(choices, 0) if several is None else len(several)
    if mode == "wrap":
        a = mod(a, count)
    elif mode == "clip":
        a = clip(a, 0, count - 1)
    else:
        a = _core.assert_true(a, [all(ge(a, 0))], "invalid entry in choice array: an index is negative")
        if several is not None:
            a = _core.assert_true(a, [all(lt(a, count))], "invalid entry in choice array: an index is not smaller than the number of choices")
    if several is not None:
        a, *several = _of_one_shape(a, *several)
        result = several[-1]
        for place in reversed(range(count - 1)):
            result = switch(eq(a, place), several[place], result)
        return result
    places = choices.ndim - 1
    rows = [as_tensor_variable([0]) if choices.broadcastable[1 + i] else arange(shape_i(choices, 1 + i)) for i in range(places)]
    grid = [dimshuffle(row, [0] + ["x"] * (places - 1 - i)) for i, row in enumerate(rows)]
    return choices[tuple([a] + grid)]
