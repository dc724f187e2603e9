"""Elements picked by a condition or a number."""
from croton import _core
from croton.tensor.functions.conversion import as_tensor_variable
from croton.tensor.functions.creation import arange
from croton.tensor.functions.elementwise import clip, ge, mod
from croton.tensor.functions.joining import stack
from croton.tensor.functions.reductions import all
from croton.tensor.functions.shapes import dimshuffle, flatten, shape_i


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


def choose(a, choices, out=None, mode="raise"):
    """choices[a[i]][i] for every i; choices is a list of tensors or a tensor of one more dimension."""
    from croton.tensor.opt import Assert
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError("mode must be raise, wrap or clip")
    a, choices = as_tensor_variable(a), as_tensor_variable(choices)
    if choices.ndim == 0:
        raise TypeError("choose needs a list of choices, or a tensor of at least one dimension")
    count = shape_i(choices, 0)
    if mode == "wrap":
        a = mod(a, count)
    elif mode == "clip":
        a = clip(a, 0, count - 1)
    else:
        a = Assert("invalid entry in choice array: an index is negative")(a, all(ge(a, 0)))
    places = choices.ndim - 1
    grid = [0 if choices.broadcastable[1 + i] else dimshuffle(arange(shape_i(choices, 1 + i)), [0] + ["x"] * (places - 1 - i))
            for i in range(places)]
    return choices[tuple([a] + grid)]
