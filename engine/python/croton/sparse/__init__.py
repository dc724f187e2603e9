"""theano.sparse: matrices of which only some elements are stored, row by row (csr) or column by column (csc)."""
from croton.sparse import basic, type  # noqa: F401,A004
from croton.sparse import by_hand  # noqa: F401
from croton.sparse.basic import *  # noqa: F401,F403
from croton.sparse.indexing import construct_sparse_from_list, getitem  # noqa: F401
from croton.sparse.basic import _is_dense_variable, _is_sparse_variable  # noqa: F401
from croton.sparse.type import (SparseConstant, SparseSharedVariable, SparseType, SparseVariable,  # noqa: F401
                                _sparse_py_operators)

enable_sparse = True
globals().update({name: getattr(basic, name) for name in (*by_hand.BUILDERS, *by_hand.INSTANCES, "structured_dot_grad", "block_diag")})
