"""Making arrays, and changing their shapes."""
import numpy
import pytest
import theano
import theano.tensor as T
from items import item, run, same

A = numpy.arange(6.0).reshape(2, 3)
C = numpy.arange(24.0).reshape(2, 3, 4)
x, t, v = T.dmatrix("x"), T.dtensor3("t"), T.dvector("v")


@item(18, "Var.shape")
def test_shape():
    """An int64 vector that is known as it runs."""
    same(run([t], t.shape, C), [2, 3, 4], "int64")


@item(32, "Var.shape[i]")
def test_one_size():
    """One of the sizes: for alloc, arange, reshape, and steps of scan."""
    same(run([x], T.arange(x.shape[1]) * x.shape[0], A), [0, 2, 4], "int64")


@item(34, "T.arange")
def test_arange():
    """As numpy.arange; its end may be known only as it runs."""
    n = T.iscalar()
    same(run([n], T.arange(n), 4), [0, 1, 2, 3], "int64")
    same(run([n], T.arange(1, n, 2), 8), [1, 3, 5, 7])


@item(193, "T.arange(dtype=)")
def test_arange_dtype():
    """Of the dtype asked for."""
    same(run([], T.arange(3, dtype="float32")), [0, 1, 2], "float32")


@item(48, "Var.dimshuffle()")
def test_dimshuffle():
    """Another order of axes, given one by one or as a list."""
    same(run([t], t.dimshuffle(2, 0, 1), C), C.transpose(2, 0, 1))
    same(run([t], t.dimshuffle([1, 0, 2]), C), C.transpose(1, 0, 2))
    with pytest.raises(ValueError):
        t.dimshuffle(0, 1)


@item(61, "Var.dimshuffle: 'x' axes")
def test_dimshuffle_new_axes():
    """New axes that broadcast."""
    column = v.dimshuffle(0, "x")
    assert column.broadcastable == (False, True)
    same(run([v, x], column * x, [1.0, 2.0], A), [[1.0], [2.0]] * A)


@item(62, "Var.flatten()")
def test_flatten_method():
    """All in a row; flatten(2) keeps the first axis."""
    same(run([t], t.flatten(), C), C.ravel())
    same(run([t], t.flatten(2), C), C.reshape(2, 12))
    same(run([t], t.flatten(ndim=2), C), C.reshape(2, 12))


@item(170, "T.flatten")
def test_flatten():
    """The method as a function."""
    same(run([t], T.flatten(t, 2), C), C.reshape(2, 12))


@item(246, "T.Flatten")
def test_flatten_class():
    """The class of old scripts: T.Flatten(2)(x)."""
    same(run([t], T.Flatten(2)(t), C), C.reshape(2, 12))


@item(69, "Var.T")
def test_transposed():
    """All axes backwards."""
    same(run([t], t.T, C), C.T)


@item(327, "Var.transpose()")
def test_transpose():
    """Backwards, or in the order given."""
    same(run([t], t.transpose(), C), C.T)
    same(run([t], t.transpose(0, 2, 1), C), C.transpose(0, 2, 1))


@item(70, "Var.reshape()")
def test_reshape_method():
    """Sizes from the graph, and one -1."""
    same(run([t], t.reshape((t.shape[0], -1)), C), C.reshape(2, -1))
    same(run([t], t.reshape(t.shape[1:], ndim=2), C[:1]), C[0])
    with pytest.raises(ValueError):
        run([t], t.reshape((5, 5)), C)


@item(120, "T.reshape")
def test_reshape():
    """The method as a function."""
    same(run([t], T.reshape(t, (4, 6)), C), C.reshape(4, 6))


@item(68, "T.zeros")
def test_zeros():
    """Sizes may come from the graph."""
    same(run([x], T.zeros((x.shape[0], 2)), A), numpy.zeros((2, 2)), "float64")


@item(321, "T.zeros(dtype=)")
def test_zeros_dtype():
    """Of the dtype asked for."""
    same(run([], T.zeros((2,), dtype="int32")), [0, 0], "int32")


@item(322, "T.zeros(shape=)")
def test_zeros_shape():
    """The shape by keyword."""
    same(run([], T.zeros(shape=(2, 1))), numpy.zeros((2, 1)))


@item(127, "T.zeros_like")
def test_zeros_like():
    """Zeros of another's shape and dtype."""
    same(run([x], T.zeros_like(x), A), numpy.zeros((2, 3)), "float64")


@item(144, "T.ones")
def test_ones():
    """As zeros."""
    same(run([x], T.ones((x.shape[1],)), A), numpy.ones(3))


@item(310, "T.ones(dtype=)")
def test_ones_dtype():
    """Of the dtype asked for."""
    same(run([], T.ones((2, 2), dtype="int8")), numpy.ones((2, 2)), "int8")


@item(100, "T.ones_like")
def test_ones_like():
    """Ones of another's shape and dtype."""
    same(run([x], T.ones_like(x), A), numpy.ones((2, 3)), "float64")


@item(187, "T.ones_like(dtype=)")
def test_ones_like_dtype():
    """Of another dtype."""
    same(run([x], T.ones_like(x, dtype="int32"), A), numpy.ones((2, 3)), "int32")


@item(90, "T.alloc")
def test_alloc():
    """A value stretched to sizes: the first states of a scan."""
    same(run([v, x], T.alloc(v, x.shape[0], 3), [1.0, 2, 3], A), [[1, 2, 3]] * 2)
    assert T.alloc(0.0, 1, 5).broadcastable == (True, False)


@item(256, "T.eye")
def test_eye():
    """Ones on a diagonal."""
    n = T.iscalar()
    same(run([n], T.eye(n), 3), numpy.eye(3))
    same(run([], T.eye(2, 4, 1, dtype="int32")), numpy.eye(2, 4, 1), "int32")


@item(96, "T.stack")
def test_stack():
    """Of a list, or of variables one by one."""
    a, b = T.dscalars("ab")
    same(run([a, b], T.stack([a, b]), 1, 2), [1, 2])
    same(run([a, b], T.stack(a, b, a), 1, 2), [1, 2, 1])


@item(162, "T.stack(axis=)")
def test_stack_axis():
    """Along a new axis."""
    same(run([x], T.stack([x, 2 * x], axis=-1), A), numpy.stack([A, 2 * A], -1))


@item(123, "T.concatenate")
def test_concatenate():
    """One below the other."""
    same(run([x], T.concatenate([x, x + 1]), A), numpy.concatenate([A, A + 1]))


@item(124, "T.concatenate(axis=)")
def test_concatenate_axis():
    """Along an axis; sizes that do not fit are an error as it runs."""
    same(run([x], T.concatenate([x, x[:, :1]], axis=1), A), numpy.concatenate([A, A[:, :1]], 1))
    with pytest.raises(ValueError):
        run([x], T.concatenate([x, x[:, :1]], axis=0), A)


@item(264, "T.join")
def test_join():
    """concatenate with the axis first."""
    same(run([x], T.join(1, x, x), A), numpy.concatenate([A, A], 1))


@item(171, "T.shape_padright")
def test_shape_padright():
    """New axes at the end."""
    same(run([v], T.shape_padright(v, 2), [1.0, 2]), [[[1]], [[2]]])


@item(204, "T.shape_padleft")
def test_shape_padleft():
    """New axes at the front."""
    same(run([v], T.shape_padleft(v), [1.0, 2]), [[1, 2]])


@item(202, "T.shape_padaxis")
def test_shape_padaxis():
    """A new axis anywhere."""
    same(run([x], T.shape_padaxis(x, 1), A), A[:, None])


@item(203, "T.shape_padaxis(axis=)")
def test_shape_padaxis_axis():
    """By keyword, counted from the end, too."""
    assert T.shape_padaxis(x, axis=-1).broadcastable == (False, False, True)
    same(run([x], T.shape_padaxis(x, axis=-1), A), A[:, :, None])


@item(221, "T.repeat")
def test_repeat():
    """Each element so often, along an axis."""
    same(run([x], T.repeat(x, 2, axis=0), A), A.repeat(2, 0))
    same(run([v], T.repeat(v, numpy.array([1, 0, 2])), [5.0, 6, 7]), [5, 7, 7])


@item(316, "T.tile")
def test_tile():
    """The whole so often."""
    same(run([x], T.tile(x, (2, 1)), A), numpy.tile(A, (2, 1)))


@item(317, "T.to_one_hot")
def test_to_one_hot():
    """A row with a one at each label."""
    y = T.ivector()
    same(run([y], T.to_one_hot(y, 3), [2, 0]), [[0, 0, 1], [1, 0, 0]])


@item(189, "Var.diagonal()")
def test_diagonal():
    """The diagonal of a matrix."""
    same(run([x], x.diagonal(), A), A.diagonal())


@item(324, "Var.copy()")
def test_copy():
    """The same values in memory of their own."""
    same(run([x], x.copy(), A), A)
    assert x.copy(name="c").name == "c"
