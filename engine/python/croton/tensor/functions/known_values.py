"""What is known of a value before anything runs."""
import numpy

from croton import _core
from croton.gof.graph import Constant, Variable
from croton.tensor.functions.conversion import as_tensor_variable
from croton.tensor.functions.errors import EmptyConstantError, NotScalarConstantError
from croton.tensor.opclasses import Assert, Shape_i, Subtensor


def get_vector_length(v):
    """The length of a vector, if it is known."""
    v = as_tensor_variable(v)
    if v.ndim != 1:
        raise TypeError("argument must be symbolic vector, got '%s'" % v)
    length = len(v.data) if isinstance(v, Constant) else _core.known_length(v)
    if length is None:
        raise ValueError("length not known: %s" % v)
    return length


def get_scalar_constant_value(v, elemwise=True, only_process_constants=False, max_recur=10):
    """The value of a 0-d constant, seen through what only moves it; NotScalarConstantError otherwise."""
    if v is None:
        raise NotScalarConstantError()
    if isinstance(v, (int, float, complex, numpy.generic)):
        return numpy.asarray(v)
    if isinstance(v, numpy.ndarray):
        if v.ndim == 0:
            return numpy.asarray(v)
        raise NotScalarConstantError()
    if isinstance(v, Constant):
        data = numpy.asarray(v.data)
        if data.size == 0:
            raise EmptyConstantError()
        if data.size == 1 or (data == data.flat[0]).all():
            return data.flat[0:1].reshape(())
        raise NotScalarConstantError(v)
    if isinstance(v, Variable) and not only_process_constants:
        value = _core.scalar_constant_value(v)
        value = _of_known_input(v, max_recur) if value is None else value
        if value is not None:
            return numpy.asarray(value).astype(v.dtype)
    raise NotScalarConstantError(v)


def _of_known_input(v, most):
    """A size or an element of a constant, or a constant that an Assert lets through; None otherwise."""
    op, inputs = (v.owner.op, v.owner.inputs) if v.owner is not None else (None, [])
    if isinstance(op, Shape_i):
        return 1 if inputs[0].broadcastable[op.i] else inputs[0].data.shape[op.i] if isinstance(inputs[0], Constant) else None
    if isinstance(op, Subtensor) and all(isinstance(one, Constant) for one in inputs) and v.ndim == 0:
        return inputs[0].data[tuple(int(one.data) for one in inputs[1:])] if len(inputs) == 1 + inputs[0].ndim else None
    if isinstance(op, Assert) and most > 0:
        try:
            if all(get_scalar_constant_value(condition, max_recur=most - 1) for condition in inputs[1:]):
                return get_scalar_constant_value(inputs[0], max_recur=most - 1)
        except NotScalarConstantError:
            pass
    return None


def extract_constant(x, elemwise=True, only_process_constants=False):
    try:
        return get_scalar_constant_value(x, elemwise, only_process_constants)
    except NotScalarConstantError:
        return x


def numpy_scalar(data):
    if data.ndim > 0 and (len(data.shape) == 0 or 0 in data.shape):
        raise EmptyConstantError()
    return numpy.asarray(data).reshape(())
