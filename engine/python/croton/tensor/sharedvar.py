"""Shared tensors."""
import numbers

import numpy

from croton.compile.sharedvalue import shared
from croton.tensor.var import ScalarSharedVariable, TensorSharedVariable  # noqa: F401


def scalar_constructor(value, name=None, strict=False, allow_downcast=None, borrow=False, target="cpu"):
    """A shared variable of a number, float and int as NumPy holds them; TypeError for anything else."""
    if not isinstance(value, (numpy.number, numbers.Number)):
        raise TypeError("a number is wanted, got %s" % type(value).__name__)
    return shared(value, name=name, strict=strict, allow_downcast=allow_downcast, borrow=borrow)
