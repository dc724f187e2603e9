"""Tensors side by side, cut apart, repeated."""
import warnings

from croton import _core
from croton.gof.graph import Variable
from croton.gof.utils import listed
from croton.tensor.functions.axes import normal_axis
from croton.tensor.functions.conversion import as_tensor_variable, stacked
from croton.tensor.functions.elementwise import cast
from croton.tensor.functions.known_values import get_vector_length
from croton.tensor.run_time_axis import JoinAlong, SplitAlong, known_or_variable


def join(axis, *tensors_list):
    """The tensors one behind the other along an axis."""
    if len(tensors_list) == 0:
        raise ValueError("Cannot join an empty list of tensors")
    if len(tensors_list) == 1:
        return as_tensor_variable(tensors_list[0])
    axis = known_or_variable(axis)
    if isinstance(axis, Variable):
        return JoinAlong()(axis, *tensors_list)
    tensors = [as_tensor_variable(one) for one in tensors_list]
    return _core.join(normal_axis(axis, tensors[0].ndim) if tensors[0].ndim else int(axis), tensors)


def concatenate(tensor_list, axis=0):
    tensors = listed(tensor_list)
    if tensors is None:
        raise TypeError("The 'tensors' argument must be either a tuple or a list, make sure you did not forget () or [] around "
                        "arguments of concatenate.", tensor_list)
    return join(axis, *tensors)


def stack(*tensors, **kwargs):
    """stack([a, b], axis=0): a new axis; stack(a, b) is the old form."""
    if not tensors and not kwargs:
        raise Exception("theano.tensor.stack(tensors, axis) must have at least one parameter")
    several = listed(tensors[0]) if tensors else None
    if kwargs or several is not None:
        axis = kwargs.pop("axis", tensors[1] if len(tensors) > 1 else 0)
        items = several if tensors else listed(kwargs.pop("tensors", None))
        if kwargs:
            raise TypeError("stack() got an unexpected keyword argument %r" % next(iter(kwargs)))
        if items is None:
            raise TypeError("stack takes a list of tensors: stack([a, b], axis=0)")
    else:
        axis, items = 0, tensors
        warnings.warn("stack(a, b) is the old form: write stack([a, b], axis=0)", DeprecationWarning, stacklevel=2)
    if len(items) == 0:
        raise Exception("tensors is an empty list: nothing to stack")
    return stacked(items, axis)


def stacklists(arg):
    """Nested lists of tensors as one tensor."""
    several = listed(arg)
    return as_tensor_variable(arg) if several is None else stack([stacklists(item) for item in several])


def horizontal_stack(*args):
    return concatenate(list(args), axis=1)


def vertical_stack(*args):
    return concatenate(list(args), axis=0)


def split(x, splits_size, n_splits, axis=0):
    """n_splits parts of the given sizes along an axis."""
    x, axis = as_tensor_variable(x), known_or_variable(axis)
    if isinstance(axis, Variable):
        parts = SplitAlong(int(n_splits))(x, cast(as_tensor_variable(splits_size), "int64"), axis, return_list=True)
        return parts[0] if len(parts) == 1 else parts
    axis = normal_axis(axis, x.ndim)
    return _core.Split(x, as_tensor_variable(splits_size), int(n_splits), axis)


def roll(x, shift, axis=None):
    """Elements move along the axis; those that fall off come in again."""
    x = as_tensor_variable(x)
    return _core.roll(x, shift, None if axis is None else normal_axis(axis, x.ndim))


def tile(x, reps, ndim=None):
    """x repeated along its axes."""
    x = as_tensor_variable(x)
    if isinstance(reps, Variable) and reps.ndim == 1:
        reps = [reps[i] for i in range(ndim if ndim is not None else get_vector_length(reps))]
    else:
        several = listed(reps)
        reps = [reps] if several is None else several
    if ndim is not None and ndim < max(x.ndim, len(reps)):
        raise ValueError("tile to %d dimensions, but x has %d and reps has %d" % (ndim, x.ndim, len(reps)))
    if any(as_tensor_variable(rep).dtype[0] not in "iu" for rep in reps):
        raise ValueError("tile repeats a whole number of times, got %s" % (reps,))
    return _core.tile(x, [1] * ((ndim or 0) - len(reps)) + reps)
