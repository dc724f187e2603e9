"""Products, decompositions and solvers, of matrices and of batches of them."""
from pytensor.tensor import blas, blockwise, math, nlinalg, slinalg

import croton
import croton.tensor as T
from croton.pytensor.table import NoConversion, conversion, convert
from croton.tensor import nlinalg as ours_n, slinalg as ours_s


@conversion(math.Dot)
def dot(op, node, x, y):
    return T.dot(x, y)


@conversion(blas.BatchedDot)
def batched_dot(op, node, x, y):
    return T.batched_dot(x, y)


@conversion(slinalg.Cholesky)
def cholesky(op, node, x):
    return ours_s.Cholesky(lower=op.lower, on_error="nan")(x)


@conversion(slinalg.SolveTriangular)
def solve_triangular(op, node, a, b):
    return ours_s.solve_triangular(a, b, lower=op.lower, unit_diagonal=op.unit_diagonal)


@conversion(slinalg.CholeskySolve)
def cholesky_solve(op, node, c, b):
    first = ours_s.solve_triangular(c, b, lower=op.lower, trans=0 if op.lower else 1)
    return ours_s.solve_triangular(c, first, lower=op.lower, trans=1 if op.lower else 0)


@conversion(slinalg.Solve)
def solve(op, node, a, b):
    if op.assume_a not in ("gen", "sym", "her", "pos"):
        raise NoConversion("%s of a matrix that is %r" % (op, op.assume_a))
    return ours_s.solve(a, b, assume_a=op.assume_a, lower=op.lower)


@conversion(nlinalg.MatrixInverse)
def inverse(op, node, x):
    return ours_n.matrix_inverse(x)


@conversion(nlinalg.MatrixPinv)
def pseudo_inverse(op, node, x):
    return ours_n.pinv(x)


@conversion(nlinalg.Det)
def determinant(op, node, x):
    return ours_n.det(x)


@conversion(nlinalg.SLogDet)
def log_determinant(op, node, x):
    return list(ours_n.slogdet(x))


@conversion(nlinalg.Eigh)
def eigh(op, node, x):
    return list(ours_n.eigh(x, op.UPLO))


@conversion(slinalg.Eigvalsh)
def eigenvalues(op, node, a, b):
    return ours_s.eigvalsh(a, b if isinstance(b.type, T.TensorType) else None, lower=op.lower)


@conversion(nlinalg.SVD)
def svd(op, node, x):
    return ours_n.svd(x, op.full_matrices, op.compute_uv)


@conversion(blockwise.Blockwise)
def batches(op, node, *inputs):
    """A core op over leading dimensions: products as batched products, all others as a loop over the batch."""
    ranks = [len(core) for core in op.inputs_sig]
    batch = max(theirs.ndim - rank for theirs, rank in zip(node.inputs, ranks, strict=True))
    stretched = [all(theirs.type.broadcastable[:batch]) for theirs in node.inputs]
    core_node = op._create_dummy_core_node(node.inputs)
    if all(stretched):
        cores = [value.dimshuffle(*range(batch, value.ndim)) for value in inputs]
        made = convert(op.core_op, core_node, *cores)
        made = made if isinstance(made, list) else [made]
        return [value.dimshuffle(*["x"] * batch, *range(value.ndim)) for value in made]
    if any(ours and not all(theirs.type.broadcastable[:batch]) for theirs in node.inputs for ours in theirs.type.broadcastable[:batch]):
        raise NoConversion("%s of batches that are stretched along some of their axes" % op)
    sizes = next([value.shape[axis] for axis in range(batch)] for value, whole in zip(inputs, stretched, strict=True) if not whole)
    flat = [value.dimshuffle(*range(batch, value.ndim)) if whole else
            T.reshape(value, [-1] + [value.shape[axis] for axis in range(batch, value.ndim)], ndim=value.ndim - batch + 1)
            for value, whole in zip(inputs, stretched, strict=True)]
    made = _product(op, flat, stretched) or _loop(op, core_node, flat, stretched)
    return [T.reshape(value, sizes + [value.shape[axis] for axis in range(1, value.ndim)], ndim=value.ndim - 1 + batch) for value in made]


def _product(op, flat, stretched):
    """The batched products; None where the core op is no product."""
    if not isinstance(op.core_op, math.Dot):
        return None
    if not any(stretched):
        return [T.batched_dot(*flat)]
    return [T.dot(*flat) if not stretched[0] else T.dot(flat[1].dimshuffle(0, 2, 1), flat[0].T).dimshuffle(0, 2, 1)]


def _loop(op, core_node, flat, stretched):
    sequences = [value for value, whole in zip(flat, stretched, strict=True) if not whole]
    fixed = [value for value, whole in zip(flat, stretched, strict=True) if whole]

    def step(*given):
        parts, rest = iter(given[:len(sequences)]), iter(given[len(sequences):])
        return convert(op.core_op, core_node, *(next(rest) if whole else next(parts) for whole in stretched))
    made, _ = croton.scan(step, sequences=sequences, non_sequences=fixed, outputs_info=[None] * len(core_node.outputs), return_list=True)
    return made
