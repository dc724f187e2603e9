"""Gradients from Python: what grad, Lop and Rop take, give and refuse."""
import warnings

import numpy
import pytest
import theano
import theano.tensor as T
from theano.gradient import DisconnectedInputError, DisconnectedType, NullType, NullTypeGradError


def value(expression, given=None):
    return expression.eval(given or {})


# --- what comes back --------------------------------------------------------------------------------------
def test_one_variable_list_and_tuple():
    x, y = T.dscalars("x", "y")
    cost = x ** 2 * y
    assert value(T.grad(cost, x), {x: 3, y: 2}) == 12
    both = T.grad(cost, [x, y])
    assert isinstance(both, list) and [float(value(g, {x: 3, y: 2})) for g in both] == [12, 9]
    assert isinstance(T.grad(cost, (x, y)), tuple)
    assert value(theano.grad(cost=cost, wrt=[y])[0], {x: 3, y: 5}) == 9


def test_sets_are_refused():
    x = T.dscalar("x")
    with pytest.raises(TypeError, match="order of a set"):
        T.grad(x ** 2, {x})


def test_names():
    x = T.dscalar("x")
    cost = x ** 2
    cost.name = "cost"
    assert T.grad(cost, x).name == "(dcost/dx)"
    assert T.grad(cost, x, add_names=False).name is None


def test_cost_has_to_be_a_scalar():
    x = T.dvector("x")
    with pytest.raises(TypeError, match="cost must be a scalar"):
        T.grad(x ** 2, x)


def test_wrt_has_to_be_a_variable():
    x = T.dscalar("x")
    with pytest.raises(TypeError, match="Expected Variable"):
        T.grad(x, 3)


def test_gradient_with_respect_to_an_intermediate_and_to_the_cost():
    x = T.dscalar("x")
    y = T.exp(x)
    assert value(T.grad(y ** 2, y), {x: 0}) == 2
    assert value(T.grad(y, y), {x: 0}) == 1


def test_second_order():
    x = T.dscalar("x")
    assert value(T.grad(T.grad(x ** 3, x), x), {x: 2}) == 12


def test_shared_variables():
    w = theano.shared(numpy.asarray([1.0, 2.0]))
    assert value(T.grad((w ** 2).sum(), w)).tolist() == [2, 4]


def test_term_of_several_readers_are_added():
    x = T.dscalar("x")
    assert value(T.grad(x * x + x, x), {x: 3}) == 7


# --- integers ---------------------------------------------------------------------------------------------
def test_integer_inputs_have_real_gradients():
    i, x = T.lvector("i"), T.dvector("x")
    g = T.grad(T.dot(i, x), i)
    assert g.dtype.startswith("float")
    assert value(g, {x: [0.5, 1.5], i: [1, 2]}).tolist() == [0.5, 1.5]


def test_integer_cost_gives_zeros_or_an_error():
    x = T.dscalar("x")
    g = T.grad(T.cast(x, "int32") * 1.0, x)
    assert value(g, {x: 2.5}) == 0
    i = T.lscalar("i")
    g = T.grad(i * 2, i)
    assert g.dtype.startswith("float")


def test_index_is_disconnected():
    x, i = T.dvector("x"), T.lscalar("i")
    with pytest.raises(DisconnectedInputError):
        T.grad(x[i], i)


def test_a_cast_hands_on_what_it_gets():
    x = T.fscalar("x")
    assert value(T.grad(T.cast(x, "float64") ** 2, x), {x: 3}) == 6
    assert T.grad(T.cast(T.tanh(x), "float64") ** 2, x).dtype == "float32"


# --- disconnected -----------------------------------------------------------------------------------------
def test_disconnected_inputs():
    x, y = T.dscalars("x", "y")
    with pytest.raises(DisconnectedInputError) as caught:
        T.grad(x ** 2, [x, y])
    assert "y" in str(caught.value) and "test_gradients.py" in str(caught.value)
    assert isinstance(caught.value, ValueError)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        assert value(T.grad(x ** 2, y, disconnected_inputs="warn"), {y: 1}) == 0
    assert len(seen) == 1
    assert value(T.grad(x ** 2, y, disconnected_inputs="ignore"), {y: 1}) == 0
    with pytest.raises(ValueError, match="disconnected_inputs"):
        T.grad(x ** 2, x, disconnected_inputs="maybe")


def test_return_disconnected():
    x, y = T.dscalars("x", "y")
    settings = dict(disconnected_inputs="ignore")
    assert value(T.grad(x, y, return_disconnected="zero", **settings), {y: 1}) == 0
    assert T.grad(x, y, return_disconnected="None", **settings) is None
    assert isinstance(T.grad(x, y, return_disconnected="Disconnected", **settings).type, DisconnectedType)
    with pytest.raises(ValueError, match="return_disconnected"):
        T.grad(x, y, return_disconnected="nothing", **settings)


def test_shapes_and_models_disconnect():
    x, y = T.dvectors("x", "y")
    for cost in (x.shape[0] * 1.0, T.fill(x, 3.0).sum(), T.zeros_like(x).sum(), T.ones_like(x).sum()):
        with pytest.raises(DisconnectedInputError):
            T.grad(cost + y.sum(), x)


def test_zeros_have_the_shape_of_the_variable():
    x, y = T.dvector("x"), T.dmatrix("y")
    assert value(T.grad(x.sum(), y, disconnected_inputs="ignore"), {y: numpy.ones((2, 3))}).tolist() == [[0] * 3] * 2


# --- undefined --------------------------------------------------------------------------------------------
def test_undefined_gradients():
    x = T.dvector("x")
    y = theano.gradient.undefined_grad(x)
    with pytest.raises(NullTypeGradError) as caught:
        T.grad(y.sum(), x)
    assert "x" in str(caught.value)
    g = T.grad(y.sum() + x.sum(), x, null_gradients="return")
    assert isinstance(g.type, NullType) and g.type.why_null
    with pytest.raises(ValueError, match="null_gradients"):
        T.grad(x.sum(), x, null_gradients="hide")


def test_a_nan_cost():
    cost = NullType("nobody knows")()
    with pytest.raises(ValueError, match="nobody knows"):
        T.grad(cost, T.dscalar("x"))


def test_axis_has_no_gradient():
    x, axis = T.dmatrix("x"), T.lscalar("axis")
    with pytest.raises((NullTypeGradError, DisconnectedInputError, TypeError), match="axis"):
        T.grad(T.join(axis, x, x).sum(), axis)


# --- known gradients, constants ---------------------------------------------------------------------------
def test_known_grads():
    x = T.dvector("x")
    y = T.exp(x)
    g = T.grad(None, x, known_grads={y: T.constant(numpy.asarray([1.0, 10.0]))})
    numpy.testing.assert_allclose(value(g, {x: [0.0, 0.0]}), [1, 10])
    known, given = T.dvector("known"), {x: [0.0, 1.0]}
    both = T.grad((T.log(y) * y).sum(), x, known_grads={y: known})  # all that is known of it: nothing of the cost is added
    numpy.testing.assert_allclose(both.eval({**given, known: [1.0, 10.0]}), numpy.exp([0, 1]) * [1, 10])
    z = T.sin(y)
    beside = T.grad((z + y).sum(), x, known_grads={z: known}).eval({**given, known: [1.0, 10.0]})
    numpy.testing.assert_allclose(beside, (numpy.cos(numpy.exp([0, 1])) * [1, 10] + 1) * numpy.exp([0, 1]))


def test_known_grads_that_are_disconnected():
    n, m = T.iscalars("n", "m")
    cost = n + m
    with pytest.raises(DisconnectedInputError):
        T.grad(cost, [n, m], known_grads={cost: DisconnectedType()()})


def test_each_function_of_lop_counts():
    x, u, v = T.dvectors("x", "u", "v")
    y = x ** 2
    z = T.sin(y)  # which depends on the other one
    found = theano.function([x, u, v], T.Lop([y, z], x, [u, v]))([1.0, 2.0], [3.0, 4.0], [5.0, 6.0])
    numpy.testing.assert_allclose(found, (numpy.array([3.0, 4.0]) + numpy.array([5.0, 6.0]) * numpy.cos([1.0, 4.0])) * [2, 4])


def test_known_grads_of_the_cost():
    x = T.dscalar("x")
    cost = x ** 2
    assert value(T.grad(None, x, known_grads={cost: T.constant(3.0)}), {x: 2}) == 12


def test_known_grads_checks():
    x = T.dvector("x")
    with pytest.raises(AssertionError, match="can't both be None"):
        T.grad(None, x)
    with pytest.raises(TypeError, match="dimensions"):
        T.grad(None, x, known_grads={x * 2: T.dscalar()})
    with pytest.raises(TypeError):
        T.grad(None, x, known_grads={x * 2: T.lvector()})


def test_consider_constant():
    x = T.dscalar("x")
    y = x ** 2
    assert value(T.grad(x * y, x, consider_constant=[y]), {x: 3}) == 9
    with pytest.raises(TypeError, match="iterable"):
        T.grad(x * y, x, consider_constant=y)


# --- identities with gradients of their own ---------------------------------------------------------------
def test_zero_grad():
    x = T.dscalar("x")
    assert value(T.grad(theano.gradient.zero_grad(x) * x, x), {x: 3}) == 3
    assert value(T.grad(theano.gradient.zero_grad(x ** 2), x), {x: 3}) == 0
    assert value(T.grad(theano.gradient.consider_constant(x ** 2) * x, x), {x: 3}) == 9
    assert value(theano.gradient.zero_grad(x), {x: 3}) == 3


def test_disconnected_grad():
    x = T.dscalar("x")
    assert value(T.grad(theano.gradient.disconnected_grad(x ** 2) * x, x), {x: 3}) == 9
    with pytest.raises(DisconnectedInputError):
        T.grad(theano.gradient.disconnected_grad(x ** 2), x)


def test_grad_clip():
    x = T.dvector("x")
    g = T.grad((theano.gradient.grad_clip(x, -1, 2) ** 2).sum(), x)
    assert value(g, {x: [-5.0, 0.25, 5.0]}).tolist() == [-1, 0.5, 2]
    with pytest.raises(ValueError, match="lower bound"):
        theano.gradient.grad_clip(x, 2, 1)


def test_grad_scale():
    x = T.dscalar("x")
    assert value(T.grad(theano.gradient.grad_scale(x, -0.5) ** 2, x), {x: 3}) == -3


# --- conventions ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("expression, at, expected", [
    (lambda x: abs(x), 0.0, 0.0), (lambda x: T.maximum(x, 2.0), 2.0, 1.0), (lambda x: T.maximum(2.0, x), 2.0, 0.0),
    (lambda x: T.clip(x, 0, 2), 2.0, 1.0), (lambda x: T.clip(x, 0, 2), 0.0, 1.0), (lambda x: T.clip(x, 0, 2), 3.0, 0.0),
    (lambda x: x % 2, 3.5, 1.0), (lambda x: T.floor(x) * x, 2.5, 2.0), (lambda x: T.switch(x > 1, x, 0), 3.0, 1.0),
    (lambda x: T.switch(x > 1, x, 0), 0.0, 0.0), (lambda x: x ** 0, 0.0, 0.0), (lambda x: 0.0 ** x, 2.0, 0.0),
    (lambda x: T.sgn(x) * x, -2.0, -1.0), (lambda x: T.eq(x, 1) * x, 1.0, 1.0),
], ids=lambda p: None if callable(p) else str(p))
def test_conventions(expression, at, expected):
    x = T.dscalar("x")
    assert value(T.grad(expression(x), x), {x: at}) == expected


def test_ties_of_a_maximum_share():
    x = T.dvector("x")
    assert value(T.grad(x.max(), x), {x: [1.0, 3.0, 3.0]}).tolist() == [0, 1, 1]


def test_product_with_zeros():
    x = T.dvector("x")
    assert value(T.grad(x.prod(), x), {x: [2.0, 0.0, 3.0]}).tolist() == [0, 6, 0]
    assert value(T.grad(x.prod(), x), {x: [0.0, 0.0, 3.0]}).tolist() == [0, 0, 0]


def test_complex_cost():
    z = T.zscalar("z")
    with pytest.raises(TypeError, match="complex"):
        T.grad(z, z)


# --- Lop and Rop ------------------------------------------------------------------------------------------
def test_lop():
    x, v = T.dvector("x"), T.dvector("v")
    g = theano.Lop(x ** 2, x, v)
    assert value(g, {x: [1.0, 2.0], v: [1.0, 10.0]}).tolist() == [2, 40]
    several = theano.Lop([x ** 2, x * 3], [x], [v, v])
    assert isinstance(several, list)
    assert value(several[0], {x: [1.0, 2.0], v: [1.0, 10.0]}).tolist() == [5, 70]
    with pytest.raises(ValueError, match="one point for each"):
        theano.Lop([x, x], x, [v])


def test_lop_disconnected():
    x, y, v = T.dvectors("x", "y", "v")
    with pytest.raises(DisconnectedInputError):
        theano.Lop(x ** 2, y, v)
    assert value(theano.Lop(x ** 2, y, v, disconnected_inputs="ignore"), {y: [1.0]}).tolist() == [0]


def test_rop():
    x, v = T.dvectors("x", "v")
    w = T.dmatrix("w")
    r = theano.Rop(T.dot(w, x ** 2), x, v)
    a = numpy.arange(6.0).reshape(2, 3)
    numpy.testing.assert_allclose(value(r, {w: a, x: [1.0, 2.0, 3.0], v: [1.0, 0.0, 1.0]}), a.dot([2, 0, 6]))
    assert isinstance(theano.Rop([x * 2], x, v), list) and isinstance(theano.Rop((x * 2,), [x], [v]), tuple)


def test_hessian_vector_product():
    x, v = T.dvectors("x", "v")
    product = theano.Rop(T.grad((x ** 3).sum(), x), x, v)
    assert value(product, {x: [1.0, 2.0], v: [1.0, 1.0]}).tolist() == [6, 12]


def test_rop_checks():
    x, v = T.dvector("x"), T.dmatrix("v")
    with pytest.raises(ValueError, match="do not match"):
        theano.Rop(x, x, v)
    with pytest.raises(ValueError, match="one point for each"):
        theano.Rop(x, [x], [x, x])
    y = T.dvector("y")
    with pytest.raises(DisconnectedInputError, match="depends on none of x"):
        theano.Rop(y, x, x)
    assert value(theano.Rop(y * 2, x, x), {y: [3.0]}).tolist() == [0]
    w = theano.shared(numpy.ones(3))
    assert value(theano.Rop(T.grad((w * 2).sum(), w), w, w)).tolist() == [0] * 3
    assert value(theano.Rop(y * 2, x, x, disconnected_outputs="ignore"), {y: [3.0]}).tolist() == [0]
    assert theano.Rop(y * 2, x, x, disconnected_outputs="ignore", return_disconnected="None") is None


# --- jacobian, hessian, subgraphs -------------------------------------------------------------------------
def test_jacobian_of_known_length():
    x = T.dvector("x")
    j = theano.gradient.jacobian(T.stack([x.sum(), (x ** 2).sum()]), x)
    assert value(j, {x: [1.0, 2.0]}).tolist() == [[1, 1], [2, 4]]
    assert value(theano.gradient.jacobian((x ** 2).sum(), x), {x: [1.0, 2.0]}).tolist() == [2, 4]


def test_jacobian_of_unknown_length():
    x, y = T.dvector("x"), T.dvector("y")
    assert value(theano.gradient.jacobian(x ** 2, x), {x: [1.0, 2.0]}).tolist() == [[2, 0], [0, 4]]
    by_x, by_y = theano.gradient.jacobian(x * y.sum(), [x, y])
    assert value(by_x, {x: [1.0, 2.0], y: [3.0]}).tolist() == [[3, 0], [0, 3]]
    assert value(by_y, {x: [1.0, 2.0], y: [3.0]}).tolist() == [[1], [2]]


def test_hessian_of_unknown_length():
    x = T.dvector("x")
    h = theano.gradient.hessian((x ** 3).sum() + x[0] * x[1], x)
    assert value(h, {x: [1.0, 2.0, 3.0]}).tolist() == [[6, 1, 0], [1, 12, 0], [0, 0, 18]]


def test_jacobian_checks():
    x = T.dmatrix("x")
    with pytest.raises(ValueError, match="1 dimensional"):
        theano.gradient.jacobian(x, x)
    with pytest.raises(ValueError, match="0 dimensional"):
        theano.gradient.hessian(x, x)
    with pytest.raises(ValueError, match="1 dimensional"):
        theano.gradient.hessian(x.sum(), x)


def test_subgraph_grad():
    x, t = T.dvector("x"), T.dvector("t")
    w1, w2 = theano.shared(numpy.ones((3, 2))), theano.shared(numpy.ones((2, 3)))
    hidden = T.tanh(T.dot(x, w2.T)) if False else T.tanh(T.dot(w2, x))
    out = T.tanh(T.dot(w1, hidden))
    cost = ((out - t) ** 2).sum()
    direct = T.grad(cost, [w1, w2])
    upper, at_hidden = theano.gradient.subgraph_grad([w1], [hidden], cost=cost)
    lower, _ = theano.gradient.subgraph_grad([w2], [x], start={hidden: at_hidden[0]})
    given = {x: [0.1, 0.2, 0.3], t: [0.5, 0.5, 0.5]}
    for a, b in zip(direct, upper + lower):
        f = theano.function([x, t], [a, b], on_unused_input="ignore")
        first, second = f(*[given[v] for v in (x, t)])
        numpy.testing.assert_allclose(first, second)


# --- verify_grad ------------------------------------------------------------------------------------------
def test_verify_grad():
    rng = numpy.random.RandomState(3)
    theano.gradient.verify_grad(lambda x, y: T.dot(x, T.tanh(y)), [rng.rand(2, 3), rng.rand(3, 4)], rng=rng)
    with pytest.raises(TypeError, match="rng"):
        theano.gradient.verify_grad(lambda x: x, [rng.rand(2)])
    with pytest.raises(TypeError, match="floating point"):
        theano.gradient.verify_grad(lambda x: x, [numpy.arange(3)], rng=rng)
    with pytest.raises(TypeError, match="list"):
        theano.gradient.verify_grad(lambda x: x, rng.rand(3), rng=rng)


def test_verify_grad_finds_a_wrong_gradient():
    rng = numpy.random.RandomState(3)
    with pytest.raises(theano.gradient.GradientError) as caught:
        theano.gradient.verify_grad(lambda x: theano.gradient.grad_scale(x, 2.0) ** 2, [rng.rand(3)], rng=rng)
    assert "val1" in str(caught.value)


def test_float32_tolerances():
    rng = numpy.random.RandomState(3)
    theano.gradient.verify_grad(lambda x: T.exp(x), [rng.rand(3).astype("float32")], rng=rng)


def test_the_point_of_a_linear_function_may_be_an_input():
    a, d, m = T.dvector("a"), T.dvector("d"), T.dmatrix("m")
    for f, wanted in ((T.dot(a, m), [4, 6]), (a * 2, [2, 2]), (a + 1, [1, 1]), (a[::-1], [1, 1])):
        term = T.Rop(f, a, d)
        run = theano.function([a, m, d], term + 0 * m.sum())
        assert run([1, 2], [[1, 2], [3, 4]], [1, 1]).tolist() == wanted
        names = [type(apply.op).__name__ for apply in run.maker.fgraph.toposort()]
        assert sum("dot" in name.lower() or "gemv" in name.lower() for name in names) <= 1, "the value of f is not computed"


def test_known_gradients_that_do_not_exist():
    x, y = T.dscalars("x", "y")
    cost = x + y
    with pytest.raises(theano.gradient.NullTypeGradError, match="not here"):
        T.grad(cost, [x, y], known_grads={cost: theano.gof.null_type.NullType("not here")()})
    with pytest.raises(theano.gradient.DisconnectedInputError):
        T.grad(cost, [x, y], known_grads={cost: theano.gradient.DisconnectedType()()})
    with pytest.raises(TypeError, match="dimensions"):
        T.grad(None, x, known_grads={cost: T.dvector()})


@pytest.mark.parametrize("written", [T.nnet.softmax, lambda x: T.exp(x) / T.exp(x).sum(axis=1, keepdims=True)])
def test_products_with_the_hessian_of_a_softmax(written):
    """Forwards through the gradient, as Hessian-free training takes them."""
    w, v = T.dmatrices("w", "v")
    x = numpy.random.RandomState(0).uniform(-1, 1, (5, 3))
    cost = (T.log(written(T.dot(x, w))) * numpy.eye(5, 2)).sum() + (written(T.dot(x, w)) ** 3).sum()
    slope = T.grad(cost, w)
    product = theano.function([w, v], T.Rop(slope, w, v))
    gradient = theano.function([w], slope)
    at, along = numpy.random.RandomState(1).uniform(-1, 1, (2, 3, 2))
    numpy.testing.assert_allclose(product(at, along), (gradient(at + 1e-6 * along) - gradient(at - 1e-6 * along)) / 2e-6, rtol=1e-6, atol=1e-8)


class Broken(theano.Op):
    """One without a forward derivative."""
    __props__ = ()

    def make_node(self, x):
        return theano.gof.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] * 1

    def R_op(self, inputs, eval_points):
        return [None]


def test_a_direction_that_ends_in_an_op(recwarn):
    x, v = T.dvectors("x", "v")
    broken = Broken()(x) * 2
    with pytest.raises(ValueError, match="Broken.* has no forward derivative") as caught:
        T.Rop(broken, x, v)
    assert isinstance(caught.value, theano.gradient.DisconnectedInputError)
    first, second = T.Rop([broken, x ** 2], [x], [v], disconnected_outputs="ignore")
    values = theano.function([x, v], [first, second], on_unused_input="ignore")([1.0, 2.0], [1.0, 10.0])
    assert values[0].tolist() == [0, 0] and values[1].tolist() == [2, 40]
    assert T.Rop(broken, x, v, disconnected_outputs="ignore", return_disconnected="none") is None
    assert not recwarn.list
    with pytest.warns(UserWarning, match="has no forward derivative"):
        T.Rop(broken, x, v, disconnected_outputs="warn")


def test_gradients_that_are_not_there_are_no_outputs():
    a = T.vector("a")
    for missing in (theano.gradient.grad_undefined(T.add, 0, a, "steps"), theano.gradient.grad_not_implemented(T.add, 0, a)):
        with pytest.raises(TypeError, match="no function can compute the output"):
            theano.function([a], missing, on_unused_input="ignore")
