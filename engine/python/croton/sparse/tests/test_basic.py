"""The check of gradients with sparse arguments."""
import numpy

from croton.gradient import verify_grad
from croton.sparse import basic, matrices


def _maker(value):
    """How a sparse argument is made of what is varied: its elements."""
    return lambda data: basic.CSM(value.format)(data, value.indices, value.indptr, value.shape)


def verify_grad_sparse(op, pt, structured=False, *args, **kwargs):
    """verify_grad for functions of sparse matrices. Their gradients are those of their elements, so these are varied, never a zero that is not
    stored: `structured` makes no difference."""
    points = [value.data if matrices.is_sparse(value) else value for value in pt]
    makers = [_maker(value) if matrices.is_sparse(value) else lambda x: x for value in pt]

    def dense(*inputs):
        result = op(*[make(x) for make, x in zip(makers, inputs)])
        return basic.dense_from_sparse(result) if basic._is_sparse_variable(result) else result
    kwargs.setdefault("rng", numpy.random.RandomState(0))
    return verify_grad(dense, points, *args, **kwargs)


verify_grad_sparse.E_grad = verify_grad.E_grad
