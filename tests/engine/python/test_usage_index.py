"""Indexing, and writing through an index, as scripts do it. Numbers are ranks of use."""
import numpy
import pytest
import theano
import theano.tensor as T
from theano import function, shared

A = numpy.arange(60.0).reshape(3, 4, 5)
x = T.dtensor3("x")


def value(expression, *values):
    inputs = [v for v in theano.gof.graph.inputs([expression]) if not isinstance(v, (theano.Constant, theano.compile.SharedVariable))]
    inputs.sort(key=lambda v: v.name)
    return function(inputs, expression)(*values)


BASIC = [0, -1, 2, slice(1, 3), slice(None, -1), slice(-2, None), slice(None, None, 2), slice(None, None, -1), slice(3, 0, -2),
         slice(5, 9), Ellipsis, None, (0, 1), (slice(None), 2), (slice(None), slice(1, 3), -1), (Ellipsis, 0), (0, Ellipsis, 1),
         (slice(None), None, 0), (slice(None, None, -2), slice(None), slice(4, 1, -1)), (numpy.int64(1), slice(None)),
         (1, 2, 3), (None, Ellipsis, None), slice(2, 1)]


@pytest.mark.parametrize("index", BASIC, ids=str)
def test_numbers_and_slices(index):  # 25, 128, 54, 56, 72, 85, 158, 226
    result = value(x[index], A)
    numpy.testing.assert_array_equal(result, A[index])
    assert result.shape == A[index].shape and x[index].ndim == A[index].ndim
    gradient = value(T.grad((x[index] ** 2).sum(), x), A)
    wanted = numpy.zeros_like(A)
    wanted[index] = 2 * A[index]
    numpy.testing.assert_array_equal(gradient, wanted)


def test_new_axes_drop_trailing_ones():
    """Theano makes them by DimShuffle of the axes that the index names; what else has one element for sure is gone."""
    col, i = T.col("c"), T.lscalar("i")
    data = numpy.arange(3.0)[:, None]
    for index, wanted in ((numpy.s_[:, None], data), (numpy.s_[None, :], data.T), (numpy.s_[None, 1], data[1]), (numpy.s_[1:, None], data[1:]),
                          (numpy.s_[..., None], data[..., None]), (numpy.s_[:, None, :], data[:, None, :]), (numpy.s_[:, None, 0], data[:, None, 0])):
        part = col[index]
        assert part.ndim == wanted.ndim and value(part, data).tolist() == wanted.tolist(), index
        assert T.grad((part ** 2).sum(), col).ndim == 2
    assert col[i, None].ndim == 1 and value(col[i, None], data, 2).tolist() == [2]
    assert col[:, None].owner.op == T.DimShuffle((False, True), (0, "x"))
    assert T.row("r")[:, None].ndim == 3 and x[:, None].ndim == 4 and col[[0, 1], None].ndim == 3


def test_symbolic_numbers():  # 28, 126
    i, j = T.lscalar("i"), T.iscalar("j")
    assert value(x[i], 1, A).tolist() == A[1].tolist() and value(x[i], -1, A).tolist() == A[-1].tolist()
    assert value(x[i, :, j], 1, 2, A).tolist() == A[1, :, 2].tolist()
    assert value(x[i:j], 1, 3, A).tolist() == A[1:3].tolist() and value(x[i * 1:(i + 1) * 1], 2, A).tolist() == A[2:3].tolist()
    assert value(x[:, i::j], 3, -1, A).tolist() == A[:, 3::-1].tolist()
    assert value(x[x.shape[0] - 1], A).tolist() == A[2].tolist() and value(x[T.cast(T.dscalar("a"), "int32")], 1.0, A).tolist() == A[1].tolist()
    data = shared(numpy.arange(10.0))
    batch = function([i], data[i * 3:(i + 1) * 3])
    assert batch(0).tolist() == [0, 1, 2] and batch(3).tolist() == [9] and batch(5).tolist() == []
    for bad, text in ((3, "index 3"), (-4, "-4")):
        with pytest.raises(IndexError, match="out of bounds"):
            value(x[i], bad, A)
    with pytest.raises(TypeError):
        x[T.dscalar()]
    with pytest.raises((IndexError, ValueError), match="too many"):
        x[0, 0, 0, 0]
    with pytest.raises(TypeError):
        x["key"]


def test_numbers_beyond_64_bits():
    v, a, far = T.dvector("v"), numpy.arange(5.0), 10 ** 30
    for part in (slice(None, far), slice(-far, None), slice(far, None), slice(None, -far), slice(None, None, far), slice(None, None, -far),
                 slice(1, far, far), slice(far, None, -far), slice(-far, far), slice(2 ** 63 - 1, None, -1), slice(3, -2 ** 63, -1)):
        assert value(v[part], a).tolist() == a[part].tolist(), part
        assert value(v[part].shape[0], a) == len(a[part]), part
    for index in (far, -far):
        with pytest.raises(IndexError, match="64 bits"):
            v[index]


def test_vectors_of_indices():  # 28
    i, j = T.lvector("i"), T.ivector("j")
    rows, cols = numpy.array([2, 0, 0, 1]), numpy.array([1, 3, 3, 0], "int32")
    assert value(x[i], rows, A).tolist() == A[rows].tolist() and value(x[[0, 2]], A).tolist() == A[[0, 2]].tolist()
    assert value(x[i, j], rows, cols, A).tolist() == A[rows, cols].tolist()
    assert value(x[:, j], cols, A).tolist() == A[:, cols].tolist() and value(x[i, :, j], rows, cols, A).tolist() == A[rows, :, cols].tolist()
    assert value(x[i, 1:3], rows, A).tolist() == A[rows, 1:3].tolist() and value(x[0, j], cols, A).tolist() == A[0, cols].tolist()
    assert value(x[numpy.array([-1, 1])], A).tolist() == A[[-1, 1]].tolist()
    m = T.lmatrix("m")
    assert value(x[m], numpy.array([[0, 1], [2, 2]]), A).tolist() == A[numpy.array([[0, 1], [2, 2]])].tolist()
    assert value(x[i.dimshuffle(0, "x"), j.dimshuffle("x", 0)], rows, cols, A).tolist() == A[rows[:, None], cols[None]].tolist()
    with pytest.raises(IndexError):
        value(x[i], numpy.array([3]), A)
    with pytest.raises(TypeError):
        x[T.dvector()]


def test_one_in_a_row():  # 28, the log-likelihood of a classifier
    p, y = T.dmatrix("p"), T.ivector("y")
    labels = numpy.array([1, 3, 3], "int32")
    picked = p[T.arange(y.shape[0]), y]
    numpy.testing.assert_array_equal(value(picked, A[:, :, 0], labels), A[:, :, 0][numpy.arange(3), labels])
    numpy.testing.assert_allclose(value(-T.mean(T.log(p)[T.arange(y.shape[0]), y]), A[0].T[:3] + 1, labels),
                                  -numpy.log(A[0].T[:3] + 1)[numpy.arange(3), labels].mean())


def test_gradients_accumulate_on_repeated_indices():  # 28
    table, i = T.dmatrix("table"), T.lvector("i")
    gradient = T.grad((table[i] * numpy.array([[1.0, 2], [10, 20], [100, 200]])).sum(), table)
    assert value(gradient, numpy.array([1, 1, 0]), numpy.zeros((3, 2))).tolist() == [[100, 200], [11, 22], [0, 0]]
    j = T.lvector("j")
    gradient = T.grad(table[i, j].sum(), table)
    assert value(gradient, numpy.array([0, 0, 2]), numpy.array([1, 1, 0]), numpy.zeros((3, 2))).tolist() == [[0, 2], [0, 0], [1, 0]]


def test_masks():
    mask = A > 30
    m = T.TensorType("bool", (False,) * 3)("m")
    assert value(x[m], mask, A).tolist() == A[mask].tolist() and value(x[mask], A).tolist() == A[mask].tolist()
    assert value(x[(x > 30).nonzero()], A).tolist() == A[mask].tolist()  # 163
    assert value(x[x > 30], A).tolist() == A[mask].tolist()
    row = numpy.array([True, False, True])
    assert value(x[row], A).tolist() == A[row].tolist() and value(x[row, 1], A).tolist() == A[row, 1].tolist()
    assert value(T.set_subtensor(x[x > 30], 0), A).tolist() == numpy.where(mask, 0, A).tolist()
    rows, cols = T.eq(x[0], 6).nonzero()
    assert rows.dtype == "int64" and value(rows, A).tolist() == [1] and value(cols, A).tolist() == [1]
    assert len(x.nonzero()) == 3 and value(x.nonzero_values(), A).tolist() == A.ravel()[1:].tolist()
    with pytest.raises(TypeError):
        x[[True, False, True]]


def test_take():
    i = T.lvector("i")
    rows = numpy.array([2, 0])
    for axis in (None, 0, 1, -1):
        assert value(T.take(x, i, axis=axis), rows, A).tolist() == numpy.take(A, rows, axis).tolist()
        assert value(x.take([1, 1], axis=axis), A).tolist() == numpy.take(A, [1, 1], axis).tolist()


WRITES = BASIC[:4] + BASIC[6:10] + [(0, 1), (slice(None), 2), (Ellipsis, 0), (1, 2, 3), numpy.array([2, 0]), (numpy.array([0, 1]), 2),
                                    (slice(None), numpy.array([1, 1])), (numpy.array([0, 2, 2]), numpy.array([1, 3, 3]))]


@pytest.mark.parametrize("index", WRITES, ids=str)
def test_set_and_inc_subtensor(index):  # 71
    for y in (7.0, numpy.full(A[index].shape, 7.0)):
        wanted = A.copy()
        wanted[index] = y
        before = A.copy()
        numpy.testing.assert_array_equal(value(T.set_subtensor(x[index], y), A), wanted)
        wanted = A.copy()
        numpy.add.at(wanted, index, y)
        numpy.testing.assert_array_equal(value(T.inc_subtensor(x[index], y), A), wanted)
        numpy.testing.assert_array_equal(A, before)


def test_writing_variables():  # 71
    v, i = T.dvector("v"), T.lscalar("i")
    m = T.dmatrix("m")
    result = T.set_subtensor(m[i], v)
    assert value(result, 1, A[0], numpy.zeros(5))[1].tolist() == [0] * 5
    gm, gv = T.grad((result ** 2).sum(), [m, v])
    both = function([i, m, v], [gm, gv])(1, A[0], numpy.ones(5))
    wanted = 2 * A[0]
    wanted[1] = 0
    assert both[0].tolist() == wanted.tolist() and both[1].tolist() == [2] * 5
    assert value(T.set_subtensor(m[:, :i], 0), 2, A[0])[:, :2].sum() == 0
    state = shared(numpy.zeros((3, 2)))
    step = function([i, v], updates=[(state, T.set_subtensor(state[i], v))])
    step(1, [5.0, 6.0])
    step(-1, [1.0, 2.0])
    assert state.get_value().tolist() == [[0, 0], [5, 6], [1, 2]]
    table, rows = shared(numpy.zeros((3, 2))), T.lvector("rows")
    function([rows], updates=[(table, T.inc_subtensor(table[rows], 1))])([0, 2, 2])
    assert table.get_value().tolist() == [[1, 1], [0, 0], [2, 2]]
    assert value(T.inc_subtensor(m[i, 1:3], v[:2], set_instead_of_inc=True), 0, A[0], numpy.full(3, 9.0))[0].tolist() == [0, 9, 9, 3, 4]
    with pytest.raises(TypeError):
        T.set_subtensor(m, v)
    with pytest.raises(TypeError):
        T.set_subtensor(T.ivector()[0], 0.5)
    with pytest.raises(ValueError):
        value(T.set_subtensor(m[0], v), A[0], numpy.ones(3))


def test_iterating_over_known_lengths():
    vector = T.stack([x[0, 0, 0], x[1, 0, 0]])
    first, second = vector
    assert value(second, A) == A[1, 0, 0] and [v.ndim for v in vector] == [0, 0]
    assert [v.ndim for v in T.constant([1, 2, 3])] == [0, 0, 0]
    for unknown in (T.dvector(), T.dmatrix()):
        with pytest.raises((TypeError, ValueError)):
            iter(unknown)


def test_choose_by_place():
    places = T.lvector("places")
    rows = T.fmatrix("rows")
    table = numpy.arange(12, dtype="float32").reshape(3, 4)
    picked = numpy.array([2, 0, 1, 2])
    numpy.testing.assert_array_equal(function([places, rows], T.choose(places, rows))(picked, table), numpy.choose(picked, table))
    far = numpy.array([7, -1, 3, -4])
    for mode in ("wrap", "clip"):
        numpy.testing.assert_array_equal(function([places, rows], T.choose(places, rows, mode=mode))(far, table), numpy.choose(far, table, mode=mode))


def test_choose_refuses_places_that_are_not_there():
    places = T.lvector("places")
    chosen = function([places], T.choose(places, [T.zeros((2,)), T.ones((2,))]))
    for wrong in ([0, 2], [-1, 0]):
        with pytest.raises((AssertionError, IndexError)):
            chosen(wrong)
    with pytest.raises(ValueError, match="mode"):
        T.choose(places, [T.zeros((2,))], mode="nearest")


def test_written_values_take_the_dtype_of_the_array():
    single, double, whole, at = T.fmatrix(), T.dmatrix(), T.ivector(), T.lvector()
    vector, real, many = T.dvector(), T.fvector(), T.zvector()
    assert T.set_subtensor(single[:2], double).dtype == "float32"
    f = theano.function([single, double], [T.set_subtensor(single[:2], double), T.inc_subtensor(single[:2], double),
                                           T.set_subtensor(single.T[:2], double), T.set_subtensor(single[[0, 1]], double)])
    for value in f(numpy.zeros((2, 2), "float32"), numpy.full((2, 2), 0.1)):
        assert value.dtype == "float32" and (value == numpy.float32(0.1)).all()
    g = theano.function([real, vector], [T.set_subtensor(real[real > 0], vector), T.set_subtensor(real[0], vector[1])])
    assert [value.tolist() for value in g(numpy.ones(2, "float32"), [2, 3])] == [[2, 3], [3, 1]]
    h = theano.function([whole, vector, at], [T.set_subtensor(whole[:2], vector), T.set_subtensor(whole[at], vector)])
    assert [value.tolist() for value in h([0, 0, 0], [1.7, -2.7], [0, 1])] == [[1, -2, 0], [1, -2, 0]]
    for refused in (lambda: T.inc_subtensor(whole[:2], vector), lambda: T.set_subtensor(vector[:2], many)):
        with pytest.raises(TypeError):
            refused()


def test_a_part_is_written_through_views_on_it():
    m, v = T.dmatrix("m"), T.dvector("v")
    a = numpy.arange(12.0).reshape(3, 4)
    for part, given, wanted in [(m[:2].T, numpy.arange(8.0).reshape(4, 2), [[0, 2, 4, 6], [1, 3, 5, 7], [8, 9, 10, 11]]),
                                (m[0].reshape((2, 2)), [[1, 2], [3, 4]], [[1, 2, 3, 4], [4, 5, 6, 7], [8, 9, 10, 11]]),
                                (m[0].dimshuffle("x", 0), [[7, 7, 7, 7]], [[7, 7, 7, 7], [4, 5, 6, 7], [8, 9, 10, 11]]),
                                (m[1].flatten(), 3.0, [[0, 1, 2, 3], [3, 3, 3, 3], [8, 9, 10, 11]]),
                                (T.addbroadcast(m[2:], 0), [[1, 1, 1, 1]], [[0, 1, 2, 3], [4, 5, 6, 7], [1, 1, 1, 1]]),
                                (T.addbroadcast(m[:1], 0).dimshuffle(1), [5, 5, 5, 5], [[5, 5, 5, 5], [4, 5, 6, 7], [8, 9, 10, 11]])]:
        given = numpy.asarray(given, "float64")
        numpy.testing.assert_array_equal(T.set_subtensor(part, given).eval({m: a}), wanted)
        added, written = (write(part, given).eval({m: 0 * a}) for write in (T.inc_subtensor, T.set_subtensor))
        numpy.testing.assert_array_equal(added, written)
    with pytest.raises(TypeError, match="2-dimensional"):
        T.set_subtensor(m[0].reshape((4,)), m)
    with pytest.raises(TypeError, match="indexed"):
        T.set_subtensor(m + 1, v)


def test_lengths_that_shapes_tell():
    m, v, n = T.dmatrix(), T.dvector(), T.lscalar()
    length = T.get_vector_length
    for vector, wanted in [(T.as_tensor_variable([n, n]), 2), (m.shape, 2), (T.alloc(1.0, 7), 7), (T.arange(2, 9, 3), 3), (m.shape[:-1], 1),
                           (T.concatenate([m.shape, [n], T.zeros((3,))]), 6), (m.shape * 2 + 1, 2),
                           (T.as_tensor_variable([1, 2, 3])[:-1], 2), (T.repeat(m.shape, 3), 6), (numpy.arange(4), 4), (T.addbroadcast(v, 0), 1)]:
        assert length(vector) == wanted, vector
    for unknown in (v, T.arange(n), T.alloc(1.0, n), T.concatenate([v, m.shape]), m.shape[n:]):
        with pytest.raises(ValueError, match="length not known"):
            length(unknown)
    deep = v
    for _ in range(3000):
        deep = deep + deep
    with pytest.raises(ValueError):
        length(deep)


def test_ops_of_elemwise_add_axes_on_the_left():
    m, v = T.dmatrix("m"), T.dvector("v")
    node = T.add.make_node(v, m)
    assert [one.ndim for one in node.inputs] == [2, 2]
    numpy.testing.assert_array_equal(node.outputs[0].eval({m: numpy.ones((2, 3)), v: numpy.arange(3.0)}), [[1, 2, 3]] * 2)
    w = T.dvector("w")
    copied = theano.clone(T.exp(v) * w, replace={v: m}, strict=False)
    assert copied.ndim == 2 and (copied.eval({m: numpy.zeros((2, 3)), w: numpy.arange(3.0)}) == [[0, 1, 2]] * 2).all()


def test_a_list_of_slices_is_a_tuple():
    x, i = T.dtensor3("x"), T.lscalar("i")
    a = numpy.arange(60.0).reshape(3, 4, 5)
    numpy.testing.assert_array_equal(x[[slice(1, -1)] * 3].eval({x: a}), a[1:-1, 1:-1, 1:-1])
    numpy.testing.assert_array_equal(function([x, i], x[[i, slice(None), 2]])(a, 1), a[1, :, 2])
    assert x[:, ()].eval({x: a}).shape == (3, 0, 5) == x[:, []].eval({x: a}).shape and (x[:, (2, 0)].eval({x: a}) == a[:, (2, 0)]).all()
    for wrong in ([None, 0], [Ellipsis, 0], [[1, 2], [3]]):
        with pytest.raises(T.AsTensorError):
            x[wrong]


def test_choose_by_truth_and_what_it_refuses():
    places = T.vector("places", dtype="bool")
    a, b = T.dvectors("a", "b")
    chosen = T.choose(places, (a, b))
    assert function([places, a, b], chosen)(numpy.array([True, False]), [1, 2], [3, 4]).tolist() == [3, 2]
    assert T.choose(T.lrow(), [T.drow(), T.drow()]).broadcastable == (True, False)
    assert T.choose(T.lmatrix(), [T.drow(), T.drow()]).broadcastable == (False, False)
    with pytest.raises(TypeError, match="integers"):
        T.choose(T.dvector(), (a, b))


def test_permutations_of_rows():
    x, p = T.dmatrix("x"), T.lvector("p")
    rows = T.lmatrix("rows")
    a, order = numpy.arange(6.0).reshape(2, 3), numpy.array([2, 0, 1])
    numpy.testing.assert_array_equal(function([x, p], T.permute_row_elements(x, p))(a, order), a[:, order])
    numpy.testing.assert_array_equal(function([p], T.inverse_permutation(p))(order), numpy.argsort(order))
    assert T.inverse_permutation(T.ivector()).dtype == "int32"
    both = numpy.array([[2, 0, 1], [1, 0, 2]])
    shuffled = T.permute_row_elements(x, rows)
    numpy.testing.assert_array_equal(function([x, rows], T.permute_row_elements(shuffled, rows, inverse=True))(a, both), a)
    numpy.testing.assert_array_equal(function([x, rows], T.permute_row_elements(x[0], rows))(a, both), a[0][both])
    for wrong in (lambda: T.inverse_permutation(T.dvector()), lambda: T.permute_row_elements(x, T.dvector())):
        with pytest.raises(TypeError, match="integers"):
            wrong()


def test_places_in_flat_arrays_are_checked():
    i, j = T.lvectors("i", "j")
    for order in ("C", "F"):
        flat = function([i, j], T.ravel_multi_index((i, j), (3, 4), order=order))
        assert flat([1, 2], [3, 0]).tolist() == numpy.ravel_multi_index(([1, 2], [3, 0]), (3, 4), order=order).tolist()
        back = function([i], list(T.unravel_index(i, (3, 4), order=order)))
        numpy.testing.assert_array_equal(back([5, 11]), numpy.unravel_index([5, 11], (3, 4), order=order))
        for wrong in (lambda: flat([0], [4]), lambda: back([12])):
            with pytest.raises(ValueError):
                wrong()
    assert function([i, j], T.ravel_multi_index((i, j), (3, 4), mode="wrap"))([4], [5]).tolist() == [5]
    sizes = function([i, j], T.ravel_multi_index((i, j), (3, 4)).shape)
    assert sizes([9], [9]).tolist() == [1]  # known without the op, which would refuse these
    assert [v.dtype for v in T.unravel_index(5, (3, 4))] == ["int64", "int64"]
    with pytest.raises(TypeError):
        T.unravel_index(T.dvector(), (3, 4))


def test_a_diagonal_takes_what_fits():
    with pytest.raises(TypeError, match="cast it first"):
        T.fill_diagonal(T.bmatrix(), 5.5)
    with pytest.raises(TypeError, match="two dimensions"):
        T.fill_diagonal(T.dvector(), 5)
    assert T.fill_diagonal(T.fmatrix(), 0.1).dtype == "float32"


def test_all_of_an_array_can_be_written():
    x, y = T.dmatrix("x"), T.dvector("y")
    a = numpy.arange(6.0).reshape(2, 3)
    for part in (x[:], x[:, :], x[...]):
        numpy.testing.assert_array_equal(function([x, y], T.set_subtensor(part, y))(a, [7, 8, 9]), [[7, 8, 9]] * 2)
        numpy.testing.assert_array_equal(function([x], T.inc_subtensor(part, 1))(a), a + 1)
        assert [type(n.op).__name__ for n in function([x], part).maker.fgraph.toposort()] == ["DeepCopyOp"]
    assert T.dscalar()[...].ndim == 0


@pytest.mark.parametrize("mode", [None, "FAST_COMPILE", "DebugMode"])
def test_slices_that_are_variables(mode):
    from theano.tensor.type_other import NoneConst, make_slice, slicetype
    v, m, i, s = T.dvector("v"), T.dmatrix("m"), T.iscalar("i"), slicetype()
    a, b = numpy.arange(5.0), numpy.arange(20.0).reshape(4, 5)
    one = function([v, s], [v[s], T.grad((v[s] ** 2).sum(), v), T.set_subtensor(v[s], -1)], mode=mode)
    several = function([m, s, i], [m[s, i], m[i, s], m[..., s], m[s, s], m[s, NoneConst]], mode=mode)
    for part in (slice(1, 3), slice(None, None, -1), slice(-2, None), slice(4, 0, -2), slice(9, 20), slice(2, 1), slice(-9, 9, 3)):
        got, slope, written = one(a, part)
        wanted_slope, wanted = numpy.zeros(5), a.copy()
        wanted_slope[part], wanted[part] = 2 * a[part], -1
        for ours, theirs in zip((got, slope, written), (a[part], wanted_slope, wanted)):
            numpy.testing.assert_array_equal(ours, theirs)
        for ours, theirs in zip(several(b, part, 1), (b[part, 1], b[1, part], b[..., part], b[part, part], b[part, None])):
            numpy.testing.assert_array_equal(ours, theirs)
    assert function([i], make_slice(i, None, None), mode=mode)(2) == slice(2, None, None)
    numpy.testing.assert_array_equal(function([v, i], v[make_slice(slice(i, None))], mode=mode)(a, 2), a[2:])
    numpy.testing.assert_array_equal(function([v], v[theano.Constant(slicetype, slice(1, 4))], mode=mode)(a), a[1:4])


def test_a_slice_that_is_none():
    from theano.tensor.type_other import make_slice, slicetype
    v, s = T.dvector(), slicetype()
    with pytest.raises(TypeError, match="index must be integers"):
        make_slice(T.dscalar(), None)
    with pytest.raises(IndexError, match="too many indices"):
        v[s, s]
    with pytest.raises(TypeError, match="Expected a slice"):
        function([v, s], v[s])([1.0], 0)
