"""The matrix products that BLAS computes."""
from croton.compile.rewriting import engine_rewrite
from croton.tensor.basic import batched_dot, batched_tensordot
from croton.tensor.opclasses import BatchedDot, Dot22, Dot22Scalar, Gemm, Gemv, Ger

gemm = gemm_no_inplace = Gemm(inplace=False)
gemm_inplace = Gemm(inplace=True)
gemv = gemv_no_inplace = Gemv(inplace=False)
gemv_inplace = Gemv(inplace=True)
ger, ger_destructive = Ger(destructive=False), Ger(destructive=True)
_dot22, _dot22scalar = Dot22(), Dot22Scalar()


def __getattr__(name):
    return engine_rewrite("theano.tensor.blas", name)
