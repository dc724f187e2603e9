"""eval, clone, OpFromGraph, Print, Assert, Raise."""
import io
import contextlib

import numpy
import pytest
import theano
import theano.tensor as T


# --- eval -------------------------------------------------------------------------------------------------
def test_eval():
    x, y = T.dscalars("x", "y")
    assert (x + y).eval({x: 1, y: 2}) == 3
    assert T.constant(3).eval() == 3
    assert theano.shared(4.0).eval() == 4


def test_eval_by_name_and_cache():
    x = T.dvector("x")
    y = x * 2
    assert y.eval({"x": [1.0]}).tolist() == [2]
    assert y.eval({x: [1.0]}).tolist() == [2]
    assert len(y._fn_cache) == 1


def test_eval_errors():
    x, y = T.dscalars("x", "y")
    with pytest.raises(theano.gof.MissingInputError):
        (x + y).eval({x: 1})
    with pytest.raises(TypeError, match="dictionary"):
        x.eval(3)
    with pytest.raises(ValueError, match="no input called"):
        (x + 1).eval({"z": 1})


def test_graphs_that_were_evaluated_survive_a_pickle():
    import pickle
    x = T.dscalar("x")
    y = x + 1
    y.eval({x: 1})
    pickle.loads(pickle.dumps(y))


# --- clone ------------------------------------------------------------------------------------------------
def test_clone_with_replacement():
    x, y, z = T.dscalars("x", "y", "z")
    out = T.exp(x) + y
    copy = theano.clone(out, replace={x: z})
    assert copy.eval({z: 0, y: 1}) == 2
    many = theano.clone([out, out * 2], replace=[(y, T.constant(numpy.float64(0)))])
    assert [float(v.eval({x: 0})) for v in many] == [1, 2]


def test_clone_shares_inputs_or_not():
    x = T.dscalar("x")
    out = x + 1
    shares = theano.clone(out)
    assert theano.gof.graph.inputs([shares])[0] is x
    apart = theano.clone(out, share_inputs=False)
    assert all(leaf is not x for leaf in theano.gof.graph.inputs([apart]))


def test_clone_of_other_types():
    x, y = T.dvector("x"), T.fvector("y")
    with pytest.raises(TypeError):
        theano.clone(x + 1, replace={x: y})
    assert theano.clone(x + 1, replace={x: y}, strict=False).dtype == "float32"


def test_clone_of_an_intermediate():
    x = T.dscalar("x")
    y = T.exp(x)
    assert theano.clone(y + 1, replace={y: x * 10}).eval({x: 2}) == 21


# --- OpFromGraph ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("inline", [False, True])
def test_op_from_graph(inline):
    x, y, z = T.dscalars("x", "y", "z")
    op = theano.OpFromGraph([x, y, z], [x + y * z, x - y], inline=inline)
    a, b, c = T.dscalars("a", "b", "c")
    first, second = op(a, b, c)
    f = theano.function([a, b, c], first + op(b, c, a)[0] + second)
    assert f(1, 2, 3) == (1 + 6) + (2 + 3) + (1 - 2)
    names = [type(n.op).__name__ for n in f.maker.fgraph.toposort()]
    assert ("OpFromGraph" in names) is not inline


def test_op_from_graph_gradient():
    x = T.dvector("x")
    op = theano.OpFromGraph([x], [T.exp(x) * 2])
    v = T.dvector("v")
    g = theano.function([v], T.grad(op(v).sum(), v))
    numpy.testing.assert_allclose(g([0.0, 1.0]), 2 * numpy.exp([0, 1]))


def test_op_from_graph_with_a_shared_variable():
    w = theano.shared(numpy.ones(2))
    x = T.dvector("x")
    op = theano.OpFromGraph([x], [x * w])
    f = theano.function([x], [op(x), T.grad(op(x).sum(), w)])
    w.set_value(numpy.asarray([3.0, 4.0]))
    value, gradient = f([1.0, 2.0])
    assert value.tolist() == [3, 8] and gradient.tolist() == [1, 2]


def test_op_from_graph_overrides_one_by_one():
    from theano.gradient import DisconnectedType, NullType
    x, w, b = T.dvectors("x", "w", "b")
    rules = [lambda inputs, grads: grads[0] * inputs[1] * 2, NullType("not here")(), DisconnectedType()()]
    product = theano.OpFromGraph([x, w, b], [x * w + b], grad_overrides=rules)(x, w, b)
    dx, dw, db = T.grad(product.sum(), [x, w, b], return_disconnected="Disconnected", disconnected_inputs="ignore", null_gradients="return")
    assert list(theano.function([x, w, b], dx, on_unused_input="ignore")([1.0], [3.0], [0.0])) == [6]
    assert isinstance(dw.type, NullType) and isinstance(db.type, DisconnectedType)


def test_op_from_graph_gradient_override():
    x = T.dscalar("x")
    op = theano.OpFromGraph([x], [x ** 2], grad_overrides=lambda inputs, grads: [grads[0] * 100])
    v = T.dscalar("v")
    assert T.grad(op(v), v).eval({v: 3}) == 100
    op = theano.OpFromGraph([x], [x ** 2], lop_overrides=lambda inputs, outputs, grads: [grads[0] * outputs[0]])
    assert T.grad(op(v), v).eval({v: 3}) == 9
    op = theano.OpFromGraph([x], [x ** 2], rop_overrides=lambda inputs, points: [points[0] * 7])
    assert T.Rop(op(v), v, T.constant(1.0)).eval({v: 3}) == 7
    assert op(v).eval({v: 3}) == 9


def test_op_from_graph_checks():
    x, y = T.dscalars("x", "y")
    with pytest.raises(Exception, match="y"):
        theano.OpFromGraph([x], [x + y])
    with pytest.raises(TypeError):
        theano.OpFromGraph(x, [x])
    with pytest.raises(TypeError):
        theano.OpFromGraph([theano.shared(1.0)], [x])
    with pytest.raises(ValueError, match="Wrong number of inputs"):
        theano.OpFromGraph([x], [x + 1])(x, y)
    with pytest.raises(TypeError):
        theano.OpFromGraph([x], [x + 1])(T.dvector("v"))


def test_error_inside_an_op_from_graph():
    x, y = T.dvectors("x", "y")
    op = theano.OpFromGraph([x, y], [x + y], name="inner")
    a, b = T.dvectors("a", "b")
    with pytest.raises(ValueError, match="mis-match"):
        theano.function([a, b], op(a, b))([1.0], [1.0, 2.0])


# --- Print, Assert, Raise ---------------------------------------------------------------------------------
def test_print_shows_the_value_and_passes_it_on(capfd):
    x = T.dvector("x")
    f = theano.function([x], theano.printing.Print("the value of x")(x) * 2)
    assert f([1.0, 2.0]).tolist() == [2, 4]
    out = capfd.readouterr()
    assert "the value of x __str__ = [1. 2.]" in out.out + out.err


def test_print_shows_attributes(capfd):
    x = T.dmatrix("x")
    f = theano.function([x], theano.printing.Print("x", attrs=["shape", "min", "mean"])(x))
    f(numpy.arange(4.0).reshape(2, 2))
    out = "".join(capfd.readouterr())
    assert "x shape = (2, 2)" in out and "x min = 0.0" in out and "x mean = 1.5" in out


def test_print_has_the_gradient_of_identity():
    x = T.dscalar("x")
    y = theano.printing.Print("x")(x) ** 2
    assert T.grad(y, x).eval({x: 3}) == 6


def test_print_can_be_written_by_the_user():
    seen = []
    x = T.dvector("x")
    show = theano.printing.Print("x", global_fn=lambda op, value: seen.append((op.message, value.tolist())))
    theano.function([x], show(x))([3.0])
    assert seen == [("x", [3.0])]


def test_assert():
    x = T.dvector("x")
    y = T.opt.Assert("lengths differ")(x, T.eq(x.shape[0], 2), x.sum() > 0)
    f = theano.function([x], y * 2)
    assert f([1.0, 2.0]).tolist() == [2, 4]
    with pytest.raises(AssertionError, match="lengths differ"):
        f([1.0])
    with pytest.raises(AssertionError, match="lengths differ"):
        f([-1.0, 0.0])


def test_assert_names_the_place():
    x = T.dvector("x")
    f = theano.function([x], T.opt.Assert("not now")(x, T.eq(x.shape[0], 2)))
    with pytest.raises(AssertionError) as caught:
        f([1.0])
    assert "Apply node that caused the error" in str(caught.value)
    assert "test_functions_tools.py" in str(caught.value)


def test_assert_has_the_gradient_of_identity():
    x = T.dscalar("x")
    assert T.grad(T.opt.Assert("positive")(x, x > 0) ** 2, x).eval({x: 3}) == 6


def test_raise():
    x = T.dscalar("x")
    f = theano.function([x], theano.raise_op.Raise("stop here")(x))
    with pytest.raises(NotImplementedError, match="stop here"):
        f(1)
