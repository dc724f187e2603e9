"""Shapes, creation and joining as scripts write them. Numbers are ranks of use."""
import numpy
import pytest
import theano
import theano.tensor as T
from theano import function

A = numpy.arange(24.0).reshape(2, 3, 4)


def value(expression, *values):
    inputs = [v for v in theano.gof.graph.inputs([expression]) if not isinstance(v, (theano.Constant, theano.compile.SharedVariable))]
    inputs.sort(key=lambda v: v.name)
    return function(inputs, expression)(*values)


def test_shape():  # 18, 32
    x = T.dtensor3("x")
    assert x.shape.dtype == "int64" and x.shape.ndim == 1 and value(x.shape, A).tolist() == [2, 3, 4]
    assert x.shape[0].ndim == 0 and value(x.shape[1], A) == 3 and value(x.shape[-1] * 2, A) == 8
    assert value(T.shape(x)[:2], A).tolist() == [2, 3] and value(x.size, A) == 24
    assert value((x.sum(axis=1) * 2).shape, A).tolist() == [2, 4] and value(T.dot(x[0], x[0].T).shape[0], A) == 3
    batch, rows, cols = x.shape
    assert value(cols, A) == 4


def test_dimshuffle():  # 48, 61
    x, v, s = T.dmatrix("x"), T.dvector("v"), T.dscalar("s")
    m = A[0]
    assert value(x.dimshuffle(1, 0), m).tolist() == m.T.tolist() and value(x.dimshuffle((1, 0)), m).tolist() == m.T.tolist()
    assert value(x.dimshuffle([0, "x", 1]), m).shape == (3, 1, 4) and x.dimshuffle(0, "x", 1).broadcastable == (False, True, False)
    assert value(v.dimshuffle("x", 0), [1.0, 2]).shape == (1, 2) and value(v.dimshuffle(0, "x"), [1.0, 2]).shape == (2, 1)
    assert value(s.dimshuffle("x", "x"), 1.0).shape == (1, 1) and value(s.dimshuffle(), 1.0).shape == ()
    assert value(T.drow("r").dimshuffle(1), [[1.0, 2]]).tolist() == [1, 2]
    for wrong in ((0,), (0, 0), (0, 2), (0, 1, "y")):
        with pytest.raises((TypeError, ValueError)):
            x.dimshuffle(*wrong)


def test_transpose():  # 69
    x = T.dtensor3("x")
    assert value(x.T, A).shape == (4, 3, 2) and x.T.name == "x.T" and value(T.transpose(x, (1, 0, 2)), A).shape == (3, 2, 4)
    assert value(x.transpose(2, 0, 1), A).tolist() == A.transpose(2, 0, 1).tolist() and value(x.transpose([0, 2, 1]), A).shape == (2, 4, 3)
    assert value(x.swapaxes(0, 2), A).shape == (4, 3, 2) and value(x.T.T, A).tolist() == A.tolist()


def test_reshape():  # 70, 120
    x, n = T.dtensor3("x"), T.lscalar("n")
    assert value(x.reshape((6, 4)), A).tolist() == A.reshape(6, 4).tolist() and x.reshape((6, 4)).ndim == 2
    assert value(x.reshape((-1, 4)), A).shape == (6, 4) and value(x.reshape([24]), A).shape == (24,)
    assert value(x.reshape((x.shape[0], -1)), A).shape == (2, 12) and value(T.reshape(x, (x.shape[0] * 3, 4)), A).shape == (6, 4)
    assert value(x.reshape((n, 12)), 2, A).shape == (2, 12) and value(x.reshape(x.shape), A).shape == A.shape
    assert value(x.reshape((1, 24)), A).shape == (1, 24) and x.reshape((1, 24)).broadcastable == (True, False)
    shape = T.lvector("shape")
    assert value(x.reshape(shape, ndim=2), numpy.array([4, 6]), A).shape == (4, 6)
    with pytest.raises(ValueError, match="ndim"):
        x.reshape(shape)
    with pytest.raises(ValueError):
        value(x.reshape((5, 5)), A)
    with pytest.raises(ValueError):
        value(x.reshape((-1, 5)), A)
    assert value(x.reshape((2, 3, 2, 2)).sum(), A[::, ::-1, ::-1]) == A.sum() and value(x.reshape((4, 6)), A.T).tolist() == A.T.reshape(4, 6).tolist()


def test_sizes_of_one_in_a_vector_of_sizes_are_of_the_type():
    x, row, v = T.dmatrix("x"), T.drow("row"), T.dvector("v")
    patterns = {
        (False, False, True): T.concatenate([x.shape, [1]]), (True, False, False): T.concatenate([[1], x.shape]),
        (True, False): row.shape, (False, True): T.join(0, T.stack([x.size]), T.as_tensor_variable([1])),
        (False, True, False): T.concatenate([x.shape[:1], [1, 3]]), (False, False): x.shape,
    }
    for pattern, sizes in patterns.items():
        assert T.reshape(x, sizes, ndim=len(pattern)).broadcastable == pattern, sizes
    stretched = x.reshape(T.concatenate([x.shape, [1]]), ndim=3) * v
    given = numpy.arange(6.0).reshape(2, 3)
    assert numpy.array_equal(theano.function([x, v], stretched)(given, [1, 10]), given[:, :, None] * [1, 10])
    assert numpy.array_equal(value(x.reshape(T.concatenate([[1], x.shape])), given), given[None])
    with pytest.raises(ValueError):
        value(x.reshape(T.concatenate([x.shape, [1]]), ndim=2), given)
    with pytest.raises(ValueError):
        value(x.reshape(T.concatenate([[1], x.shape + 1])), given)


def test_flatten():  # 62, 170
    x = T.dtensor3("x")
    assert value(x.flatten(), A).tolist() == A.ravel().tolist() and value(x.flatten(2), A).tolist() == A.reshape(2, 12).tolist()
    assert value(x.flatten(ndim=2), A).shape == (2, 12) and value(T.flatten(x, outdim=2), A).shape == (2, 12)
    assert value(T.flatten(x, 3), A).shape == A.shape and value(T.flatten(x), A.T).tolist() == A.T.ravel().tolist() and x.ravel().ndim == 1
    with pytest.raises(ValueError):
        x.flatten(4)


def test_padding_of_shapes():  # 171, 202, 203, 204
    x = T.dmatrix("x")
    assert value(T.shape_padright(x), A[0]).shape == (3, 4, 1) and value(T.shape_padright(x, 2), A[0]).shape == (3, 4, 1, 1)
    assert value(T.shape_padleft(x), A[0]).shape == (1, 3, 4) and T.shape_padleft(x, n_ones=2).broadcastable == (True, True, False, False)
    assert value(T.shape_padaxis(x, axis=1), A[0]).shape == (3, 1, 4) and value(T.shape_padaxis(x, -1), A[0]).shape == (3, 4, 1)
    with pytest.raises(IndexError):
        T.shape_padaxis(x, 4)


def test_broadcast_patterns():  # 212
    x = T.dmatrix("x")
    one = T.addbroadcast(x, 0)
    assert one.broadcastable == (True, False) and T.unbroadcast(one, 0).broadcastable == (False, False)
    assert T.patternbroadcast(x, (False, True)).broadcastable == (False, True)
    assert value(one, A[0][:1]).tolist() == A[0][:1].tolist()
    with pytest.raises(ValueError):
        value(one, A[0])


def test_zeros_ones_alloc():  # 68, 90, 100, 127, 144, 187
    x, n = T.dmatrix("x"), T.lscalar("n")
    assert value(T.zeros((n, 3)), 2).tolist() == numpy.zeros((2, 3)).tolist() and T.zeros((2,)).dtype == "float64"
    assert T.zeros((2, n), dtype="int32").dtype == "int32" and value(T.ones(n), 3).tolist() == [1, 1, 1]
    assert value(T.zeros((x.shape[0], 2)), A[0]).shape == (3, 2) and value(T.zeros(x.shape), A[0]).shape == (3, 4)
    assert value(T.zeros_like(x), A[0]).tolist() == numpy.zeros((3, 4)).tolist() and T.ones_like(x, dtype="int8").dtype == "int8"
    assert value(T.ones_like(x), A[0]).tolist() == numpy.ones((3, 4)).tolist() and T.zeros_like(x, dtype="floatX").dtype == "float64"
    assert value(x.zeros_like() + x.ones_like(), A[0]).sum() == 12
    assert value(T.alloc(5.0, n, 2), 3).tolist() == [[5, 5]] * 3 and value(T.alloc(numpy.float32(0), 2, n), 1).dtype == numpy.float32
    assert value(T.alloc(T.dvector("v"), n, 2), 3, [1.0, 2.0]).tolist() == [[1, 2]] * 3
    assert T.alloc(1.0, 1, n).broadcastable == (True, False) and T.zeros((1, 2)).broadcastable == (True, False)
    assert T.zeros(3).ndim == 1 and T.zeros(()).ndim == 0 and T.ones((2, 2), theano.config.floatX).dtype == "float64"
    with theano.config.change_flags(floatX="float32"):
        assert T.zeros((2,)).dtype == "float32" and T.ones(2).dtype == "float32"
    assert value(T.fill(x, 2.5), A[0]).tolist() == numpy.full((3, 4), 2.5).tolist()
    with pytest.raises((TypeError, ValueError)):
        T.zeros((2.5, 1))


def test_arange():  # 34, 193
    n = T.lscalar("n")
    assert value(T.arange(n), 4).tolist() == [0, 1, 2, 3] and T.arange(n).dtype == "int64" and T.arange(T.iscalar()).dtype == "int64"
    assert T.arange(3).eval().tolist() == [0, 1, 2] and value(T.arange(1, n, 2), 6).tolist() == [1, 3, 5]
    assert T.arange(0, 1, 0.25).eval().tolist() == [0, .25, .5, .75] and value(T.arange(n, 0, -1), 3).tolist() == [3, 2, 1]
    assert T.arange(n, dtype="int32").dtype == "int32" and T.arange(3, dtype="float32").eval().dtype == numpy.float32
    assert value(T.arange(T.dmatrix("x").shape[0]), A[0]).tolist() == [0, 1, 2] and value(T.arange(n), 0).shape == (0,)
    assert T.arange(numpy.int64(2)).eval().tolist() == [0, 1]


def test_stack_and_concatenate():  # 96, 123, 124, 162
    x, y, s = T.dmatrix("x"), T.dmatrix("y"), T.dscalar("s")
    a, b = A
    assert value(T.stack([x, y]), a, b).tolist() == numpy.stack([a, b]).tolist() and value(T.stack(x, y), a, b).shape == (2, 3, 4)
    for axis in (0, 1, 2, -1):
        assert value(T.stack([x, y], axis=axis), a, b).tolist() == numpy.stack([a, b], axis).tolist()
    assert value(T.stack([s, 2 * s, 1]), 3.0).tolist() == [3, 6, 1] and value(T.stack((s, s)), 1.0).shape == (2,)
    for axis in (0, 1, -1):
        assert value(T.concatenate([x, y], axis=axis), a, b).tolist() == numpy.concatenate([a, b], axis).tolist()
    assert value(T.concatenate((x, y)), a, b).shape == (6, 4) and value(T.join(1, x, y), a, b).shape == (3, 8)
    assert value(T.concatenate([x, T.zeros((1, 4))]), a).shape == (4, 4)
    assert T.concatenate([T.fvector(), T.ivector()]).dtype == "float64" and T.join(0, T.imatrix(), T.imatrix()).dtype == "int32"
    with pytest.raises(TypeError):
        T.concatenate([x, s])
    with pytest.raises(ValueError):
        value(T.concatenate([x, y], axis=1), a, b[:2])
    with pytest.raises(TypeError):
        T.concatenate(x)
    first, second = T.split(x, [1, 2], 2, axis=0)
    assert value(second, a).tolist() == a[1:].tolist()
    g = function([x, y], T.grad((T.concatenate([x, y], axis=1) ** 2).sum(), [x, y]))(a, b)
    assert g[0].tolist() == (2 * a).tolist() and g[1].tolist() == (2 * b).tolist()
    assert value(T.horizontal_stack(x, y), a, b).shape == (3, 8) and value(T.vertical_stack(x, y), a, b).shape == (6, 4)
    assert value(T.stacklists([[s, s], [s, 1]]), 2.0).tolist() == [[2, 2], [2, 1]]


def test_diagonals():  # 189
    x, v = T.dmatrix("x"), T.dvector("v")
    assert value(x.diagonal(), A[0]).tolist() == numpy.diagonal(A[0]).tolist() and value(T.diag(x), A[0]).tolist() == numpy.diag(A[0]).tolist()
    assert value(T.diag(v), [1.0, 2]).tolist() == [[1, 0], [0, 2]] and value(T.nlinalg.trace(x), A[0]) == numpy.trace(A[0])
    assert value(x.diagonal(1), A[0]).tolist() == numpy.diagonal(A[0], 1).tolist()
    assert T.eye(2).eval().tolist() == [[1, 0], [0, 1]] and T.eye(2, 3, 1, dtype="int8").eval().tolist() == [[0, 1, 0], [0, 0, 1]]
    assert value(T.triu(x), A[0]).tolist() == numpy.triu(A[0]).tolist() and value(T.tril(x, -1), A[0]).tolist() == numpy.tril(A[0], -1).tolist()
    assert value(T.identity_like(x), A[0]).tolist() == numpy.eye(3, 4).tolist()
    assert value(T.grad((x.diagonal() ** 2).sum(), x), A[0][:, :3]).tolist() == numpy.diag(2 * numpy.diagonal(A[0])).tolist()


@pytest.mark.parametrize("rank", [1, 2, 11, 12])  # of 12 axes no array has room for one more
def test_gradients_of_repeat(rank):
    x, count = T.TensorType("float64", (False,) * rank)("x"), T.lscalar("count")
    gradient = theano.function([x, count], T.grad((T.repeat(x, count, axis=rank - 1) ** 2).sum(), x))
    value = numpy.arange(6.0).reshape((3,) + (1,) * (rank - 2) + (2,) if rank > 1 else (6,))
    for times in (0, 1, 3):
        numpy.testing.assert_allclose(gradient(value, times), 2 * times * value)


def test_repeat_tile_roll_squeeze():  # 221
    x = T.dmatrix("x")
    m = A[0]
    assert value(T.repeat(x, 2, axis=0), m).tolist() == numpy.repeat(m, 2, 0).tolist() and value(x.repeat(2), m).tolist() == numpy.repeat(m, 2).tolist()
    assert value(T.repeat(x, [1, 0, 2], axis=0), m).tolist() == numpy.repeat(m, [1, 0, 2], 0).tolist()
    assert value(T.tile(x, (2, 3)), m).tolist() == numpy.tile(m, (2, 3)).tolist() and value(T.tile(x, 2, ndim=2), m).shape == (3, 8)
    assert value(T.roll(x, 1, axis=1), m).tolist() == numpy.roll(m, 1, 1).tolist() and value(T.roll(x, -2), m).tolist() == numpy.roll(m, -2).tolist()
    assert value(T.drow("r").squeeze(), [[1.0, 2]]).tolist() == [1, 2]
    assert value(T.specify_shape(x, (3, 4)) * 1, m).tolist() == m.tolist()
    with pytest.raises(AssertionError):
        value(T.specify_shape(x, (3, 5)) * 1, m)
    assert value(T.extra_ops.to_one_hot(T.ivector("i"), 3), numpy.array([2, 0], "int32")).tolist() == [[0, 0, 1], [1, 0, 0]]


def test_patterns_of_tiles():
    v = T.dvector("v")
    assert T.tile(v, (2,), ndim=3).broadcastable == (True, True, False)
    assert T.tile(T.drow(), (1, 2)).broadcastable == (True, False) and T.tile(T.drow(), (2, 1)).broadcastable == (False, False)
    numpy.testing.assert_array_equal(T.tile(v, (2,), ndim=3).eval({v: [1, 2]}), [[[1, 2, 1, 2]]])
    for wrong in (lambda: T.tile(T.dmatrix(), (2,), ndim=1), lambda: T.tile(v, 2.5)):
        with pytest.raises(ValueError):
            wrong()


def test_flat_or_not_and_sizes_below_the_open_one():
    assert T.is_flat(T.dvector()) and not T.is_flat(T.dmatrix()) and T.is_flat(T.dmatrix(), 2)
    with pytest.raises(ValueError, match="-2"):
        T.dmatrix().reshape((-2, 3))


@pytest.mark.parametrize("left, right, path", [((2, 3, 4, 5), (2, 5), "abcd,ad->abc"), ((2, 3, 4, 5), (2, 5, 6), "abcd,ade->abce"),
                                               ((2, 3, 4, 5), (2, 3, 5, 6), "abcd,aedf->abcef"), ((2, 4, 5), (2, 5), "abc,ac->ab")])
def test_batched_products_of_any_rank(left, right, path):
    a, b = numpy.random.RandomState(0).randn(*left), numpy.random.RandomState(1).randn(*right)
    x, y = T.TensorType("float64", (False,) * a.ndim)("x"), T.TensorType("float64", (False,) * b.ndim)("y")
    product = T.batched_dot(x, y)
    numpy.testing.assert_allclose(theano.function([x, y], product)(a, b), numpy.einsum(path, a, b))


def test_repeated_once_is_as_it_was():
    x = T.TensorType("float64", (False, True, False))()
    assert T.repeat(x, 1, axis=1).broadcastable == (False, True, False) == T.repeat(x, 2, axis=0).broadcastable
    assert T.repeat(x, 2, axis=1).broadcastable == (False,) * 3


def test_sizes_that_are_always_one_broadcast():
    """As far as Theano's get_scalar_constant_value sees: the size of an axis that broadcasts is 1."""
    col, cube = T.dcol("c"), T.dtensor3("cube")
    assert col.reshape((col.shape[0], col.shape[1])).broadcastable == (False, True) == col.reshape(col.shape, ndim=2).broadcastable
    assert col.reshape((col.shape[1], cube.shape[0] * col.shape[-1], -1)).broadcastable == (True, False, False)
    assert T.alloc(0.0, col.shape[1], col.shape[0], 3).broadcastable == (True, False, False)
    assert T.zeros((col.shape[0], col.shape[1])).broadcastable == (False, True) == T.ones(col.shape).broadcastable
    assert T.AllocEmpty("float64")(col.shape[1], 2).broadcastable == (True, False)
    # A recurrent layer of one unit: what is reshaped back for the loop keeps its column, as the first state has it.
    w = theano.shared(numpy.full((4, 1), .5), broadcastable=(False, True))
    first = theano.shared(numpy.ones((1, 1)), broadcastable=(True, True))
    rows = T.dot(cube.reshape((cube.shape[0] * cube.shape[1], cube.shape[2])), w)
    rows = rows.reshape((cube.shape[0], cube.shape[1]) + tuple(rows.shape[i] for i in range(1, rows.ndim)))
    states, _ = theano.scan(lambda row, state: T.tanh(row + state), rows, T.dot(T.ones((cube.shape[1], 1)), first), strict=True)
    assert states.broadcastable == (False, False, True)
    data = numpy.random.RandomState(0).rand(3, 2, 4)
    wanted = numpy.ones((2, 1))
    for step in data:
        wanted = numpy.tanh(step.dot(numpy.full((4, 1), .5)) + wanted)
    numpy.testing.assert_allclose(value(states[-1], data), wanted)
    assert value(T.grad(states.sum(), w), data).shape == (4, 1)


def test_specified_sizes_are_numbers():
    m, n = T.dmatrix("m"), T.lscalar("n")
    x = T.specify_shape(m, (3, 4))
    for expression, wanted in ((x.shape, [3, 4]), (x.shape[1], 4), (T.exp(x).shape, [3, 4]), (x.T.shape, [4, 3]), (x[1:].shape, [2, 4]), (x.size, 12),
                               (T.concatenate([x, x]).shape, [6, 4]), (T.arange(x.shape[0]), [0, 1, 2]), (x.flatten().shape, [12])):
        f = function([m], expression)
        graph = f.maker.fgraph
        assert [type(node.op).__name__ for node in graph.apply_nodes] == ["DeepCopyOp"], theano.printing.debugprint(f, file="str")
        assert numpy.array_equal(f(numpy.ones((3, 4))), wanted)
        with pytest.raises((AssertionError, ValueError), match="promised was|not the specified one"):
            f(numpy.ones((2, 4)))
    assert value(T.specify_shape(m, (3, n))[:2].shape, numpy.ones((3, 5)), 5).tolist() == [2, 5]
    scalar = function([n], n.shape)
    assert isinstance(scalar.maker.fgraph.outputs[0].owner.inputs[0], theano.Constant) and scalar(3).tolist() == []
