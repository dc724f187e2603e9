"""Croton's types for those of PyTensor."""
from pytensor.scalar.basic import ScalarType
from pytensor.tensor.type import TensorType

import croton
import croton.tensor as T


def type_of(type_):
    """The type that stands for one of PyTensor. What Croton does not know goes through as a Python object."""
    if isinstance(type_, TensorType):
        return T.TensorType(type_.dtype, [size == 1 for size in type_.shape])
    if isinstance(type_, ScalarType):
        return T.TensorType(type_.dtype, ())
    return croton.generic
