"""Op classes that scripts call by hand."""
import pickle

import numpy
import pytest
import theano
import theano.tensor as T
from theano.tensor import blas, blas_c, extra_ops
from theano.tensor.sort import TopKOp

X = numpy.arange(12.0).reshape(3, 4)
x, v = T.dmatrix("x"), T.dvector("v")

# what it is built of → (variable, what it computes of X)
MADE = {
    "Sum": (lambda: T.Sum(axis=0)(x), X.sum(0)), "Sum of all": (lambda: T.elemwise.Sum()(x), X.sum()), "Prod": (lambda: T.Prod(1)(x), X.prod(1)),
    "CAReduce": (lambda: T.CAReduce(theano.scalar.add, axis=[1])(x), X.sum(1)), "CAReduce max": (lambda: T.elemwise.CAReduce(theano.scalar.maximum, 0)(x), X.max(0)),
    "CAReduceDtype": (lambda: T.CAReduceDtype(theano.scalar.mul, axis=(0,))(x), X.prod(0)), "Max": (lambda: T.basic.Max(0)(x), X.max(0)),
    "Argmax": (lambda: T.Argmax(axis=(1,))(x), X.argmax(1)), "MaxAndArgmax": (lambda: T.MaxAndArgmax([0])(x)[1], X.argmax(0)), "Shape": (lambda: T.Shape()(x), [3, 4]),
    "Shape_i": (lambda: T.opt.Shape_i(1)(x), 4), "MakeVector": (lambda: T.opt.MakeVector("int64")(x.shape[0], 7), [3, 7]),
    "MakeVector of floats": (lambda: T.MakeVector("float64")(x[0, 1], x[0, 2]), [1, 2]), "Rebroadcast": (lambda: T.Rebroadcast((0, True), (1, False))(x[:1]) + x, X[:1] + X),
    "Reshape": (lambda: T.Reshape(2)(x, [4, 3]), X.reshape(4, 3)), "Flatten": (lambda: T.Flatten()(x), X.ravel()), "Tile": (lambda: T.Tile(2)(x, (2, 1)), numpy.tile(X, (2, 1))),
    "Alloc": (lambda: T.Alloc()(x[0], 2, 4), numpy.array([X[0]] * 2)), "ARange": (lambda: T.ARange("int64")(0, x.shape[0], 1), [0, 1, 2]),
    "Eye": (lambda: T.Eye("float64")(3, 4, 1), numpy.eye(3, 4, 1)), "Join": (lambda: T.Join()(1, x, x), numpy.hstack([X, X])),
    "Split": (lambda: T.Split(2)(x, 0, [1, 2])[1], X[1:]), "Dot": (lambda: T.Dot()(x, x.T), X.dot(X.T)), "Dot22": (lambda: blas.Dot22()(x, x.T), X.dot(X.T)),
    "Gemm": (lambda: blas.Gemm(inplace=False)(x, 2.0, x, T.eye(4), 0.5), 2.0 * X + 0.5 * X),
    "gemm_inplace": (lambda: blas.gemm_inplace(x, 1.0, x, T.eye(4), 1.0), 2 * X), "Gemv": (lambda: blas.Gemv(False)(x[:, 0], 1.0, x, x[0], 2.0), 2 * X[:, 0] + X.dot(X[0])),
    "Ger": (lambda: blas.Ger(destructive=False)(x, 2.0, x[:, 0], x[0]), X + 2 * numpy.outer(X[:, 0], X[0])),
    "AdvancedSubtensor1": (lambda: T.AdvancedSubtensor1()(x, T.constant([2, 0])), X[[2, 0]]),
    "TopKOp": (lambda: TopKOp(return_indices=False)(x, 2), X[:, 2:]),
    "Unique": (lambda: extra_ops.Unique(return_counts=True)(x[0] % 2)[1], [2, 2]), "SearchsortedOp": (lambda: extra_ops.SearchsortedOp("right")(x[0], [1.0, 9.0]), [2, 4]),
    "RepeatOp": (lambda: extra_ops.RepeatOp(axis=0)(x, 2), X.repeat(2, 0)), "CumsumOp": (lambda: extra_ops.CumsumOp(axis=0)(x), X.cumsum(0)),
    "DiffOp": (lambda: extra_ops.DiffOp()(x), numpy.diff(X)), "FillDiagonal": (lambda: extra_ops.FillDiagonal()(x, 9.0)[1, 1], 9),
}


@pytest.mark.parametrize("name", sorted(MADE))
def test_built_by_hand(name):
    build, wanted = MADE[name]
    numpy.testing.assert_array_equal(theano.function([x], build(), on_unused_input="ignore")(X), wanted)


def test_its_class_and_its_apply():
    op = T.Sum(axis=0)
    assert type(op) is T.Sum and op.axis == 0 and str(op) == "Sum{axis=0}"
    assert type(op.make_node(x).op) is T.Sum and op.make_node(x).op.axis == (0,)
    numpy.testing.assert_array_equal(pickle.loads(pickle.dumps(op))(x).eval({x: X}), X.sum(0))
    assert isinstance(T.Shape_i(0)(x, return_list=True), list)
    assert T.Sum(axis=0) == op and hash(T.Sum(axis=0)) == hash(op) and T.Sum(axis=1) != op and T.Prod(axis=0) != op


def test_what_cannot_be_built_by_hand_says_so():
    with pytest.raises(TypeError, match="MaxPoolGrad ops are made by the engine"):
        theano.tensor.signal.pool.MaxPoolGrad(True)
    with pytest.raises(NotImplementedError, match="CAReduce"):
        T.CAReduce(theano.scalar.exp, 0)
    with pytest.raises(NotImplementedError, match="CAReduceDtype"):
        T.elemwise.CAReduceDtype(theano.scalar.xor, 0)
    with pytest.raises(TypeError):
        blas.Gemm()(x, 1.0, T.fmatrix(), x, 1.0)
    with pytest.raises(ValueError, match="return_values"):
        T.TopKOp(return_values=False, return_indices=False)


def test_what_ops_tell_of_themselves():
    for op, symbol in ((x.sum(0).owner.op, "add"), (x.prod().owner.op, "mul"), (x.all().owner.op, "and_"), (x.max(0).owner.op, "maximum"),
                       (T.Any(0), "or_"), (T.CAReduce(theano.scalar.minimum, 0), "minimum")):
        assert op.scalar_op == getattr(theano.scalar, symbol)
    int64 = theano.scalar.int64
    assert x[0, 1:].owner.op.idx_list == (int64, slice(int64, None, None)) and str(x[1:, ::2].owner.op) == "Subtensor{int64::, ::int64}"
    assert x.reshape((2, 6)).owner.op.ndim == 2 == T.Reshape(2).ndim and T.Reshape(ndim=3).ndim == 3


def test_equal_however_the_parameters_are_given():
    assert T.Sum(0) == T.Sum(axis=0) and hash(T.Sum(0)) == hash(T.Sum(axis=0)) and T.Sum(0) != T.Sum(axis=1)


def test_ops_of_the_engine_are_what_is_made_by_hand():
    a, w = T.dmatrix("a"), T.dvector("w")
    made = {blas.Gemm: blas.gemm_no_inplace(x, 2.0, x, a, 0.5), blas.Dot22: blas._dot22(x, a), blas.Ger: blas.ger(x, 1.0, w, v),
            blas.Gemv: blas.gemv_no_inplace(w, 1.0, x, v, 1.0)}
    for cls, variable in made.items():
        assert type(variable.owner.op) is cls
    assert blas.Gemm(inplace=False) == blas.gemm_no_inplace != blas.gemm_inplace and blas.gemm_inplace.make_node(x, 1.0, x, a, 1.0).op == blas.gemm_inplace
    assert type(theano.tensor.blas_c.cgemv_inplace) is blas_c.CGemv and str(blas_c.CGer(False)) == "CGer{non-destructive}"
    assert T.nnet.softmax(x).owner.op == T.nnet.softmax_op and isinstance(T.nnet.softmax_op, T.nnet.Softmax)
    A = numpy.arange(16.0).reshape(4, 4)
    numpy.testing.assert_allclose(theano.function([x, a], made[blas.Gemm])(X, A), 2 * X.dot(A) + 0.5 * X)
    with pytest.raises(ValueError):
        theano.function([x, a], made[blas.Gemm])(X, A[:3])


def test_elementwise_in_place_by_hand():
    op = T.Elemwise(theano.scalar.exp, {0: 0})
    assert op.inplace_pattern == {0: 0} and op.destroy_map == {0: [0]} and op != T.exp
    given = X.copy()
    numpy.testing.assert_allclose(theano.function([x], op(x))(given), numpy.exp(X))
    numpy.testing.assert_array_equal(given, X)
    theano.function([theano.In(x, mutable=True)], op(x), accept_inplace=True)(given)
    numpy.testing.assert_allclose(given, numpy.exp(X))


def test_scalar_classes_make_the_engines_functions():
    """As theano.scalar makes its own: a rule of dtypes, and a name."""
    rule = theano.scalar.upgrade_to_float
    op = theano.scalar.basic_scipy.GammaLn(rule, name="of_mine")
    assert (op.symbol, op.nin, str(op)) == ("gammaln", 1, "of_mine") and type(op) is theano.scalar.GammaLn
    v = T.dvector("v")
    made = T.Elemwise(op, name="gammaln")(v)
    found = theano.function([v], [made, T.grad(made.sum(), v)])([3.0, 1.0])
    numpy.testing.assert_allclose(found, [[numpy.log(2.0), 0.0], [0.9227843350984671, -numpy.euler_gamma]], atol=1e-14)
    assert [one.dtype for one in theano.scalar.exp.output_types([theano.scalar.int8])] == ["float32"]
    with pytest.raises(TypeError, match="exp gives float32 for int8, .*cast what it gives"):
        theano.scalar.Exp(theano.scalar.same_out)
    with pytest.raises(TypeError, match="Expected a callable"):
        theano.scalar.Exp(3)


def test_ops_take_arrays():
    rows, columns = numpy.array([0, 1]), numpy.array([2, 0])
    written = T.subtensor.advanced_set_subtensor(numpy.zeros((2, 3)), x[0, 1:3], rows, columns)
    assert theano.function([x], written)(X).tolist() == [[0, 0, 1], [2, 0, 0]]
    assert T.AdvancedSubtensor1()(numpy.arange(5), T.constant(rows)).eval().tolist() == [0, 1]
    assert theano.compile.deep_copy_op(x).owner.op == theano.compile.DeepCopyOp()


def test_parts_by_an_index_of_their_own():
    x, i = T.dmatrix("x"), T.lscalar("i")
    part = x[1:i, 0]
    again = part.owner.op.__class__(part.owner.op.idx_list)(x * 2, *part.owner.inputs[1:])
    last = theano.tensor.subtensor.Subtensor([slice(None), -1])
    written = theano.tensor.subtensor.IncSubtensor([slice(None), theano.scalar.int64], set_instead_of_inc=True)(x, 7.0, i)
    added = theano.tensor.subtensor.IncSubtensor([0])(x, T.as_tensor_variable([1.0, 2.0, 3.0]))
    value = numpy.arange(12.0).reshape(4, 3)
    results = theano.function([x, i], [again, last(x), written, added, theano.tensor.subtensor.Subtensor([])(x.sum())])(value, 2)
    filled, more = value.copy(), value.copy()
    filled[:, 2] = 7
    more[0] += [1, 2, 3]
    for result, wanted in zip(results, [2 * value[1:2, 0], value[:, -1], filled, more, value.sum()]):
        numpy.testing.assert_array_equal(result, wanted)
    assert last.idx_list == (slice(None), -1)


def test_ops_of_graphs_tell_their_parameters_under_theano_s_names():
    t = T.tensor4("t")
    convolution = T.nnet.conv2d(t, t, border_mode=(1, 2), subsample=(2, 1), filter_flip=False).owner.op
    assert (convolution.border_mode, convolution.subsample, convolution.filter_flip) == ((1, 2), (2, 1), False)
    assert T.nnet.conv2d(t, t).owner.op.border_mode == "valid"
    cumulative = T.extra_ops.cumprod(x, 1).owner.op
    assert (cumulative.axis, cumulative.mode) == (1, "mul")
    written = T.set_subtensor(x[1:], 1.0).owner.op
    assert written.set_instead_of_inc is True and written.inplace is False and str(written.idx_list[0].start) == "int64"
    pooled = T.signal.pool.pool_2d(t, (2, 2), ignore_border=True, mode="sum").owner.op
    assert (pooled.ignore_border, pooled.mode, pooled.ndim) == (True, "sum", 2)
    assert T.Shape_i(1)(x).owner.op.i == 1 and T.argmax(x, 0).owner.op.axis == (0,) and T.arange(3).owner.op.dtype == "int64"
    assert T.extra_ops.searchsorted(v, x, "right").owner.op.side == "right" and not hasattr(T.dot(x, x).owner.op, "axis")


def test_pooling_along_one_axis_and_three():
    value = numpy.random.rand(2, 3, 4, 4, 4)
    for ndim, wanted in ((1, value.reshape(2, 3, 4, 4, 2, 2).max(-1)), (3, value.reshape(2, 3, 2, 2, 2, 2, 2, 2).max((3, 5, 7)))):
        pooled = theano.tensor.signal.pool.Pool(ignore_border=True, ndim=ndim)(T.constant(value), (2,) * ndim)
        numpy.testing.assert_array_equal(pooled.eval(), wanted)
    with pytest.raises(NotImplementedError, match="1, 2 or 3 axes"):
        theano.tensor.signal.pool.Pool(ndim=4)


BITS = numpy.array([[3, 5, 6], [12, 8, 4]])


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "int64", "uint8", "uint64"])
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1), (-1,), ()])
def test_reductions_of_integers_are_bitwise(dtype, axis):
    x, value = T.TensorType(dtype, (False, False))("x"), BITS.astype(dtype)
    axes = tuple(range(2)) if axis is None else axis
    functions = {"or_": numpy.bitwise_or, "and_": numpy.bitwise_and, "xor": numpy.bitwise_xor, "maximum": numpy.maximum, "minimum": numpy.minimum}
    for name, function in functions.items():
        made = T.elemwise.CAReduce(getattr(theano.scalar, name), axis)(x)
        wanted = function.reduce(value, axis=axes)
        for mode in ("FAST_RUN", "FAST_COMPILE"):
            found, sizes = theano.function([x], [made, made.shape], mode=mode)(value)
            assert found.dtype == made.dtype == dtype and tuple(sizes) == wanted.shape
            numpy.testing.assert_array_equal(found, wanted)
    for name, function in (("add", numpy.add), ("mul", numpy.multiply)):
        found = theano.function([x], T.elemwise.CAReduce(getattr(theano.scalar, name), axis)(x))(value)
        assert found.dtype == dtype
        numpy.testing.assert_array_equal(found, function.reduce(value, axis=axes, dtype=dtype))


def test_reductions_of_nothing_and_by_functions_of_ones_own():
    class Longest(theano.scalar.BinaryScalarOp):
        def output_types(self, types):
            return [types[0]]

        def impl(self, a, b):
            return a if abs(a) >= abs(b) else b

    x, i = T.dmatrix("x"), T.imatrix("i")
    longest = T.elemwise.CAReduce(Longest(name="longest"), axis=1)
    assert longest == T.elemwise.CAReduce(longest.scalar_op, axis=1) and longest.axis == 1
    f = theano.function([x], longest(x))
    assert f([[1.0, -3.0], [2.0, 1.0]]).tolist() == [-3, 2]
    with pytest.raises(ValueError, match="zero-size on axis 1"):
        f(numpy.zeros((2, 0)))
    g = theano.function([i], [T.elemwise.CAReduce(theano.scalar.and_)(i), T.elemwise.CAReduce(theano.scalar.or_)(i)])
    assert g(numpy.zeros((2, 0), "int32")) == [-1, 0]
    assert theano.function([i], T.any(i))([[0, 4]]) == True and T.any(i).dtype == T.all(i).dtype == "bool"  # noqa: E712
