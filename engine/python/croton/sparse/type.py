"""The type of sparse matrices, and its variables."""
import numpy

from croton import _core
from croton.compile.sharedvalue import shared_constructor
from croton.configparser import config
from croton.gof.graph import Constant, Variable
from croton.gof.type import Type, generic
from croton.sparse import matrices
from croton.tensor.var import SharedVariable


class SparseType(Type):
    """Matrices of one dtype and one format: csr (row by row) or csc (column by column)."""
    ndim = 2
    broadcastable = (False, False)
    dtype_set = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool", "float32", "float64", "complex64", "complex128"}
    format_cls = property(lambda self: {name: getattr(matrices.scipy_sparse, name + "_matrix", matrices.SparseMatrix) for name in matrices.FORMATS})

    def __init__(self, format, dtype):
        dtype = config.floatX if dtype == "floatX" else str(numpy.dtype(dtype))
        if dtype not in self.dtype_set:
            raise NotImplementedError('unsupported dtype "%s" not in list %s' % (dtype, ", ".join(sorted(self.dtype_set))))
        self.format, self.dtype = matrices.checked_format(format), dtype

    def filter(self, value, strict=False, allow_downcast=None):
        if isinstance(value, Variable):
            raise TypeError("Expected a sparse matrix, got the symbolic variable %s" % value)
        if isinstance(value, numpy.ndarray) and value.ndim == 2 and not strict and value.dtype.kind in "biufc":
            value = matrices.from_dense(self.format, value)
        if not matrices.is_sparse(value):
            raise TypeError("Expected a sparse matrix in %s format, got %s%s" % (
                self.format, type(value).__name__, "" if matrices.scipy_sparse else ": SciPy is not installed; theano.sparse.value(format, array) makes one"))
        if value.format != self.format:
            if strict:
                raise TypeError("Expected a sparse matrix in %s format, got one in %s format: convert it with .to%s()"
                                % (self.format, value.format, self.format))
            value = value.asformat(self.format)
        if str(value.dtype) == self.dtype:
            return value
        if strict or not (allow_downcast or numpy.can_cast(value.dtype, self.dtype, "safe")):
            raise TypeError("Expected a sparse matrix of %s, got %s" % (self.dtype, value.dtype))
        return value.astype(self.dtype)

    def make_variable(self, name=None):
        return SparseVariable(self, name=name)

    def make_constant(self, value, name=None):
        return SparseConstant(self, value, name)

    def values_eq(self, a, b):
        return a.shape == b.shape and a.format == b.format and bool(numpy.array_equal(a.toarray(), b.toarray()))

    def values_eq_approx(self, a, b, eps=1e-6, **kwargs):
        return a.shape == b.shape and a.format == b.format and bool(numpy.allclose(a.toarray(), b.toarray(), rtol=eps, atol=eps, equal_nan=True))

    @staticmethod
    def may_share_memory(a, b):
        parts = [[one.data, one.indices, one.indptr] if matrices.is_sparse(one) else [one] for one in (a, b)]
        return any(numpy.may_share_memory(left, right) for left in parts[0] for right in parts[1])

    def is_valid_value(self, value):
        return matrices.is_sparse(value) and value.format == self.format and str(value.dtype) == self.dtype

    def as_gradient(self, variable, elements):
        """The gradient of a variable of this type, of those of its elements."""
        return variable.functions["rebuilt"](variable, elements)

    def elements_of(self, gradient):
        return gradient.functions["csm_data"](gradient) if isinstance(gradient.type, SparseType) else gradient

    def clone(self, format=None, dtype=None):
        return SparseType(format or self.format, dtype or self.dtype)

    def __eq__(self, other):
        return type(self) is type(other) and (self.format, self.dtype) == (other.format, other.dtype)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((type(self), self.format, self.dtype))

    def __reduce__(self):
        return SparseType, (self.format, self.dtype)

    def __str__(self):
        return "Sparse[%s, %s]" % (self.dtype, self.format)

    __repr__ = __str__


class _sparse_py_operators:
    """What operators on sparse variables build; the functions come from croton.sparse.basic."""
    functions = {}
    # NumPy's arrays leave products with a variable to it.
    __array_priority__ = 1000

    dtype = property(lambda self: self.type.dtype)
    format = property(lambda self: self.type.format)
    ndim = 2
    broadcastable = (False, False)
    T = property(lambda self: self.functions["transpose"](self))
    shape = property(lambda self: self.functions["shape"](self))
    size = property(lambda self: self.functions["csm_data"](self).size)
    data = property(lambda self: self.functions["csm_data"](self))

    def __neg__(self):
        return self.functions["neg"](self)

    def __add__(self, other):
        return self.functions["add"](self, other)

    def __radd__(self, other):
        return self.functions["add"](other, self)

    def __sub__(self, other):
        return self.functions["sub"](self, other)

    def __rsub__(self, other):
        return self.functions["sub"](other, self)

    def __mul__(self, other):
        return self.functions["mul"](self, other)

    def __rmul__(self, other):
        return self.functions["mul"](other, self)

    def __lt__(self, other):
        return self.functions["lt"](self, other)

    def __le__(self, other):
        return self.functions["le"](self, other)

    def __gt__(self, other):
        return self.functions["gt"](self, other)

    def __ge__(self, other):
        return self.functions["ge"](self, other)

    def dot(self, other):
        return self.functions["dot"](self, other)

    def __dot__(self, other):
        return self.functions["structured_dot"](self, other)

    def __rdot__(self, other):
        return self.functions["structured_dot"](other, self)

    def toarray(self):
        return self.functions["dense_from_sparse"](self)

    def sum(self, axis=None, sparse_grad=False):
        return self.functions["sp_sum"](self, axis, sparse_grad)

    def astype(self, dtype):
        return self.functions["cast"](self, dtype)

    def zeros_like(self):
        return self.functions["sp_zeros_like"](self)

    def __getitem__(self, index):
        return self.functions["getitem"](self, index)

    def __len__(self):
        raise TypeError("the length of a sparse variable is known only when a function runs: x.shape[0] is a variable with it")

    def __iter__(self):
        raise TypeError("a sparse variable has no rows to go through yet: take them by x[0:1], x[1:2], …")


class SparseVariable(_sparse_py_operators, Variable):
    """A sparse matrix that a graph computes or is given."""

    def __repr__(self):
        return str(self)


class SparseConstant(_sparse_py_operators, Constant):
    """A sparse matrix that never changes."""

    def __new__(cls, type, data, name=None):
        made = super().__new__(cls, type, data, name)
        made.__class__ = cls
        return made


class SparseSharedVariable(_sparse_py_operators, SharedVariable):
    """A sparse matrix that functions share."""


@shared_constructor
def _shared(value, name=None, strict=False, allow_downcast=None, borrow=False, format=None):
    if not matrices.is_sparse(value):
        raise TypeError("Expected a sparse matrix, got %s" % type(value).__name__)
    kind = SparseType(format or value.format, str(value.dtype))
    made = _core.shared(generic, kind.filter(value if borrow else value.copy(), strict, allow_downcast), name or "", True)
    made.__dict__["_type"] = kind
    made.__class__ = SparseSharedVariable
    return made


SparseType.Variable, SparseType.Constant = SparseVariable, SparseConstant
