"""Sparse matrices as values: SciPy's where it is installed, else a class of our own with the same parts."""
import numpy

try:
    import scipy.sparse as scipy_sparse
except ImportError:
    scipy_sparse = None

FORMATS = ("csc", "csr")


def checked_format(name):
    """It is one of FORMATS."""
    if name == "bsr":
        raise NotImplementedError("not supported: block sparse rows (bsr) are not in this version of Croton: use csr, which m.tocsr() gives")
    if name not in FORMATS:
        raise NotImplementedError('unsupported format "%s" not in list %s' % (name, ", ".join(FORMATS)))
    return name


class SparseMatrix:
    """The elements, their inner indices, and where each row (column) begins; `format` is csr or csc."""

    def __init__(self, format, data, indices, indptr, shape):
        self.format, self.shape = format, tuple(int(size) for size in shape)
        self.data, self.indices, self.indptr = data, indices, indptr

    ndim = 2
    dtype = property(lambda self: self.data.dtype)
    nnz = property(lambda self: len(self.data))

    def asformat(self, format):
        return self if format == self.format else from_dense(format, self.toarray())

    def toarray(self):
        result = numpy.zeros(self.shape, self.dtype)
        outer = numpy.repeat(numpy.arange(len(self.indptr) - 1), numpy.diff(self.indptr))
        numpy.add.at(result, (outer, self.indices) if self.format == "csr" else (self.indices, outer), self.data)
        return result

    todense = toarray

    def copy(self):
        return SparseMatrix(self.format, self.data.copy(), self.indices.copy(), self.indptr.copy(), self.shape)

    def astype(self, dtype):
        return SparseMatrix(self.format, self.data.astype(dtype), self.indices, self.indptr, self.shape)

    def __repr__(self):
        return "<%dx%d sparse matrix of %s with %d stored elements in %s format>" % (self.shape + (self.dtype, self.nnz, self.format))


def made(format, data, indices, indptr, shape):
    """The matrix of these parts, checked."""
    shape = tuple(int(size) for size in shape)
    if len(shape) != 2:
        raise ValueError("a sparse matrix has 2 sizes, got %s" % (shape,))
    outer, inner = shape if format == "csr" else shape[::-1]
    if len(indptr) != outer + 1:
        raise ValueError("indptr has %d elements, a %s matrix of shape %s wants %d" % (len(indptr), format, shape, outer + 1))
    if len(data) != len(indices):
        raise ValueError("%d elements have %d indices" % (len(data), len(indices)))
    if indptr[0] != 0 or indptr[-1] > len(data) or (numpy.diff(indptr) < 0).any():
        raise ValueError("indptr does not rise from 0 to the number of elements, %d" % len(data))
    if len(indices) and not 0 <= indices.min() <= indices.max() < inner:
        raise ValueError("an index is out of range for a %s matrix of shape %s" % (format, shape))
    if scipy_sparse is None:
        return SparseMatrix(format, data, indices, indptr, shape)
    return getattr(scipy_sparse, format + "_matrix")((data, indices, indptr), shape, copy=False)


def is_sparse(value):
    return isinstance(value, SparseMatrix) or (scipy_sparse is not None and scipy_sparse.issparse(value))


def from_dense(format, array):
    array = numpy.asarray(array)
    turned = array if checked_format(format) == "csr" else array.T
    outer, inner = turned.nonzero()
    indptr = numpy.searchsorted(outer, numpy.arange(len(turned) + 1))
    return made(format, turned[outer, inner], inner.astype("int32"), indptr.astype("int32"), array.shape)
