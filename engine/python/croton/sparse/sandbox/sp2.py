"""Sparse matrices of random numbers. They are NumPy's own (numpy.random.seed), and every call draws new ones."""
import numpy

from croton.gof.graph import Apply
from croton.gof.op import Op
from croton.gof.type import DisconnectedType
from croton.gradient import grad_undefined
from croton.sparse import basic, matrices
from croton.sparse.by_hand import Remove0
from croton.sparse.type import SparseType
from croton.tensor import basic as tensor

EliminateZeros = Remove0
eliminate_zeros = basic.remove0


class _Draw(Op):
    """What all of them are: never folded, and without a gradient."""

    def do_constant_folding(self, node):
        return False

    def grad(self, inputs, output_gradients):
        return [DisconnectedType()() if places == [False] else grad_undefined(self, number, variable, "random draws have no gradient")
                for number, (variable, places) in enumerate(zip(inputs, self.connection_pattern(None)))]


class Poisson(_Draw):
    """Numbers of a Poisson distribution, each with its element of x as the mean."""
    __props__ = ()

    def make_node(self, x):
        x = basic.as_sparse_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, out):
        x, = inputs
        drawn = x.copy()
        drawn.data = numpy.random.poisson(x.data).astype(x.dtype)
        out[0][0] = matrices.from_dense(x.format, drawn.toarray())

    def connection_pattern(self, node):
        return [[True]]

    def infer_shape(self, node, shapes):
        return shapes


class Binomial(_Draw):
    """Numbers of successes in n experiments with probability p, in a matrix of this shape."""
    __props__ = ("format", "dtype")

    def __init__(self, format, dtype):
        self.format, self.dtype = format, dtype

    def make_node(self, n, p, shape):
        n, p, shape = (tensor.as_tensor_variable(one) for one in (n, p, shape))
        for what, variable, dtypes in (("n", n, tensor.discrete_dtypes), ("p", p, tensor.float_dtypes), ("shape", shape, tensor.discrete_dtypes)):
            if variable.dtype not in dtypes:
                raise TypeError("%s has to be of one of the dtypes %s, got %s" % (what, ", ".join(dtypes), variable.type))
        return Apply(self, [n, p, shape], [SparseType(self.format, self.dtype)()])

    def perform(self, node, inputs, out):
        n, p, shape = inputs
        out[0][0] = matrices.from_dense(self.format, numpy.random.binomial(n, p, size=tuple(shape)).astype(self.dtype))

    def connection_pattern(self, node):
        return [[True], [True], [False]]

    def infer_shape(self, node, shapes):
        return [(node.inputs[2][0], node.inputs[2][1])]


class Multinomial(_Draw):
    """For each row of p, how often each of its outcomes came in n draws; n is one number, or one a row."""
    __props__ = ()

    def make_node(self, n, p):
        n, p = tensor.as_tensor_variable(n), basic.as_sparse_variable(p)
        if p.format != "csr":
            raise NotImplementedError("Multinomial takes p in csr format, got %s: p.T of a csc matrix is one" % p.format)
        return Apply(self, [n, p], [p.type()])

    def perform(self, node, inputs, out):
        n, p = inputs
        drawn = p.copy()
        for row in range(p.shape[0]):
            part = slice(int(p.indptr[row]), int(p.indptr[row + 1]))
            drawn.data[part] = numpy.random.multinomial(int(n if numpy.ndim(n) == 0 else n[row]), numpy.asarray(p.data[part], "float64"))
        out[0][0] = drawn

    def connection_pattern(self, node):
        return [[True], [True]]

    def infer_shape(self, node, shapes):
        return [shapes[1]]


poisson, multinomial = Poisson(), Multinomial()
csr_fbinomial, csc_fbinomial = Binomial("csr", "float32"), Binomial("csc", "float32")
csr_dbinomial, csc_dbinomial = Binomial("csr", "float64"), Binomial("csc", "float64")


def __getattr__(name):
    # Many functions of sparse matrices began here.
    return getattr(basic, name)
