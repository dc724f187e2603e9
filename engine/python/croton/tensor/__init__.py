"""theano.tensor: symbolic arrays and functions on them."""
import numpy as np  # noqa: F401

from croton.tensor import opclasses, type, var
from croton.tensor.type import TensorType, tensor, values_eq_approx_always_true
from croton.tensor.var import (AsTensorError, TensorConstant, TensorSharedVariable, TensorVariable, _tensor_py_operators)
from croton.tensor import basic, subtensor, extra_ops, sort as _sort
from croton.tensor.starred import public_names
globals().update({name: value for name, value in vars(basic).items() if not name.startswith("_")})
from croton.tensor.basic import (_allclose, _convert_to_bool, _convert_to_complex64, _convert_to_complex128, _convert_to_float32,
                                 _convert_to_float64, _convert_to_int8, _convert_to_int16, _convert_to_int32, _convert_to_int64)
from croton.tensor.extra_ops import (bartlett, bincount, compress, cumprod, cumsum, diff, fill_diagonal, fill_diagonal_offset,
                                     ravel_multi_index, repeat, searchsorted, squeeze, to_one_hot, unique, unravel_index)
from croton.tensor.sort import argsort, argtopk, sort, topk, topk_and_argtopk
from croton.tensor.subtensor import AdvancedIndexingError, inc_subtensor, set_subtensor, take
from croton.gof.graph import Apply, Constant, Variable
from croton.gof.op import Op
from croton.gof.type import DisconnectedType, Generic, NullType, Type, generic
from croton.tensor import by_hand, io, methods  # noqa: F401
from croton.tensor.io import allreduce, irecv, isend, load, mpi_cmps, recv, send  # noqa: F401
from croton.tensor import elemwise, nlinalg, nnet, opt, signal, slinalg, xlogx
from croton.tensor.nlinalg import trace
from croton.tensor.opt import Assert
from croton.gradient import (Lop, Rop, consider_constant, grad, grad_not_implemented, grad_undefined, hessian, jacobian, numeric_grad, verify_grad)
from croton.printing import Print, pprint
from croton.tensor import (blas, fft, inplace, raw_random, shared_randomstreams, sharedvar, type_other, utils)  # noqa: E402
from croton.tensor.type_other import NoneConst, NoneTypeT, SliceConstant, SliceType, none_type_t, slicetype  # noqa: E402

__getattr__ = public_names(globals())
