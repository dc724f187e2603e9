"""The matrix products that BLAS computes."""
from croton.tensor.basic import batched_dot, batched_tensordot
from croton.tensor.opclasses import BatchedDot, Dot22, Dot22Scalar, Gemm, Gemv, Ger
