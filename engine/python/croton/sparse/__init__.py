"""theano.sparse: matrices of which only some elements are stored, row by row (csr) or column by column (csc)."""
from croton import _missing
from croton.sparse import basic, type  # noqa: F401,A004
from croton.sparse.basic import *  # noqa: F401,F403
from croton.sparse.basic import _is_dense_variable, _is_sparse_variable  # noqa: F401
from croton.sparse.type import (SparseConstant, SparseSharedVariable, SparseType, SparseVariable,  # noqa: F401
                                _sparse_py_operators)

enable_sparse = True


def __getattr__(name):
    return _missing.attribute(__name__, name)
