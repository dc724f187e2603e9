"""Functions element by element, and over axes."""
import numpy
import pytest
import theano
import theano.tensor as T
from items import item, run, same

A = numpy.array([[0.25, 1.5, 2.0], [3.5, 0.5, 1e-3]])
S = numpy.array([[-2.5, -0.5, 0.0], [0.5, 1.5, 7.9]])
x, t = T.dmatrix("x"), T.dtensor3("t")
C = numpy.random.RandomState(5).uniform(-1, 1, (2, 3, 4))


@item(20, "T.log")
def test_log():
    """Stays finite where it is taken of a softmax or of one minus a sigmoid."""
    same(run([x], T.log(x), A), numpy.log(A))
    far = numpy.array([[1000.0, 0.0]])
    same(run([x], T.log(T.nnet.softmax(x)), far), [[0, -1000]])
    same(run([x], T.log(1 - T.nnet.sigmoid(x)), far), [[-1000, -numpy.log(2)]])


@item(30, "T.tanh")
def test_tanh():
    """Element by element."""
    same(run([x], T.tanh(x), S), numpy.tanh(S))


@item(44, "T.exp")
def test_exp():
    """Element by element."""
    same(run([x], T.exp(x), S), numpy.exp(S))


@item(52, "T.sqrt")
def test_sqrt():
    """Of negative numbers nan, as NumPy."""
    with numpy.errstate(invalid="ignore"):
        same(run([x], T.sqrt(x), S), numpy.sqrt(S))


@item(110, "T.sqr")
def test_sqr():
    """The square."""
    same(run([x], T.sqr(x), S), S ** 2)


@item(315, "T.square")
def test_square():
    """T.sqr under another name."""
    same(run([x], T.square(x), S), S ** 2)


@item(154, "T.round")
def test_round():
    """Halves away from zero, or to even where mode says so."""
    same(run([x], T.round(x, mode="half_away_from_zero"), S), [[-3, -1, 0], [1, 2, 8]])
    same(run([x], T.round(x, mode="half_to_even"), S), numpy.round(S))


@item(191, "T.abs_")
def test_abs():
    """abs() as a function."""
    same(run([x], T.abs_(x), S), abs(S))


@item(216, "T.floor")
def test_floor():
    """Rounds down."""
    same(run([x], T.floor(x), S), numpy.floor(S))


@item(251, "T.ceil")
def test_ceil():
    """Rounds up."""
    same(run([x], T.ceil(x), S), numpy.ceil(S))


@item(253, "T.cos")
def test_cos():
    """Element by element."""
    same(run([x], T.cos(x), S), numpy.cos(S))


@item(255, "T.expm1")
def test_expm1():
    """exp(x) - 1 with all digits for a tiny x."""
    same(run([x], T.expm1(x) / x, numpy.array([[1e-12]])), [[1.0000000000005]])


@item(261, "T.inv")
def test_inv():
    """One divided by each element."""
    same(run([x], T.inv(x), A), 1 / A)


@item(262, "T.isnan")
def test_isnan():
    """bools."""
    same(run([x], T.isnan(x), [[numpy.nan, 1], [numpy.inf, 0]]), [[True, False], [False, False]], "bool")


@item(312, "T.sgn")
def test_sgn():
    """-1, 0 or 1."""
    same(run([x], T.sgn(x), S), numpy.sign(S))


@item(47, "T.cast")
def test_cast():
    """To a dtype by name, 'floatX' among them."""
    same(run([x], T.cast(x, "int32"), S), S.astype("int32"), "int32")
    assert T.cast(T.ivector(), "floatX").dtype == "float64" and T.cast(x, "float64") is x


@item(101, "Var.astype()")
def test_astype():
    """T.cast as a method."""
    same(run([x], x.astype("float32"), S), S, "float32")


@item(63, "T.switch")
def test_switch():
    """Picks element by element; both sides are computed and broadcast."""
    same(run([x], T.switch(x > 0, x, -2 * x), S), numpy.where(S > 0, S, -2 * S))
    same(run([x], T.switch(x > 0, numpy.arange(3.0), 7), S), numpy.where(S > 0, numpy.arange(3.0), 7))


@item(104, "T.clip")
def test_clip():
    """Between two bounds; the gradient outside is zero."""
    same(run([x], T.clip(x, -1, 1), S), S.clip(-1, 1))
    same(run([x], T.grad(T.clip(x, -1, 1).sum(), x), S), (abs(S) <= 1) * 1.0)


@item(152, "T.maximum")
def test_maximum():
    """Element by element: T.maximum(0, x) is a rectifier."""
    same(run([x], T.maximum(0, x), S), numpy.maximum(0, S))
    same(run([x], T.grad(T.maximum(0, x).sum(), x), [[-1.0, 2.0]]), [[0, 1]])


@item(174, "T.minimum")
def test_minimum():
    """Element by element."""
    same(run([x], T.minimum(x, 1), S), numpy.minimum(S, 1))


@item(7, "T.dot")
def test_dot():
    """Of vectors, matrices and more, as numpy.dot; with a gradient for all."""
    for a, b in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((2, 2, 3), (3, 4)), ((2, 2, 3), (2, 3, 4)), ((), (2, 3))):
        one, two = (T.TensorType("float64", (False,) * len(shape))() for shape in (a, b))
        left, right = numpy.random.RandomState(1).uniform(-1, 1, a), numpy.random.RandomState(2).uniform(-1, 1, b)
        same(run([one, two], T.dot(one, two), left, right), numpy.dot(left, right))
        T.verify_grad(T.dot, [left, right], rng=numpy.random)


@item(359, "theano.dot")
def test_theano_dot():
    """T.dot."""
    same(run([x], theano.dot(x, x.T), A), A.dot(A.T))


@item(188, "T.tensordot")
def test_tensordot():
    """Sums over the last axes of one and the first of the other."""
    same(run([t], T.tensordot(t, t.dimshuffle(1, 2, 0), 2), C), numpy.tensordot(C, C.transpose(1, 2, 0), 2))


@item(222, "T.tensordot(axes=)")
def test_tensordot_axes():
    """Over pairs of axes."""
    same(run([t], T.tensordot(t, t, axes=[[0, 2], [0, 2]]), C), numpy.tensordot(C, C, [[0, 2], [0, 2]]))


@item(196, "T.batched_dot")
def test_batched_dot():
    """A product for each of the first axis."""
    same(run([t], T.batched_dot(t, t.dimshuffle(0, 2, 1)), C), numpy.einsum("bij,bkj->bik", C, C))


@item(16, "Var.sum()")
def test_sum_method():
    """Over all, an axis, a negative one, or several; ints give int64."""
    for axis in (None, 0, -1, (0, 2)):
        same(run([t], t.sum(axis), C), C.sum(axis))
    assert T.ivector().sum().dtype == "int64"


@item(125, "Var.sum(axis=)")
def test_sum_method_axis():
    """By keyword, with keepdims."""
    same(run([t], t.sum(axis=1, keepdims=True), C), C.sum(1, keepdims=True))
    with pytest.raises(ValueError):
        t.sum(axis=3)


@item(46, "T.sum")
def test_sum():
    """As the method; of a comparison it counts."""
    same(run([x], T.sum(x), A), A.sum())
    same(run([x], T.sum(x > 1), A), (A > 1).sum(), "int64")


@item(81, "T.sum(axis=)")
def test_sum_axis():
    """Over some axes."""
    same(run([t], T.sum(t, axis=[1, 2]), C), C.sum((1, 2)))


@item(145, "T.sum(keepdims=)")
def test_sum_keepdims():
    """The axes stay, with size one, and broadcast."""
    same(run([x], x / T.sum(x, axis=1, keepdims=True), A), A / A.sum(1, keepdims=True))


@item(27, "T.mean")
def test_mean():
    """Of a comparison it is a rate, in floating point."""
    same(run([x], T.mean(x), A), A.mean())
    same(run([x], T.mean(T.neq(x, 0.5)), A), 5 / 6, "float64")


@item(198, "T.mean(dtype=)")
def test_mean_dtype():
    """The dtype of the result."""
    f = T.fmatrix()
    same(run([f], T.mean(f, dtype="float32"), A.astype("float32")), A.mean(), "float32")
    assert T.mean(T.imatrix(), dtype="float64").dtype == "float64"


@item(219, "T.mean(axis=)")
def test_mean_axis():
    """Over some axes."""
    same(run([t], T.mean(t, axis=(0, 2)), C), C.mean((0, 2)))


@item(49, "Var.mean()")
def test_mean_method():
    """T.mean as a method; ints give floats."""
    i = T.lvector()
    same(run([i], i.mean(), [1, 2, 4]), 7 / 3, "float64")


@item(325, "Var.mean(keepdims=)")
def test_mean_method_keepdims():
    """The axes stay, and broadcast."""
    same(run([x], x - x.mean(axis=1, keepdims=True), A), A - A.mean(1, keepdims=True))


@item(328, "Var.var()")
def test_var_method():
    """The variance, over all or an axis."""
    same(run([x], x.var(), A), A.var())
    same(run([x], x.var(axis=0, ddof=1), A), A.var(0, ddof=1))


@item(329, "Var.var(keepdims=)")
def test_var_method_keepdims():
    """The axes stay, and broadcast."""
    same(run([x], x.var(axis=1, keepdims=True), A), A.var(1, keepdims=True))


@item(42, "T.argmax")
def test_argmax():
    """Where the largest is: int64, the first of equals."""
    same(run([x], T.argmax(x), [[1.0, 5, 5], [0, 5, 2]]), 1, "int64")


@item(43, "T.argmax(axis=)")
def test_argmax_axis():
    """Along an axis: the class of each row."""
    same(run([t], T.argmax(t, axis=-1), C), C.argmax(-1), "int64")


@item(250, "T.argmax(keepdims=)")
def test_argmax_keepdims():
    """The axis stays, with size one."""
    found = T.argmax(t, axis=1, keepdims=True)
    assert found.broadcastable == (False, True, False)
    same(run([t], found, C), C.argmax(1)[:, None])


@item(134, "Var.argmax()")
def test_argmax_method():
    """T.argmax as a method."""
    same(run([x], x.argmax(axis=1), A), A.argmax(1), "int64")


@item(186, "T.max")
def test_max():
    """The largest; nan where there is one, as NumPy."""
    same(run([x], T.max(x), A), A.max())
    same(run([x], T.max(x), [[1.0, numpy.nan]]), numpy.nan)


@item(218, "T.max(axis=)")
def test_max_axis():
    """Along axes; the gradient goes to the largest."""
    same(run([t], T.max(t, axis=(0, 1)), C), C.max((0, 1)))
    same(run([x], T.grad(T.max(x, axis=1).sum(), x), A), A == A.max(1, keepdims=True))


@item(224, "Var.max()")
def test_max_method():
    """T.max as a method; of nothing it is an error."""
    same(run([x], x.max(), A), A.max())
    with pytest.raises(ValueError):
        run([x], x.max(), numpy.zeros((0, 2)))


@item(225, "Var.max(axis=)")
def test_max_method_axis():
    """Along an axis, with keepdims: the shift of a softmax."""
    same(run([x], T.exp(x - x.max(axis=1, keepdims=True)), A), numpy.exp(A - A.max(1, keepdims=True)))


@item(266, "T.min")
def test_min():
    """The smallest."""
    same(run([x], T.min(x), A), A.min())


@item(267, "T.min(axis=)")
def test_min_axis():
    """Along an axis."""
    same(run([t], T.min(t, axis=1), C), C.min(1))


@item(220, "T.prod")
def test_prod():
    """The product, with a gradient that is right where a factor is zero."""
    same(run([x], T.prod(x, axis=1), A), A.prod(1))
    v = T.dvector()
    same(run([v], T.grad(T.prod(v), v), [2.0, 0.0, 5.0]), [0, 10, 0])


@item(248, "T.any")
def test_any():
    """Whether any is true."""
    same(run([x], T.any(x > 3), A), True, "bool")


@item(249, "T.any(axis=)")
def test_any_axis():
    """Along an axis."""
    same(run([x], T.any(x > 3, axis=1), A), [False, True], "bool")


@item(194, "T.argsort")
def test_argsort():
    """The order of the last axis, as numpy.argsort."""
    same(run([x], T.argsort(x), A), A.argsort(), "int64")


@item(195, "T.argsort(axis=)")
def test_argsort_axis():
    """Along an axis; None is of all elements in a row."""
    same(run([x], T.argsort(x, axis=0), A), A.argsort(0))
    same(run([x], T.argsort(x, axis=None), A), A.argsort(None))
