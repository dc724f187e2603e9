"""The op classes of sparse matrices for scripts that call them: StructuredDot()(x, y), and the ops that Theano keeps under names of their own."""
from croton import _core
from croton.sparse import basic, indexing  # noqa: F401
from croton.tensor import basic as tensor
from croton.tensor.opclasses import _class_of


def _comparison(name):
    return lambda: getattr(basic, name)


def _plain(function):
    return lambda: function


def _inplace(function):
    return lambda inplace=False: function


def _same_pattern(x, y):
    """The elements of two matrices added, where both have the same pattern."""
    x, y = basic.as_sparse_variable(x), basic.as_sparse_variable(y)
    return basic._rebuilt(x, basic.csm_data(x) + basic.csm_data(y))


BUILDERS = {
    "DenseFromSparse": lambda structured=True: basic.dense_from_sparse, "SparseFromDense": lambda format: {"csr": basic.csr_from_dense, "csc": basic.csc_from_dense}[format],
    "GetItem2d": _plain(basic.getitem), "GetItemScalar": _plain(basic.getitem), "GetItemList": _plain(basic.getitem), "GetItem2Lists": _plain(lambda x, rows, columns: basic.getitem(x, (rows, columns))),
    "Transpose": _plain(basic.transpose), "Neg": _plain(basic.neg), "Cast": lambda out_type: lambda x: basic.cast(x, out_type),
    "ColScaleCSC": _plain(basic.col_scale), "RowScaleCSC": _plain(basic.row_scale),
    "SpSum": lambda axis=None, sparse_grad=True: lambda x: basic.sp_sum(x, axis), "Diag": _plain(basic.diag), "SquareDiagonal": _plain(basic.square_diagonal),
    "EnsureSortedIndices": _inplace(basic.ensure_sorted_indices), "Remove0": _inplace(basic.remove0),
    "AddSS": _plain(basic.add_s_s), "AddSD": _plain(basic.add_s_d), "AddSSData": _plain(_same_pattern), "StructuredAddSV": _plain(basic.structured_add_s_v),
    "MulSS": _plain(basic.mul_s_s), "MulSD": _plain(basic.mul_s_d), "MulSV": _plain(basic.mul_s_v),
    "HStack": lambda format=None, dtype=None: lambda *blocks: basic.hstack(blocks, format, dtype),
    "VStack": lambda format=None, dtype=None: lambda *blocks: basic.vstack(blocks, format, dtype),
    "TrueDot": lambda grad_preserves_dense=True: basic.true_dot, "StructuredDot": _plain(basic.structured_dot), "Dot": _plain(basic.dot), "Usmm": _plain(basic.usmm),
    "SamplingDot": _plain(basic.sampling_dot), "ConstructSparseFromList": _plain(basic.construct_sparse_from_list),
    "StructuredDotGradCSR": lambda: lambda indices, indptr, b, g: _core.sampled_dot(g, b, indices, indptr),
    "StructuredDotGradCSC": lambda: lambda indices, indptr, b, g: _core.sampled_dot(b, g, indices, indptr),
}
for _name, _function in (("Equal", "eq"), ("NotEqual", "neq"), ("LessThan", "lt"), ("GreaterThan", "gt"), ("LessEqual", "le"), ("GreaterEqual", "ge")):
    BUILDERS[_name + "SS"] = BUILDERS[_name + "SD"] = _comparison(_function)
globals().update({_name: _class_of("croton.sparse.basic", _name, _builder) for _name, _builder in BUILDERS.items()})


def structured_dot_grad(sparse_A, dense_B, ga):
    """The gradient of the elements of A in structured_dot(A, B), in the pattern of A."""
    ga, dense_B = tensor.as_tensor_variable(ga), tensor.as_tensor_variable(dense_B)
    build = sdg_csc if basic.as_sparse_variable(sparse_A).format == "csc" else sdg_csr
    return basic._rebuilt(sparse_A, build(basic.csm_indices(sparse_A), basic.csm_indptr(sparse_A), dense_B, ga))


def block_diag(*matrices, format="csc", dtype=None):
    """One below the other along the diagonal, zeros elsewhere."""
    matrices = [basic.as_sparse_variable(one) for one in matrices]
    dtype = dtype or _core.promote([one.dtype for one in matrices])
    data, places, first = [], ([], []), [0, 0]
    for one in matrices:
        data.append(tensor.cast(basic.csm_data(one), dtype))
        for axis, at in enumerate(basic._rows_columns(one)):
            places[axis].append(at + first[axis])
            first[axis] = first[axis] + basic._size(one, axis)
    return basic._from_triplets(format, tensor.concatenate(data), tensor.concatenate(places[0]), tensor.concatenate(places[1]), tuple(first))


# The ops that have no function of the same name.
INSTANCES = {"get_item_2d": "GetItem2d", "get_item_list": "GetItemList", "get_item_2lists": "GetItem2Lists", "get_item_scalar": "GetItemScalar",
             "add_s_s_data": "AddSSData", "sdg_csc": "StructuredDotGradCSC", "sdg_csr": "StructuredDotGradCSR", "_dot": "Dot", "_structured_dot": "StructuredDot"}
for _name in ("equal", "not_equal", "less_than", "greater_than", "less_equal", "greater_equal"):
    for _kind in ("s_s", "s_d"):
        INSTANCES["%s_%s" % (_name, _kind)] = "".join(part.capitalize() for part in _name.split("_")) + _kind.replace("_", "").upper()
globals().update({_name: globals()[_class]() for _name, _class in INSTANCES.items()})
for _name in (*BUILDERS, *INSTANCES, "structured_dot_grad", "block_diag"):
    setattr(basic, _name, globals()[_name])
