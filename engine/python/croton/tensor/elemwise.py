"""Elementwise ops, reductions, DimShuffle."""
from croton.tensor.opclasses import All, Any, CAReduce, CAReduceDtype, DimShuffle, Elemwise, Prod, Sum
from croton.tensor.basic import TensorType, as_tensor_variable
from croton.tensor.var import TensorConstant, TensorVariable


class MulWithoutZeros:
    pass
