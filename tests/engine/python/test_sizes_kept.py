"""Rewrites keep what shapes promise: operands that results no longer need still have to fit; what is empty or short stays so."""
import numpy
import pytest
import theano
import theano.tensor as T
from theano import function

MODES = ["FAST_RUN", "FAST_COMPILE"]
m, n = T.dmatrices("m", "n")
x, y = T.dvectors("x", "y")
s = T.dscalar("s")
one = numpy.ones

# (expression, inputs, arguments that fit, arguments that do not)
FITTING = [
    (T.dot(T.zeros_like(m), n), [m, n], [one((2, 3)), one((3, 4))], [one((2, 3)), one((2, 4))]),
    (T.dot(m * 0, x), [m, x], [one((2, 3)), one(3)], [one((2, 3)), one(2)]),
    (T.dot(x, 0 * y), [x, y], [one(3), one(3)], [one(3), one(2)]),
    (x * y * 0, [x, y], [one(3), one(3)], [one(3), one(4)]),
    (0 / (x + y), [x, y], [one(3), one(3)], [one(3), one(4)]),
    ((x + y) - x, [x, y], [one(3), one(3)], [one(3), one(4)]),
    ((x * y) / x, [x, y], [one(3), one(3)], [one(1), one(4)]),
    ((x - y) - (x - y), [x, y], [one(3), one(3)], [one(3), one(4)]),
    ((x + y) ** 0, [x, y], [one(3), one(3)], [one(3), one(4)]),
    (T.switch(x > 0, y, y), [x, y], [one(3), one(3)], [one(3), one(4)]),
    (T.fill(x, y) * 2, [x, y], [one(3), one(3)], [one(3), one(4)]),
    (T.zeros_like(x + y), [x, y], [one(3), one(3)], [one(3), one(4)]),
    ((x + y).shape[0] * 1, [x, y], [one(3), one(3)], [one(3), one(4)]),
    (T.concatenate([m, n]).shape[0] * 1, [m, n], [one((2, 3)), one((1, 3))], [one((2, 3)), one((1, 4))]),
    (T.concatenate([m, n])[:m.shape[0]], [m, n], [one((2, 3)), one((1, 3))], [one((2, 3)), one((1, 4))]),
    (T.join(0, x, y)[0:0], [x, y], [one(3), one(3)], None),
    (x.reshape((2, 3)).reshape((3, 2)), [x], [one(6)], [one(5)]),
    (T.specify_shape(x, [3]).shape[0] * 1, [x], [one(3)], [one(4)]),
    (T.set_subtensor(x[0:x.shape[0]], y), [x, y], [one(3), one(3)], [one(3), one(2)]),
    (T.inc_subtensor(m[1], 0.), [m], [one((2, 3))], [one((1, 3))]),
    (T.zeros_like(x[2]) + s, [x, s], [one(3), 1.], [one(2), 1.]),
    (m.max(axis=1).shape[0] * 1, [m], [one((2, 3))], [one((2, 0))]),
    (T.batched_dot(T.zeros((2, 3, 4)), T.shape_padleft(m, 1) * T.zeros((2, 1, 1))).shape[0], [m], [one((4, 3))], [one((5, 3))]),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("expression, inputs, fit, misfit", FITTING, ids=[str(i) for i in range(len(FITTING))])
def test_what_does_not_fit_is_an_error(expression, inputs, fit, misfit, mode):
    f = function(inputs, expression, mode=mode)
    plain = function(inputs, expression, mode=theano.compile.mode.Mode(linker="py", optimizer=None))
    assert numpy.array_equal(f(*fit), plain(*fit))
    if misfit is None:
        return
    for _ in range(2):
        for g in (plain, f):
            with pytest.raises((ValueError, IndexError, AssertionError)):
                g(*misfit)
    assert numpy.array_equal(f(*fit), plain(*fit))


def test_a_branch_that_is_never_taken_need_not_fit():
    zero, yes = T.constant(0), T.constant(numpy.ones(1, "int8"))
    run = lambda expression, *values: function([x, y], expression)(*values).tolist()
    for mode in MODES:
        assert function([x, y], T.switch(1, x, y), mode=mode)(one(3), one(4)).tolist() == [1, 1, 1]
    assert run(T.switch(zero, x[10], y), one(3), one(2)) == [1, 1]
    assert run(T.switch(zero, x[:10] + y[:10], y[:10]) * 2 + 1, one(3), one(2)) == [3, 3]
    assert run(T.switch(yes, y, (x + y) * 0), one(3), one(2)) == [1, 1]
    assert run(T.switch(T.eq(zero, 0), y, T.exp(x + y)), one(3), one(2)) == [1, 1]
    assert run(T.switch(zero, T.switch(1, x + y, y), y), one(3), one(2)) == [1, 1]
    both = T.zeros_like(x + y)
    for expression in (T.switch(zero, both, y) + both, T.switch(zero, x[10], both), T.switch(T.switch(both > 0, 1, 1), y, y)):
        assert run(expression, one(3), one(3)) in ([1, 1, 1], [0, 0, 0])
        with pytest.raises(ValueError):
            run(expression, one(3), one(2))


class Told(theano.Op):
    """Notes that it ran; fails where it is asked to."""
    def __init__(self, error=None, knows_shape=True):
        self.ran, self.error = [], error
        if knows_shape:
            self.infer_shape = lambda node, shapes: shapes

    def make_node(self, a):
        return theano.Apply(self, [a], [a.type()])

    def perform(self, node, inputs, outputs):
        self.ran.append(len(inputs[0]))
        if self.error:
            raise self.error
        outputs[0][0] = inputs[0].copy()


@pytest.mark.parametrize("knows_shape", [True, False])
@pytest.mark.parametrize("error", [None, KeyError("mine"), ValueError("mine")], ids=str)
def test_no_op_of_the_user_runs_in_a_call_that_is_refused(error, knows_shape):
    alone, nested = Told(error, knows_shape), Told(error, knows_shape)
    for op, result in ((alone, alone(x)), (nested, theano.OpFromGraph([x], [nested(x)])(x))):
        f = function([x, y], [result, x * y * 0])
        with pytest.raises(ValueError, match="mis-match"):
            f(one(3), one(4))
        assert op.ran == []


@pytest.mark.parametrize("mode", MODES + ["DebugMode"])
def test_no_rows_keep_their_columns(mode):
    """NumPy cannot tell what -1 is beside a 0; sizes that stay leave the others."""
    t = T.dtensor3("t")
    forms = [t.reshape((t.shape[0], -1)), t.reshape((-1, t.shape[2])), t.reshape([t.shape[0], -1, t.shape[2]]), t.dimshuffle(1, 0, 2).reshape((t.shape[1], -1)),
             t.flatten(2), t.reshape((t.shape[0], -1)).T, T.exp(t.reshape((t.shape[0], -1)))]
    f = function([t], forms, mode=mode)
    for a, b, c in [(0, 3, 4), (2, 0, 4), (2, 3, 0), (2, 3, 4)]:
        sizes = [(a, b * c), (a * b, c), (a, b, c), (b, a * c), (a, b * c), (b * c, a), (a, b * c)]
        assert [result.shape for result in f(one((a, b, c)))] == sizes


def test_the_error_names_the_line_and_the_sizes():
    f = function([m, n], T.dot(m * 0, n))
    with pytest.raises(ValueError, match=r"input\[0\]\.shape\[1\] = 3, input\[1\]\.shape\[0\] = 2") as caught:
        f(one((2, 3)), one((2, 4)))
    assert "dot" in str(caught.value)


def test_sizes_that_are_values():
    k = T.lscalar("k")
    f = function([x, k], x * T.ones(k) * 0)
    assert f(one(3), 3).tolist() == [0, 0, 0]
    with pytest.raises(ValueError):
        f(one(3), 4)
    assert f(one(3), 3).tolist() == [0, 0, 0]


def test_functions_of_several_stages():
    f = function([x, y], [x[(x > 0).nonzero()] * 2, x * y * 0])
    assert f(one(3), one(3))[1].tolist() == [0, 0, 0]
    with pytest.raises(ValueError):
        f(one(3), one(4))
    assert f(one(4), one(4))[1].tolist() == [0, 0, 0, 0]


def test_shared_values_that_change_their_size():
    w = theano.shared(one(3))
    f = function([x], x * w * 0)
    assert f(one(3)).tolist() == [0, 0, 0]
    w.set_value(one(4))
    with pytest.raises(ValueError):
        f(one(3))
    assert f(one(4)).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("mode", MODES)
def test_one_element_that_is_repeated_stays_so(mode):
    k = T.lscalar("k")
    assert function([x, k], T.alloc(x, k) + 1, mode=mode)([2.], 3).tolist() == [3, 3, 3]
    assert function([x, y], T.set_subtensor(x[0:x.shape[0]], y), mode=mode)(one(3), [2.]).tolist() == [2, 2, 2]
    assert function([x, y], T.inc_subtensor(T.zeros_like(x)[0:x.shape[0]], y) + 1, mode=mode)(one(3), [2.]).tolist() == [3, 3, 3]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("mode", MODES)
def test_an_allocation_of_one_row_whose_value_may_have_more(mode):
    m, k = T.matrix("m"), T.lscalar("k")
    run = function([m, k], T.alloc(m, 1, k) + 1, mode=mode)
    assert run([[2.]], 3).tolist() == [[3, 3, 3]] and run([[2., 3.]], 2).tolist() == [[3, 4]]
    with pytest.raises(ValueError):
        run([[2.], [3.]], 1)


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_of_no_exponentials(dtype, mode):
    v, a, c = T.vector(dtype=dtype), T.matrix(dtype=dtype), T.tensor3(dtype=dtype)
    none, rows, columns = numpy.zeros(0, dtype), numpy.zeros((0, 3), dtype), numpy.zeros((2, 0), dtype)
    cases = [
        (v, T.log(T.sum(T.exp(v))), none, -numpy.inf),
        (v, T.exp(v) / T.exp(v).sum(), none, none),
        (a, T.log(T.sum(T.exp(a), axis=1)), columns, numpy.full(2, -numpy.inf)),
        (a, T.log(T.sum(T.exp(a), axis=1, keepdims=True)), columns, numpy.full((2, 1), -numpy.inf)),
        (a, T.log(T.sum(T.exp(a), axis=0)), rows, numpy.full(3, -numpy.inf)),
        (a, T.log(T.sum(T.exp(a), axis=1)), rows, none),
        (a, T.log(T.sum(T.exp(a))), rows, -numpy.inf),
        (a, T.exp(a) / T.exp(a).sum(axis=1, keepdims=True), columns, columns),
        (a, T.exp(a) / T.exp(a).sum(axis=0, keepdims=True), rows, rows),
        (a, T.exp(a) / T.exp(a).sum(), columns, columns),
        (a, T.log(T.exp(a) / T.exp(a).sum(axis=1, keepdims=True)), columns, columns),
        (c, T.exp(c) / T.exp(c).sum(axis=2, keepdims=True), numpy.zeros((2, 3, 0), dtype), numpy.zeros((2, 3, 0))),
        (c, T.exp(c) / T.exp(c).sum(axis=(0, 2), keepdims=True), numpy.zeros((0, 3, 2), dtype), numpy.zeros((0, 3, 2))),
        (c, T.log(T.sum(T.exp(c), axis=(0, 1))), numpy.zeros((0, 3, 2), dtype), numpy.full(2, -numpy.inf)),
        (a, T.nnet.softmax(a), columns, columns),
        (a, T.nnet.softmax(a), rows, rows),
        (a, T.log(T.nnet.softmax(a)), rows, rows),
    ]
    for variable, expression, value, wanted in cases:
        found = function([variable], expression, mode=mode)(value)
        assert found.shape == numpy.shape(wanted) and numpy.array_equal(found, wanted), (str(expression), found)
    with pytest.raises(ValueError):
        function([v], v.max(), mode=mode)(none)


@pytest.mark.parametrize("mode", MODES)
def test_labels_as_an_index_takes_them(mode):
    p = T.log(T.nnet.softmax(m))
    labels = T.lvector("labels")
    v = numpy.random.RandomState(3).randn(3, 4)
    wanted = v - numpy.log(numpy.exp(v).sum(axis=1, keepdims=True))
    one_for_all = p[T.arange(m.shape[0]), [2]]
    assert numpy.allclose(function([m], one_for_all, mode=mode)(v), wanted[:, 2])
    g = function([m], T.grad(-one_for_all.sum(), m), mode=mode)(v)
    hot = numpy.zeros((3, 4))
    hot[:, 2] = 1
    assert numpy.allclose(g, numpy.exp(wanted) - hot)
    for expression in (p[T.arange(m.shape[0]), labels], p[T.arange(labels.shape[0]), labels]):
        loss = function([m, labels], [expression, T.grad(expression.sum(), m)], mode=mode)
        taken, slope = loss(v, [1, 0, -1])
        assert numpy.allclose(taken, wanted[[0, 1, 2], [1, 0, 3]])
        hot = numpy.zeros((3, 4))
        hot[[0, 1, 2], [1, 0, 3]] = 1
        assert numpy.allclose(slope, hot - numpy.exp(wanted))
        with pytest.raises((ValueError, IndexError)):
            loss(v, [1, 0, 4])
        with pytest.raises((ValueError, IndexError)):
            loss(v, [1, 0, 1, 1])
    first = function([m, labels], p[T.arange(labels.shape[0]), labels], mode=mode)
    assert numpy.allclose(first(v, [3, 1]), wanted[[0, 1], [3, 1]]) and first(v, numpy.zeros(0, "int64")).shape == (0,)
    expression = p[T.arange(labels.shape[0]), labels]
    slope = function([m, labels], T.grad(expression.sum(), m), mode=mode)(v, [3, 1])
    hot = numpy.zeros((3, 4))
    hot[[0, 1], [3, 1]] = 1
    hot[:2] -= numpy.exp(wanted[:2])
    assert numpy.allclose(slope, hot)
    assert numpy.allclose(function([m, labels], p[T.arange(m.shape[0]), labels], mode=mode)(v, [1]), wanted[:, 1])
