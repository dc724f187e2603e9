"""Sorting, joining and splitting along an axis that only the call knows."""
import numpy
import pytest
import theano
import theano.tensor as T
from theano import function

A = numpy.random.RandomState(0).randn(3, 4)
B = numpy.random.RandomState(1).randn(3, 4)
x, y, axis = T.dmatrix("x"), T.dmatrix("y"), T.bscalar("axis")


@pytest.mark.parametrize("along", [0, 1, -1, -2])
def test_sort_and_argsort(along):
    run = function([x, axis], [T.sort(x, axis), T.argsort(x, axis), x.sort(axis), T.sort(x, axis).shape])
    ordered, order, again, shape = run(A, along)
    numpy.testing.assert_array_equal(ordered, numpy.sort(A, along))
    numpy.testing.assert_array_equal(order, numpy.argsort(A, along))
    numpy.testing.assert_array_equal(again, ordered)
    assert shape.tolist() == [3, 4] and order.dtype == "int64"


@pytest.mark.parametrize("along", [0, 1, -1, -2])
def test_join_and_split(along):
    joined = T.join(axis, x, y, x)
    run = function([x, y, axis], [joined, T.concatenate([x, y], axis=axis), joined.shape] + T.split(x, [1, x.shape[axis] - 1], 2, axis))
    whole, two, shape, first, rest = run(A, B, along)
    numpy.testing.assert_array_equal(whole, numpy.concatenate([A, B, A], along))
    numpy.testing.assert_array_equal(two, numpy.concatenate([A, B], along))
    assert tuple(shape) == whole.shape and joined.broadcastable == (False, False)
    for got, wanted in zip((first, rest), numpy.split(A, [1], along)):
        numpy.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("along", [0, 1])
def test_gradients(along):
    where = theano.shared(numpy.int64(along))
    rng = numpy.random.RandomState(3)
    theano.gradient.verify_grad(lambda a, b: T.sqr(T.join(where, a, b)), [A, B], rng=rng)
    theano.gradient.verify_grad(lambda a: T.sqr(T.sort(a, where)) * T.arange(4.0), [A], rng=rng)
    theano.gradient.verify_grad(lambda a: T.split(a, [1, a.shape[where] - 1], 2, where)[1] ** 2, [A], rng=rng)


def test_forward():
    where = theano.shared(numpy.int64(1))
    joined = T.join(where, x, x ** 2)
    forward = theano.Rop(joined, x, y)
    numpy.testing.assert_allclose(forward.eval({x: A, y: B}), numpy.hstack([B, 2 * A * B]))


def test_a_row_keeps_its_pattern_in_the_gradient():
    row = T.drow("row")
    g = T.grad(T.sqr(T.join(axis, row, x)).sum(), row)
    assert g.broadcastable == (True, False)
    numpy.testing.assert_allclose(function([row, x, axis], g)(A[:1], B, 0), 2 * A[:1])


def test_a_constant_axis_is_known_at_once():
    assert type(T.join(T.constant(1), x, y).owner.op) is T.Join
    assert T.sort(x, T.constant(0)).owner.op == T.sort(x, 0).owner.op
    assert T.join(T.constant(0) + 0, x, y).owner.op == T.join(0, x, y).owner.op


def test_scalars_without_a_dtype_are_axes_of_sort():
    where = T.scalar("where")
    numpy.testing.assert_array_equal(function([x, where], T.sort(x, where))(A, 0.0), numpy.sort(A, 0))
    with pytest.raises(ValueError, match="whole"):
        function([x, where], T.argsort(x, where))(A, 0.5)


def test_errors():
    with pytest.raises(ValueError, match="out of range"):
        function([x, axis], T.sort(x, axis))(A, 2)
    with pytest.raises(ValueError, match="add up"):
        function([x, axis], T.split(x, [1, 1], 2, axis))(A, 0)
    with pytest.raises(TypeError, match="integer scalar"):
        T.join(T.dscalar(), x, y)
    with pytest.raises(TypeError, match="number of dimensions"):
        T.join(axis, x, T.dvector())
    with pytest.raises(ValueError, match="empty list"):
        T.join(0)


def test_as_many_as_there_are():
    v, k = T.dvector("v"), T.iscalar("k")
    run = function([v, k], T.topk(v, k))
    for many in (3, -3):
        assert sorted(run([2.0, 3.0, 1.0], many)) == [1, 2, 3]


def test_as_many_as_the_call_says():
    k = T.iscalar("k")
    run = function([x, k], [T.topk(x, k), T.argtopk(x, k, axis=0)])
    for many in (1, 2, -1, -2):
        values, places = run(A, many)
        numpy.testing.assert_array_equal(values, numpy.sort(A, 1)[:, -many:] if many > 0 else numpy.sort(A, 1)[:, :-many])
        order = numpy.argsort(A, 0)
        numpy.testing.assert_array_equal(places, order[-many:] if many > 0 else order[:-many])
