"""theano.tensor.basic: the functions on tensors, collected under the name that scripts know."""
import builtins
import numbers  # noqa: F401

import numpy

from croton import _core
from croton.configparser import config, device_of as _device_of  # noqa: F401
from croton.gof.graph import Apply, Constant, Variable  # noqa: F401
from croton.gof.type import NoneTypeT
from croton.tensor import opclasses  # noqa: F401
from croton.tensor.functions.conversion import *  # noqa: F401,F403
from croton.tensor.functions.creation import *  # noqa: F401,F403
from croton.tensor.functions.diagonals import *  # noqa: F401,F403
from croton.tensor.functions.elementwise import *  # noqa: F401,F403
from croton.tensor.functions.elementwise import CONVERSIONS
from croton.tensor.functions.errors import *  # noqa: F401,F403
from croton.tensor.functions.joining import *  # noqa: F401,F403
from croton.tensor.functions.known_values import *  # noqa: F401,F403
from croton.tensor.functions.products import *  # noqa: F401,F403
from croton.tensor.functions.reductions import *  # noqa: F401,F403
from croton.tensor.functions.selection import *  # noqa: F401,F403
from croton.tensor.functions.shapes import *  # noqa: F401,F403
from croton.tensor.number import scalar_from_tensor, tensor_from_scalar  # noqa: F401
from croton.tensor.opclasses import *  # noqa: F401,F403
from croton.tensor.starred import public_names
from croton.tensor.type import CONSTRUCTORS, TensorType, tensor  # noqa: F401
from croton.tensor.var import (AsTensorError, TensorConstant, TensorSharedVariable, TensorVariable,  # noqa: F401
                               _tensor_py_operators)

globals().update(CONSTRUCTORS)
globals().update(CONVERSIONS)
_as_tensor_variable = as_tensor_variable  # noqa: F405
Tensor = TensorType
np = numpy  # `from theano.tensor import *` gives it
python_all, python_any, python_complex = builtins.all, builtins.any, builtins.complex
pyslice, pyabs, pysum, pymax, pymin, pyall, pyany, pyround, pydivmod, pycomplex = (
    builtins.slice, builtins.abs, builtins.sum, builtins.max, builtins.min, builtins.all, builtins.any, builtins.round,
    builtins.divmod, builtins.complex)


float16_atol, float16_rtol = 1e-3, 1e-3
float32_atol, float32_rtol = 1e-5, 1e-5
float64_atol, float64_rtol = 1e-8, 1e-5


def transfer(var, target):
    """`var` on the host ("cpu"), on the device that functions run on (None), or on one by its name."""
    target = _device_of(target)
    try:
        return _core.transfer(var if isinstance(var, Variable) else as_tensor_variable(var), target)
    except ValueError:
        raise ValueError("there is no device %r in this process to transfer %s to" % (target, var)) from None


def default(x, default_value):
    return as_tensor_variable(default_value) if isinstance(getattr(x, "type", None), NoneTypeT) else x


setdefault = default


def _allclose(a, b, rtol=None, atol=None):
    a, b = numpy.asarray(a), numpy.asarray(b)
    tight = {"float16": 1e-3, "float32": 1e-5}
    tolerance = builtins.max(tight.get(str(a.dtype), 1e-8), tight.get(str(b.dtype), 1e-8))
    return numpy.allclose(a, b, rtol=rtol or builtins.max(tolerance, 1e-5), atol=atol or tolerance)


def tensor_constant_signature(*args):
    raise NotImplementedError("compare constants with equals()")


__getattr__ = public_names(globals())
