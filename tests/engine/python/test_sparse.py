"""Sparse matrices against dense ones: both formats, empty rows, empty matrices, gradients by finite differences."""
import pickle

import numpy
import pytest
import theano
import theano.sparse as S
import theano.tensor as T

random = numpy.random.RandomState(7)
FORMATS = ("csr", "csc")


def thin(rows, columns, dtype="float64", share=0.4):
    value = random.uniform(-1, 1, (rows, columns)) * (random.uniform(size=(rows, columns)) < share)
    if rows > 2:
        value[1] = 0
    return (value * 10).round().astype(dtype) if numpy.dtype(dtype).kind in "iu" else value.astype(dtype)


def run(build, *values):
    """What build gives of sparse variables for pairs (format, array), of dense ones for arrays; sparse results as dense arrays."""
    variables = [S.matrix(value[0], dtype=str(value[1].dtype)) if isinstance(value, tuple) else T.TensorType(value.dtype, (False,) * value.ndim)()
                 for value in values]
    given = [S.value(*value) if isinstance(value, tuple) else value for value in values]
    found = theano.function(variables, build(*variables))(*given)
    return found.toarray() if hasattr(found, "toarray") else found


def same(found, wanted):
    wanted = numpy.asarray(wanted)
    assert found.shape == wanted.shape
    numpy.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex128"])
@pytest.mark.parametrize("shape", [(3, 4), (5, 2), (1, 1), (0, 3), (3, 0), (20, 30)])
def test_there_and_back(format, dtype, shape):
    value = thin(*shape, dtype=dtype)
    same(run(S.dense_from_sparse, (format, value)), value)
    x = T.TensorType(dtype, (False, False))()
    made = theano.function([x], S.csr_from_dense(x) if format == "csr" else S.csc_from_dense(x))(value)
    assert made.format == format and made.shape == value.shape and made.dtype == dtype and made.nnz == (value != 0).sum()
    same(made.toarray(), value)
    same(run(S.transpose, (format, value)), value.T)
    same(run(lambda x: x.T.T, (format, value)), value)
    same(run(lambda x: x.shape, (format, value)), value.shape)


@pytest.mark.parametrize("format", FORMATS)
def test_parts(format):
    value = thin(4, 5)
    x = S.matrix(format, "x")
    parts = theano.function([x], S.csm_properties(x))(S.value(format, value))
    wanted = S.value(format, value)
    for found, part in zip(parts, (wanted.data, wanted.indices, wanted.indptr, wanted.shape)):
        numpy.testing.assert_array_equal(found, part)
    assert [part.dtype for part in parts[1:]] == ["int32"] * 3
    data, indices, indptr, shape = T.dvector(), T.ivector(), T.ivector(), T.ivector()
    made = theano.function([data, indices, indptr, shape], S.CSM(format)(data, indices, indptr, shape))(*parts)
    same(made.toarray(), value)
    constant = S.as_sparse_variable(wanted)
    same(theano.function([], S.dense_from_sparse(constant))(), value)


def test_sums_and_products_of_both_formats():
    for shape in ((4, 5), (1, 5), (4, 0), (0, 5), (30, 20)):
        one, other = thin(*shape), thin(*shape)
        for first, second in (FORMATS, FORMATS[::-1]):
            for build, wanted in ((S.add, one + other), (S.sub, one - other), (S.mul, one * other)):
                x, y = S.matrix(first, "x"), S.matrix(second, "y")
                made = theano.function([x, y], build(x, y))(S.value(first, one), S.value(second, other))
                assert made.format == first
                same(made.toarray(), wanted)
    x, y = S.csr_matrix("x"), S.csc_matrix("y")
    grads = theano.function([x, y], [S.dense_from_sparse(part) for part in T.grad(S.sp_sum(S.mul(x, y) + y), [x, y])])(S.value("csr", one), S.value("csc", other))
    same(grads[0], other * (one != 0))
    same(grads[1], (one + 1) * (other != 0))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex64"])
def test_products(format, dtype):
    for shape in ((4, 5), (1, 5), (4, 0), (0, 5), (30, 20)):
        x, y, z = thin(*shape, dtype=dtype), thin(shape[1], 3, dtype, 1), thin(2, shape[0], dtype, 1)
        same(run(S.dot, (format, x), y), x.dot(y))
        same(run(S.structured_dot, (format, x), y[:, ::-1]), x.dot(y[:, ::-1]))
        same(run(S.dot, z, (format, x)), z.dot(x))
        same(run(S.dot, (format, x), y[:, 0]), x.dot(y[:, 0]))
        same(run(S.dot, z[0], (format, x)), z[0].dot(x))
        same(run(S.dot, (format, x), (format, y)), x.dot(y))
        same(run(S.true_dot, (format, x), (format, y)), x.dot(y))
        same(run(lambda x, y, z: S.usmm(2, x, y, z), (format, x), y, x.dot(y)), 3 * x.dot(y))
        same(run(lambda p, a, b: S.sampling_dot(a, b, p), (format, x), z.T, y.dot(numpy.ones((3, 2), dtype))), x * z.T.dot(y.dot(numpy.ones((3, 2), dtype)).T))


@pytest.mark.parametrize("format", FORMATS)
def test_elements(format):
    x, y, dense, row = thin(4, 5), thin(4, 5), random.uniform(-1, 1, (4, 5)), random.uniform(-1, 1, 5)
    column, pattern, s = random.uniform(-1, 1, 4), x != 0, (format, x)
    same(run(S.add, s, (format, y)), x + y)
    same(run(S.sub, s, (format, y)), x - y)
    same(run(S.mul, s, (format, y)), x * y)
    same(run(S.add, s, dense), x + dense)
    same(run(S.sub, dense, s), dense - x)
    same(run(S.mul, dense, s), x * dense)
    same(run(lambda x: x * 2 - x + (-x), s), x * 0)
    same(run(S.mul, s, row), x * row)
    same(run(S.col_scale, s, row), x * row)
    same(run(S.row_scale, s, column), x * column[:, None])
    same(run(S.structured_add_s_v, s, row), (x + row) * pattern)
    for name, wanted in (("structured_exp", numpy.exp), ("structured_sigmoid", lambda x: 1 / (1 + numpy.exp(-x))), ("sqr", numpy.square),
                         ("tanh", numpy.tanh), ("floor", numpy.floor), ("sgn", numpy.sign), ("log1p", numpy.log1p), ("neg", numpy.negative),
                         ("sp_ones_like", numpy.ones_like), ("sp_zeros_like", numpy.zeros_like)):
        same(run(getattr(S, name), s), numpy.where(pattern, wanted(x), 0))
    same(run(lambda x: S.structured_pow(x, 2), s), x ** 2)
    same(run(lambda x: S.structured_maximum(x, 0.1), s), numpy.where(pattern, numpy.maximum(x, 0.1), 0))
    same(run(lambda x: S.cast(x, "float32"), s), x)
    for axis in (None, 0, 1):
        same(run(lambda x: S.sp_sum(x, axis), s), x.sum(axis))
    same(run(S.diag, (format, x[:, :4])), numpy.diag(x[:, :4]))
    same(run(S.square_diagonal, row), numpy.diag(row))
    for name in ("eq", "neq", "lt", "gt", "le", "ge"):
        compare = {"neq": "not_equal", "lt": "less", "gt": "greater", "le": "less_equal", "ge": "greater_equal", "eq": "equal"}[name]
        same(run(getattr(S, name), s, (format, y)), getattr(numpy, compare)(x, y))
        same(run(getattr(S, name), s, dense), getattr(numpy, compare)(x, dense))


@pytest.mark.parametrize("format", FORMATS)
def test_rearranged(format):
    x, y = thin(4, 5), thin(4, 5)
    s = (format, x)
    same(run(lambda x, y: S.hstack([x, y]), s, (format, y)), numpy.hstack([x, y]))
    same(run(lambda x, y: S.vstack([x, y], "csr"), s, (format, y)), numpy.vstack([x, y]))
    same(run(lambda x: x[1:3], s), x[1:3])
    same(run(lambda x: x[:, 2:], s), x[:, 2:])
    same(run(lambda x: x[::-1, ::2], s), x[::-1, ::2])
    same(run(lambda x: x[[3, 0]], s), x[[3, 0]])
    same(run(lambda x: x[2, 3], s), x[2, 3])
    data, places, begins = numpy.array([1.0, 0, 2, 3]), numpy.array([3, 0, 1, 0], "int32"), numpy.array([0, 3, 3, 4], "int32")
    messy = S.CSM("csr")(data, places, begins, [3, 4])
    wanted = numpy.array([[0.0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 0, 0]])
    cleaned = theano.function([], S.clean(messy))()
    same(cleaned.toarray(), wanted)
    assert cleaned.nnz == 3 and list(cleaned.indices) == [1, 3, 0]
    assert theano.function([], S.ensure_sorted_indices(messy))().nnz == 4
    same(theano.function([], S.construct_sparse_from_list(T.zeros((4, 2)), T.constant([[1.0, 2], [3, 4]]), T.constant([2, 0])))().toarray(),
         [[3, 4], [0, 0], [1, 2], [0, 0]])


GRADIENTS = {
    "dot": lambda x, d: S.dot(x, d.T), "dot from the left": lambda x, d: S.dot(d.T, x), "sparse dot": lambda x, d: S.dot(x, S.transpose(x)),
    "true_dot": lambda x, d: S.dense_from_sparse(S.true_dot(x, S.transpose(x))), "add": lambda x, d: S.add(x, d), "mul": lambda x, d: S.mul(x, d).toarray(),
    "mul_s_s": lambda x, d: S.mul(x, S.structured_exp(x)).toarray(), "add_s_s": lambda x, d: S.sqr(S.add(x, S.structured_exp(x))).toarray(),
    "exp": lambda x, d: S.structured_exp(x).toarray(), "sigmoid": lambda x, d: S.structured_sigmoid(x).toarray(), "sp_sum": lambda x, d: S.sp_sum(x, 0) * S.sp_sum(x),
    "col_scale": lambda x, d: S.col_scale(x, d[0]).toarray(), "row_scale": lambda x, d: S.row_scale(x, d[:, 0]).toarray(),
    "sampling_dot": lambda x, d: S.sampling_dot(d, T.sin(d[:, ::-1].T[:, :4].dot(d)), x).toarray(), "diag": lambda x, d: S.diag(x[:, :4]),
    "hstack": lambda x, d: S.hstack([x, S.sqr(x)]).toarray(), "index": lambda x, d: x[1:, ::-1].toarray() * x[2, 3], "remove0": lambda x, d: S.remove0(S.sqr(x)).toarray(),
    "usmm": lambda x, d: S.usmm(2.0, x, d.T, d.dot(d.T)),
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", sorted(GRADIENTS))
def test_gradients(format, name):
    value = thin(4, 5)
    value[2, 3] = 0.5
    x = S.value(format, value)
    dense = random.uniform(0.5, 1, (4, 5))

    def build(data, d):
        return GRADIENTS[name](S.CSM(format)(data, x.indices, x.indptr, numpy.array(x.shape, "int32")), d)
    T.verify_grad(build, [x.data, dense], rng=numpy.random.RandomState(1), eps=1e-6)


@pytest.mark.parametrize("format", FORMATS)
def test_the_gradient_of_a_sparse_variable_is_sparse(format):
    x, d = S.matrix(format, "x"), T.dmatrix("d")
    cost = T.sum(T.sqr(S.dot(x, d))) + S.sp_sum(S.sqr(x))
    value, dense = thin(4, 5), random.uniform(-1, 1, (5, 3))
    grad, of_dense = T.grad(cost, [x, d])
    assert isinstance(grad, S.SparseVariable) and grad.format == format
    found, other = theano.function([x, d], [grad, of_dense])(S.value(format, value), dense)
    same(found.toarray(), (2 * value.dot(dense).dot(dense.T) + 2 * value) * (value != 0))
    same(other, 2 * value.T.dot(value.dot(dense)))
    y = S.matrix(format, "y")
    zeros = T.grad(cost, [y, x], disconnected_inputs="ignore")[0]
    assert theano.function([y], zeros)(S.value(format, value)).nnz == 0


def test_a_classifier_of_word_counts_learns():
    counts = (random.uniform(size=(60, 30)) < 0.2) * random.randint(1, 4, (60, 30)).astype("float64")
    labels = (counts[:, :15].sum(1) > counts[:, 15:].sum(1)).astype("float64")
    x, y = S.csr_matrix("x", "float64"), T.dvector("y")
    w, b = theano.shared(numpy.zeros(30), "w"), theano.shared(0.0, "b")
    p = T.nnet.sigmoid(S.dot(x, w) + b)
    cost = T.nnet.binary_crossentropy(p, y).mean()
    train = theano.function([x, y], cost, updates=[(v, v - 0.5 * T.grad(cost, v)) for v in (w, b)])
    weights, bias = numpy.zeros(30), 0.0
    for _ in range(30):
        found = train(S.value("csr", counts), labels)
        q = 1 / (1 + numpy.exp(-(counts.dot(weights) + bias)))
        numpy.testing.assert_allclose(found, -(labels * numpy.log(q) + (1 - labels) * numpy.log(1 - q)).mean(), rtol=1e-8)
        weights, bias = weights - 0.5 * counts.T.dot(q - labels) / 60, bias - 0.5 * (q - labels).mean()
    assert found < 0.4


def test_types_and_errors():
    x = S.csr_matrix("x")
    assert str(x.type) == "Sparse[float64, csr]" and x.type == S.SparseType("csr", "float64") and x.ndim == 2 and str(x) == "x"
    assert S.csc_fmatrix("f").dtype == "float32" and S.enable_sparse
    f = theano.function([x], S.sp_sum(x))
    with pytest.raises(TypeError, match="Expected a sparse matrix in csr format, got ndarray"):
        f(numpy.ones(2))
    assert f(numpy.eye(2)) == 2 and f(S.value("csc", numpy.eye(3))) == 3  # converted, unless told to be strict
    strict = theano.function([theano.In(x, strict=True)], S.sp_sum(x))
    with pytest.raises(TypeError, match="got one in csc format: convert it with .tocsr()"):
        strict(S.value("csc", numpy.eye(2)))
    with pytest.raises(TypeError, match="Expected a sparse matrix in csr format, got ndarray"):
        strict(numpy.eye(2))
    with pytest.raises(TypeError, match="Expected a sparse matrix of float64, got complex128"):
        f(S.value("csr", numpy.eye(2) * 1j))
    assert f(S.value("csr", numpy.eye(2, dtype="float32"))) == 2
    with pytest.raises(NotImplementedError, match="unsupported format"):
        S.SparseType("coo", "float64")
    for use in (S.bsr_matrix, lambda: S.matrix("bsr"), lambda: S.SparseType("bsr", "float64"), lambda: S.value("bsr", numpy.eye(2)), lambda: S.bsr_dmatrix):
        with pytest.raises(NotImplementedError, match="^not supported: .*bsr.* is not in|^not supported: .*bsr.* are not in"):
            use()
    with pytest.raises(TypeError, match="takes a sparse matrix"):
        S.dot(T.dmatrix(), T.dmatrix())
    with pytest.raises(NotImplementedError, match="no sparse vector"):
        x[0]
    y = T.dmatrix()
    with pytest.raises(ValueError, match="the sparse matrix has shape \\(2, 2\\)"):
        theano.function([x, y], S.dot(x, y))(S.value("csr", numpy.eye(2)), numpy.eye(3))
    z = S.csr_matrix("z")
    with pytest.raises(AssertionError, match="different shapes"):
        theano.function([x, z], S.add(x, z))(S.value("csr", numpy.eye(2)), S.value("csr", numpy.eye(3)))
    with pytest.raises(ValueError, match="indptr"):
        theano.function([], S.CSM("csr")(numpy.ones(2), numpy.zeros(2, "int32"), numpy.array([0, 1], "int32"), [3, 3]))()


def test_values_belong_to_whom_they_are_given():
    x = S.csr_matrix("x")
    value = S.value("csr", thin(4, 5))
    before = value.data.copy()
    f = theano.function([x], [S.structured_exp(x * 2), x])
    one, same_again = f(value)
    numpy.testing.assert_array_equal(value.data, before)
    kept = one.data.copy()
    f(S.value("csr", thin(4, 5)))
    numpy.testing.assert_array_equal(one.data, kept)
    again = pickle.loads(pickle.dumps(S.csr_matrix("x", "float32").type))
    assert again == S.SparseType("csr", "float32")


def test_shared_matrices():
    value = thin(4, 5)
    x, y = theano.shared(S.value("csr", value), "x"), T.dmatrix("y")
    assert isinstance(x, S.SparseSharedVariable) and x.format == "csr" and x.dtype == "float64"
    f = theano.function([y], S.dot(x, y), updates=[(x, x * 2)])
    dense = random.uniform(-1, 1, (5, 2))
    same(f(dense), value.dot(dense))
    same(f(dense), 2 * value.dot(dense))
    same(x.get_value().toarray(), 4 * value)


def test_our_own_class_where_scipy_is_not_there(monkeypatch):
    from croton.sparse import matrices
    monkeypatch.setattr(matrices, "scipy_sparse", None)
    value = thin(4, 5)
    x = S.csc_matrix("x")
    found = theano.function([x], S.structured_exp(x))(S.value("csc", value))
    assert type(found) is matrices.SparseMatrix and found.copy().astype("float32").dtype == "float32"
    same(found.toarray(), numpy.where(value != 0, numpy.exp(value), 0))
    with pytest.raises(TypeError, match="SciPy is not installed; theano.sparse.value"):
        theano.function([x], S.sp_sum(x))(value[0])


def test_matrices_of_scipy():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    x = S.csr_matrix("x")
    found = theano.function([x], S.structured_exp(x))(scipy_sparse.csr_matrix(numpy.eye(3)))
    assert scipy_sparse.issparse(found)
    same(found.toarray(), numpy.eye(3) * numpy.e)


@pytest.mark.parametrize("format", FORMATS)
def test_op_classes(format):
    import theano.sparse.basic as B
    value, other, dense, vector = thin(4, 5), thin(4, 5), random.uniform(size=(5, 3)), random.uniform(size=5)
    same(run(S.DenseFromSparse(), (format, value)), value)
    same(run(B.SparseFromDense(format), value), value)
    same(run(B.StructuredDot(), (format, value), dense), value @ dense)
    same(run(S.Dot(), (format, value), dense), value @ dense)
    same(run(S.TrueDot(), (format, value), (format, other.T.copy())), value @ other.T)
    same(run(lambda x, y: S.Usmm()(2.0, x, y, T.ones((4, 3))), (format, value), dense), 1 + 2 * value @ dense)
    same(run(lambda x: S.GetItem2d()(x, (slice(1, 3), slice(None))), (format, value)), value[1:3])
    same(run(lambda x: B.get_item_scalar(x, (2, 3)), (format, value)), value[2, 3])
    same(run(lambda x: B.get_item_list(x, [2, 0]), (format, value)), value[[2, 0]])
    same(run(lambda x: B.GetItem2Lists()(x, T.constant([2, 0]), T.constant([1, 4])), (format, value)), value[[2, 0], [1, 4]])
    same(run(S.Transpose(), (format, value)), value.T)
    same(run(S.Neg(), (format, value)), -value)
    assert S.Cast("float32")(S.matrix(format)).dtype == "float32" and S.Cast("int8") == S.Cast("int8") != S.Cast("int16")
    same(run(S.SpSum(axis=0), (format, value)), value.sum(0))
    same(run(S.AddSS(), (format, value), (format, other)), value + other)
    same(run(S.AddSSData(), (format, value), (format, value)), 2 * value)
    same(run(S.MulSV(), (format, value), vector), value * vector)
    same(run(S.EqualSS(), (format, value), (format, other)), value == other)
    same(run(S.HStack(format), (format, value), (format, other)), numpy.hstack([value, other]))
    same(run(S.VStack(), (format, value), (format, other)), numpy.vstack([value, other]))
    same(run(S.Remove0(inplace=True), (format, value)), value)
    same(run(lambda *blocks: S.block_diag(*blocks, format=format), (format, value), (format, other)),
         numpy.block([[value, numpy.zeros((4, 5))], [numpy.zeros((4, 5)), other]]))
    x, y = S.matrix(format), T.dmatrix()
    node = B.StructuredDot().make_node(x, y)
    assert node.outputs[0].ndim == 2 and isinstance(B.StructuredDot(), theano.Op) and str(S.SpSum(axis=0)) == "SpSum{axis=0}"
    gradient = theano.grad(S.structured_dot(x, y).sum(), x)
    by_hand = B.structured_dot_grad(x, y, T.ones((4, 3)))
    for found in theano.function([x, y], [gradient, by_hand])(S.value(format, value), dense):
        same(found.toarray(), (value != 0) * dense.sum(1))
    assert T.dot(y, y).owner.op.__class__ is T.Dot  # that of dense matrices is another


def test_gradients_by_differences():
    from theano.sparse.tests.test_basic import verify_grad_sparse
    value, dense = S.value("csr", thin(3, 4)), random.uniform(size=(4, 2))
    verify_grad_sparse(S.structured_dot, [value, dense], structured=True)
    verify_grad_sparse(S.add, [value, S.value("csr", thin(3, 4))], structured=True)
    verify_grad_sparse(S.mul, [value, random.uniform(size=(3, 4))])
    with pytest.raises(theano.gradient.verify_grad.E_grad):
        verify_grad_sparse(lambda x: S.mul(x, theano.gradient.disconnected_grad(S.dense_from_sparse(x))), [value], structured=True)


def test_random_matrices():
    from theano.sparse.sandbox import sp2
    numpy.random.seed(3)
    mean = S.csr_matrix(dtype="float64")
    value = S.value("csr", numpy.array([[0, 1e6], [4, 0.0]]))
    f = theano.function([mean], sp2.poisson(mean))
    first, second = f(value).toarray(), f(value).toarray()
    assert first[0, 0] == 0 == first[1, 1] and abs(first[0, 1] - 1e6) < 1e4 and (first != second).any()
    n, p, shape = T.lscalar(), T.dscalar(), T.lvector()
    drawn = theano.function([n, p, shape], sp2.csc_dbinomial(n, p, shape))(10, 0.5, [20, 30])
    assert drawn.format == "csc" and drawn.shape == (20, 30) and 4 < drawn.toarray().mean() < 6
    shares = S.value("csr", numpy.array([[0.25, 0, 0.75], [0, 1, 0]]))
    counts = theano.function([mean], sp2.multinomial(T.constant([8, 5]), mean))(shares).toarray()
    assert counts.sum(1).tolist() == [8, 5] and counts[0, 1] == 0 and counts[1, 1] == 5
    with pytest.raises(theano.gradient.NullTypeGradError):
        T.grad(S.sp_sum(sp2.poisson(mean)), mean)


def test_products_are_called_what_theano_calls_them():
    x, y, dense = S.csr_matrix("x"), S.csc_matrix("y"), T.dmatrix("dense")
    named = lambda variable: theano.printing.debugprint(variable, file="str").split(" ")[0].split("\n")[0]  # noqa: E731
    assert named(S.structured_dot(x, dense)) == "StructuredDotCSR" and named(S.structured_dot(y, dense)) == "StructuredDotCSC"
    assert named(T.grad(S.structured_dot(x, dense).sum(), dense)) == "StructuredDotCSC"


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_rows_columns_and_elements_by_lists(format):
    x = {"csr": S.csr_matrix, "csc": S.csc_matrix}[format]("x")
    rng = numpy.random.RandomState(3)
    for _ in range(12):
        value = rng.normal(size=rng.randint(1, 6, 2)) * (rng.uniform(size=1) < 0.9)
        value[rng.uniform(size=value.shape) < 0.5] = 0
        rows, columns, others = (rng.randint(-size, size, 5) for size in (*value.shape, value.shape[1]))
        cases = [(x[list(rows)], value[rows]), (x[:, list(columns)], value[:, columns]), (x[list(rows), 1:], value[rows][:, 1:]),
                 (x[0:2, T.constant(others)], value[0:2][:, others]), (x[list(rows), list(columns)], value[rows, columns])]
        for index, (part, wanted) in enumerate(cases):
            found = theano.function([x], part)(S.value(format, value))
            numpy.testing.assert_allclose(found if index == 4 else found.toarray(), wanted)
    twice = theano.function([x], theano.grad((S.dense_from_sparse(x[[0, 0, 1]]) ** 2).sum(), x))(S.value(format, numpy.eye(2)))
    numpy.testing.assert_array_equal(twice.toarray(), [[4, 0], [0, 2]])
    for part in (x[[0, 3]], x[[0, 1], [0, 5]]):
        with pytest.raises(IndexError):
            theano.function([x], part)(S.value(format, numpy.eye(3)))


def test_products_by_theano_dot():
    x, m = S.csr_matrix("x"), T.matrix("m")
    value, dense = numpy.diag([1.0, 2.0, 3.0]), numpy.arange(9.0).reshape(3, 3)
    for product, wanted in [(theano.dot(x, m), value @ dense), (theano.dot(m, x), dense @ value)]:
        numpy.testing.assert_allclose(theano.function([x, m], product)(S.value("csr", value), dense), wanted)
    shared = S.value("csr", value)
    assert S.SparseType.may_share_memory(shared, shared) and not S.SparseType.may_share_memory(shared, S.value("csr", value))
