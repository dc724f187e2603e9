"""Functions of sparse matrices. A sparse variable is its parts: what is done with it is done with vectors of elements and places, so that
the engine fuses it and takes its gradients. The gradient of a sparse variable is that of its elements, in its own pattern."""
import numpy

from croton import _core
from croton.configparser import config
from croton.gof.graph import Apply, Variable
from croton.gof.op import Op
from croton.gof.type import DisconnectedType
from croton.sparse import matrices
from croton.sparse.type import SparseConstant, SparseType, SparseVariable, _sparse_py_operators
from croton.tensor import basic as tensor
from croton.tensor import extra_ops
from croton.tensor.nnet.sigm import sigmoid
from croton.tensor.opt import Assert
from croton.tensor.subtensor import inc_subtensor
from croton.tensor.type import TensorType

sparse_formats = list(matrices.FORMATS)


def _is_sparse_variable(x):
    return isinstance(x, Variable) and isinstance(x.type, SparseType)


def _is_dense_variable(x):
    return isinstance(x, Variable) and isinstance(x.type, TensorType)


def as_sparse_variable(x, name=None):
    """A sparse variable, or the constant of a sparse matrix."""
    if isinstance(x, Apply):
        if len(x.outputs) != 1:
            raise ValueError("It is ambiguous which output of a multi-output Op has to be fetched.", x)
        x = x.outputs[0]
    if isinstance(x, Variable):
        if not isinstance(x.type, SparseType):
            raise TypeError("Variable type field must be a SparseType.", x, x.type)
        return x
    if not matrices.is_sparse(x):
        raise TypeError("a sparse matrix is wanted, got %s" % type(x).__name__)
    return SparseConstant(SparseType(x.format, str(x.dtype)), x, name)


as_sparse = as_sparse_variable


def as_sparse_or_tensor_variable(x, name=None):
    return as_sparse_variable(x, name) if _is_sparse_variable(x) or matrices.is_sparse(x) else tensor.as_tensor_variable(x, name)


def _either(x):
    return as_sparse_or_tensor_variable(x)


def matrix(format, name=None, dtype=None):
    return SparseType(format, config.floatX if dtype is None else dtype)(name)


def csc_matrix(name=None, dtype=None):
    return matrix("csc", name, dtype)


def csr_matrix(name=None, dtype=None):
    return matrix("csr", name, dtype)


def bsr_matrix(name=None, dtype=None):
    return matrix("bsr", name, dtype)


def constant(x, name=None):
    """The constant of a sparse matrix."""
    return as_sparse_variable(x, name)


all_dtypes = SparseType.dtype_set
complex_dtypes, float_dtypes, int_dtypes, uint_dtypes = (sorted(one for one in all_dtypes if one.startswith(kind)) for kind in ("complex", "float", "int", "uint"))
integer_dtypes = discrete_dtypes = int_dtypes + uint_dtypes
continuous_dtypes = complex_dtypes + float_dtypes
csc_fmatrix, csc_dmatrix = SparseType("csc", "float32"), SparseType("csc", "float64")
csr_fmatrix, csr_dmatrix = SparseType("csr", "float32"), SparseType("csr", "float64")


class CSMProperties(Op):
    """The parts of a sparse matrix: elements, inner indices, where rows (columns) begin, sizes."""
    __props__ = ()

    def __str__(self):
        return "CSMProperties"

    def make_node(self, csm):
        csm = as_sparse_variable(csm)
        places = TensorType("int32", (False,))
        return Apply(self, [csm], [TensorType(csm.dtype, (False,))(), places(), places(), places()])

    def perform(self, node, inputs, out):
        csm, = inputs
        # What comes behind may overwrite it.
        out[0][0] = numpy.array(csm.data)
        for place, part in enumerate((csm.indices, csm.indptr, csm.shape), 1):
            out[place][0] = numpy.array(part, dtype="int32")

    def connection_pattern(self, node):
        return [[True, False, False, False]]

    def grad(self, inputs, g):
        return [DisconnectedType()() if isinstance(g[0].type, DisconnectedType) else g[0]]


class CSM(Op):
    """A sparse matrix of its parts."""
    __props__ = ("format",)

    def __init__(self, format, kmap=None):
        if format not in matrices.FORMATS:
            raise ValueError("format must be one of: %s" % ", ".join(matrices.FORMATS), format)
        if kmap is not None:
            raise NotImplementedError("kmap was removed: index the data before")
        self.format = format

    def make_node(self, data, indices, indptr, shape):
        data = tensor.as_tensor_variable(data)
        if data.ndim != 1:
            raise TypeError("data argument must be a vector", data.type)
        parts = [tensor.as_tensor_variable(part) for part in (indices, indptr, shape)]
        for name, part in zip(("indices", "indptr", "shape"), parts):
            if part.ndim != 1 or part.dtype not in tensor.discrete_dtypes:
                raise TypeError("%s must be vector of integers" % name, part.type)
        return Apply(self, [data] + [tensor.cast(part, "int32") for part in parts], [SparseType(self.format, data.dtype)()])

    def perform(self, node, inputs, out):
        # Whoever keeps the matrix shall not see its memory used again.
        out[0][0] = matrices.made(self.format, *[numpy.array(part) for part in inputs])

    def connection_pattern(self, node):
        return [[True], [False], [False], [False]]

    def grad(self, inputs, g):
        return [g[0], DisconnectedType()(), DisconnectedType()(), DisconnectedType()()]


csm_properties, CSC, CSR = CSMProperties(), CSM("csc"), CSM("csr")


def _rebuilt(x, data):
    """The pattern of x with other elements."""
    _, indices, indptr, shape = _parts(x)
    return CSM(x.format)(data, indices, indptr, shape)


def _parts(x):
    x = as_sparse_variable(x)
    # What was just put together need not be taken apart.
    if x.owner is not None and isinstance(x.owner.op, CSM):
        return x.owner.inputs
    return csm_properties(x)


def csm_data(csm):
    return _parts(csm)[0]


def csm_indices(csm):
    return _parts(csm)[1]


def csm_indptr(csm):
    return _parts(csm)[2]


def csm_shape(csm):
    return _parts(csm)[3]


def _shape(x):
    return tensor.cast(csm_shape(x), "int64")


def _size(x, axis):
    return tensor.cast(csm_shape(x)[axis], "int64")


def _outer(x):
    """Of each element the row (of csc: the column)."""
    _, _, indptr, _ = _parts(x)
    indptr = tensor.cast(indptr, "int64")
    return extra_ops.repeat(tensor.arange(indptr.shape[0] - 1), indptr[1:] - indptr[:-1])


def _rows_columns(x):
    inner, outer = tensor.cast(csm_indices(x), "int64"), _outer(x)
    return (outer, inner) if x.format == "csr" else (inner, outer)


def _from_triplets(format, data, rows, columns, sizes):
    """A matrix of elements that stand in any order; those in one place are added up."""
    outer, inner = (rows, columns) if format == "csr" else (columns, rows)
    outer_size, inner_size = sizes if format == "csr" else sizes[::-1]
    keys, order = extra_ops.unique(outer * inner_size + inner, return_inverse=True)
    sums = inc_subtensor(tensor.zeros((keys.shape[0],), data.dtype)[order], data)
    indptr = extra_ops.searchsorted(keys, tensor.arange(outer_size + 1) * inner_size)
    return CSM(format)(sums, keys % inner_size, indptr, tensor.stack(list(sizes)))


def dense_from_sparse(x):
    """The dense matrix."""
    x = as_sparse_variable(x)
    rows, columns = _rows_columns(x)
    return inc_subtensor(tensor.zeros((_size(x, 0), _size(x, 1)), x.dtype)[rows, columns], csm_data(x))


def _sparse_from_dense(format, x):
    x = tensor.as_tensor_variable(x)
    if x.ndim == 1:
        x = x.dimshuffle("x", 0)
    if x.ndim == 0:
        x = x.dimshuffle("x", "x")
    if x.ndim > 2:
        raise TypeError("Theano does not have sparse tensor types with more than 2 dimensions, but %s.ndim = %i" % (x, x.ndim))
    rows, columns = (x if format == "csr" else x.T).nonzero()
    data = x[rows, columns] if format == "csr" else x[columns, rows]
    outer_size = x.shape[0 if format == "csr" else 1]
    return CSM(format)(data, columns, extra_ops.searchsorted(rows, tensor.arange(outer_size + 1)), x.shape)


def csr_from_dense(x):
    return _sparse_from_dense("csr", x)


def csc_from_dense(x):
    return _sparse_from_dense("csc", x)


def cast(variable, dtype):
    variable = as_sparse_variable(variable)
    return variable if variable.dtype == dtype else _rebuilt(variable, tensor.cast(csm_data(variable), dtype))


def _cast_to(dtype):
    return lambda variable: cast(variable, dtype)


bcast, wcast, icast, lcast = map(_cast_to, ("int8", "int16", "int32", "int64"))
fcast, dcast, ccast, zcast = map(_cast_to, ("float32", "float64", "complex64", "complex128"))


def transpose(x):
    """The same parts, read the other way."""
    x = as_sparse_variable(x)
    data, indices, indptr, shape = _parts(x)
    return CSM("csc" if x.format == "csr" else "csr")(data, indices, indptr, shape[::-1])


def _structured(function):
    """A function of the stored elements alone."""
    def apply(x, *rest):
        x = as_sparse_variable(x)
        return _rebuilt(x, function(csm_data(x), *rest))
    apply.__name__ = "structured_" + getattr(function, "__name__", "")
    apply.__doc__ = "The stored elements' %s; zeros that are not stored stay." % getattr(function, "__name__", "function")
    return apply


def structured_sigmoid(x):
    """The stored elements' logistic function."""
    return _structured(sigmoid)(x)


structured_exp, structured_log = _structured(tensor.exp), _structured(tensor.log)
structured_pow, structured_add = _structured(tensor.pow), _structured(tensor.add)
structured_minimum, structured_maximum = _structured(tensor.minimum), _structured(tensor.maximum)
structured_monoid = _structured
# Functions that give 0 at 0.
neg, abs_, sqr, sqrt = (_structured(getattr(tensor, name)) for name in ("neg", "abs_", "sqr", "sqrt"))
sin, arcsin, tan, arctan, sinh, arcsinh, tanh, arctanh = (
    _structured(getattr(tensor, name)) for name in ("sin", "arcsin", "tan", "arctan", "sinh", "arcsinh", "tanh", "arctanh"))
ceil, floor, trunc, sgn, rint = (_structured(getattr(tensor, name)) for name in ("ceil", "floor", "trunc", "sgn", "round_half_to_even"))
log1p, expm1, deg2rad, rad2deg, conj = (_structured(getattr(tensor, name)) for name in ("log1p", "expm1", "deg2rad", "rad2deg", "conj"))
conjugate = conj


def col_scale(x, s):
    """Each column times its factor."""
    x, s = as_sparse_variable(x), tensor.as_tensor_variable(s)
    return _rebuilt(x, csm_data(x) * s[_rows_columns(x)[1]])


def row_scale(x, s):
    """Each row times its factor."""
    x, s = as_sparse_variable(x), tensor.as_tensor_variable(s)
    return _rebuilt(x, csm_data(x) * s[_rows_columns(x)[0]])


def sp_sum(x, axis=None, sparse_grad=False):
    """The sum of all elements, or along an axis."""
    x = as_sparse_variable(x)
    if axis not in (None, 0, 1):
        raise ValueError("axis must be None, 0 or 1.")
    if axis is None:
        return tensor.sum(csm_data(x), dtype=x.dtype) if x.dtype not in tensor.discrete_dtypes else tensor.sum(csm_data(x))
    return inc_subtensor(tensor.zeros((_size(x, 1 - axis),), x.dtype)[_rows_columns(x)[1 - axis]], csm_data(x))


def diag(x):
    """The diagonal of a square matrix, as a dense vector."""
    x = as_sparse_variable(x)
    rows, columns = _rows_columns(x)
    on = tensor.eq(rows, columns).nonzero()[0]
    return inc_subtensor(tensor.zeros((tensor.minimum(_size(x, 0), _size(x, 1)),), x.dtype)[rows[on]], csm_data(x)[on])


def square_diagonal(x):
    """A sparse matrix (csc) with a vector on its diagonal."""
    x = tensor.as_tensor_variable(x)
    if x.ndim != 1:
        raise TypeError("data argument must be a vector", x.type)
    size = x.shape[0]
    return CSC(x, tensor.arange(size), tensor.arange(size + 1), tensor.stack([size, size]))


def ensure_sorted_indices(x):
    """The same matrix, the elements of a row (column) in order of their indices."""
    x = as_sparse_variable(x)
    return _from_triplets(x.format, csm_data(x), *_rows_columns(x), (_size(x, 0), _size(x, 1)))


def remove0(x):
    """Without the zeros that are stored."""
    x = as_sparse_variable(x)
    kept = tensor.neq(csm_data(x), 0).nonzero()[0]
    rows, columns = _rows_columns(x)
    return _from_triplets(x.format, csm_data(x)[kept], rows[kept], columns[kept], (_size(x, 0), _size(x, 1)))


def clean(x):
    """Without stored zeros, indices in order."""
    return ensure_sorted_indices(remove0(x))


def sp_ones_like(x):
    return _structured(tensor.ones_like)(x)


def sp_zeros_like(x):
    """The empty matrix of that shape."""
    x = as_sparse_variable(x)
    _, _, indptr, shape = _parts(x)
    return CSM(x.format)(numpy.array([], x.dtype), numpy.array([], "int32"), tensor.zeros_like(indptr), shape)


def _in_format(x, format):
    """The same matrix stored by rows (csr) or columns (csc)."""
    return x if x.format == format else _from_triplets(format, csm_data(x), *_rows_columns(x), (_size(x, 0), _size(x, 1)))


def add_s_s(x, y):
    """The sum of two sparse matrices, in the format of the first."""
    x, y = as_sparse_variable(x), as_sparse_variable(y)
    (rows, columns), (more_rows, more_columns) = _rows_columns(x), _rows_columns(y)
    sizes = [_agreed(x, y, axis) for axis in (0, 1)]
    return _from_triplets(x.format, tensor.concatenate([csm_data(x), csm_data(y)]), tensor.concatenate([rows, more_rows]),
                          tensor.concatenate([columns, more_columns]), sizes)


def _agreed(x, y, axis):
    size, other = _size(x, axis), _size(y, axis) if _is_sparse_variable(y) else y.shape[axis]
    return Assert("sparse matrices of different shapes: their sizes along axis %d differ" % axis)(size, tensor.eq(size, other))


def add_s_d(x, y):
    """A sparse and a dense matrix: dense."""
    x, y = as_sparse_variable(x), tensor.as_tensor_variable(y)
    rows, columns = _rows_columns(x)
    dtype = _core.promote([x.dtype, y.dtype])
    return inc_subtensor(tensor.cast(y, dtype)[rows, columns], tensor.cast(csm_data(x), dtype))


def structured_add_s_v(x, y):
    """A vector added to each row, where the matrix has elements."""
    x, y = as_sparse_variable(x), tensor.as_tensor_variable(y)
    return _rebuilt(x, csm_data(x) + y[_rows_columns(x)[1]])


def add(x, y):
    """The sum; sparse, if both are."""
    x, y = _either(x), _either(y)
    if not (_is_sparse_variable(x) or _is_sparse_variable(y)):
        raise TypeError("sparse.add takes a sparse matrix, got %s and %s" % (x.type, y.type))
    if _is_sparse_variable(x) and _is_sparse_variable(y):
        return add_s_s(x, y)
    return add_s_d(x, y) if _is_sparse_variable(x) else add_s_d(y, x)


def sub(x, y):
    y = _either(y)
    return add(x, neg(y) if _is_sparse_variable(y) else -y)


def mul_s_d(x, y):
    """A sparse matrix times a dense one (or a number), element by element: sparse."""
    x, y = as_sparse_variable(x), tensor.as_tensor_variable(y)
    if y.ndim == 0:
        return _rebuilt(x, csm_data(x) * y)
    if y.ndim == 1:
        return mul_s_v(x, y)
    rows, columns = _rows_columns(x)
    rows, columns = (0 if y.broadcastable[0] else rows), (0 if y.broadcastable[1] else columns)
    return _rebuilt(x, csm_data(x) * y[rows, columns])


def mul_s_v(x, y):
    """Each row times a vector."""
    return col_scale(x, y)


def mul_s_s(x, y):
    """Element by element, in the pattern of x."""
    x, y = as_sparse_variable(x), as_sparse_variable(y)
    y = ensure_sorted_indices(_in_format(y, x.format))
    columns = _agreed(x, y, 1) if x.format == "csr" else _agreed(x, y, 0)
    keys, wanted = (_outer(one) * columns + tensor.cast(csm_indices(one), "int64") for one in (y, x))
    # A place behind the last finds a key that nothing has.
    keys = tensor.concatenate([keys, tensor.constant(numpy.array([-1]))])
    found = extra_ops.searchsorted(keys[:-1], wanted)
    data = tensor.concatenate([csm_data(y), tensor.zeros((1,), y.dtype)])
    return _rebuilt(x, csm_data(x) * tensor.switch(tensor.eq(keys[found], wanted), data[found], 0))


def mul(x, y):
    """The product of elements; sparse, if one is."""
    x, y = _either(x), _either(y)
    if not (_is_sparse_variable(x) or _is_sparse_variable(y)):
        raise TypeError("sparse.mul takes a sparse matrix, got %s and %s" % (x.type, y.type))
    if _is_sparse_variable(x) and _is_sparse_variable(y):
        return mul_s_s(x, y)
    return mul_s_d(x, y) if _is_sparse_variable(x) else mul_s_d(y, x)


def _compared(name):
    def compare(x, y):
        x, y = _either(x), _either(y)
        both = _is_sparse_variable(x) and _is_sparse_variable(y)
        result = getattr(tensor, name)(*[dense_from_sparse(one) if _is_sparse_variable(one) else one for one in (x, y)])
        return _sparse_from_dense(x.format, result) if both else result
    compare.__name__ = name
    compare.__doc__ = "Compares elements: sparse, if both are."
    return compare


eq, neq, lt, gt, le, ge = (_compared(name) for name in ("eq", "neq", "lt", "gt", "le", "ge"))


def _product(x, y):
    """A sparse matrix times a dense one."""
    data, indices, indptr, shape = _parts(x)
    inner = tensor.cast(shape[1 if x.format == "csr" else 0], "int64")
    return _core.sparse_dot(data, indices, indptr, inner, y, x.format == "csc")


def structured_dot(x, y):
    """A sparse matrix times a dense one, or the other way round: dense; of two sparse ones sparse."""
    x, y = _either(x), _either(y)
    for one in (x, y):
        if one.ndim not in (1, 2):
            raise TypeError("a product takes matrices and vectors, got %s" % one.type)
    if _is_sparse_variable(x) and _is_sparse_variable(y):
        return true_dot(x, y)
    if _is_sparse_variable(x):
        return _product(x, y.dimshuffle(0, "x"))[:, 0] if y.ndim == 1 else _product(x, y)
    if not _is_sparse_variable(y):
        raise TypeError("structured_dot requires at least one sparse matrix, got %s and %s" % (x.type, y.type))
    turned = transpose(y)
    return _product(turned, x.dimshuffle(0, "x"))[:, 0] if x.ndim == 1 else _product(turned, x.T).T


def true_dot(x, y, grad_preserves_dense=True):
    """The product; sparse, if both are. Then one is made dense on the way."""
    x, y = _either(x), _either(y)
    if _is_sparse_variable(x) and _is_sparse_variable(y):
        return _sparse_from_dense(x.format, _product(x, dense_from_sparse(y)))
    return structured_dot(x, y)


def dot(x, y):
    """The product, always dense."""
    x, y = _either(x), _either(y)
    if _is_sparse_variable(x) and _is_sparse_variable(y):
        return _product(x, dense_from_sparse(y))
    if not _is_sparse_variable(x) and not _is_sparse_variable(y):
        raise TypeError("sparse.dot takes a sparse matrix, got %s and %s" % (x.type, y.type))
    return structured_dot(x, y)


def usmm(alpha, x, y, z):
    """z + alpha · x · y"""
    return tensor.as_tensor_variable(z) + tensor.as_tensor_variable(alpha) * dot(x, y)


def sampling_dot(x, y, p):
    """x · yᵀ where the sparse matrix p has elements, times them."""
    x, y, p = tensor.as_tensor_variable(x), tensor.as_tensor_variable(y), as_sparse_variable(p)
    data, indices, indptr, _ = _parts(p)
    left, right = (x, y) if p.format == "csr" else (y, x)
    return _rebuilt(p, data * _core.sampled_dot(left, right, indices, indptr))


def _stacked(blocks, format, dtype, axis):
    blocks = [as_sparse_variable(one) for one in blocks]
    format, dtype = format or blocks[0].format, dtype or _core.promote([one.dtype for one in blocks])
    data, places, first = [], ([], []), 0
    for one in blocks:
        at = _rows_columns(one)
        data.append(tensor.cast(csm_data(one), dtype))
        for side in (0, 1):
            places[side].append(at[side] + first if side == axis else at[side])
        first = first + _size(one, axis)
    other = _size(blocks[0], 1 - axis)
    sizes = (first, other) if axis == 0 else (other, first)
    return _from_triplets(format, tensor.concatenate(data), tensor.concatenate(places[0]), tensor.concatenate(places[1]), sizes)


def hstack(blocks, format=None, dtype=None):
    """Side by side."""
    return _stacked(blocks, format, dtype, 1)


def vstack(blocks, format=None, dtype=None):
    """Below each other."""
    return _stacked(blocks, format, dtype, 0)


def sparse_grad(var):
    """The gradient of an index is taken as it is; accepted for old scripts."""
    return var


__all__ = [name for name in list(globals()) if not name.startswith("_") and name not in
           ("numpy", "config", "Apply", "Variable", "Op", "DisconnectedType", "matrices", "tensor", "extra_ops", "sigmoid", "Assert",
            "inc_subtensor", "TensorType", "values")] + ["value"]


def value(format, array):
    """A sparse matrix as a value: what functions take where SciPy is not installed."""
    return matrices.from_dense(format, array)


_sparse_py_operators.functions.update({name: globals()[name] for name in (
    "transpose csm_data neg add sub mul lt le gt ge dot structured_dot dense_from_sparse sp_sum cast sp_zeros_like").split()}, shape=_shape, rebuilt=_rebuilt)
