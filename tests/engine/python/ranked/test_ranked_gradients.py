"""Gradients, and graphs that are built from others."""
import numpy
import pytest
import theano
import theano.tensor as T
from items import item, run, same

x, w = T.dvectors("x", "w")
X, W = numpy.array([1.0, 2, 3]), numpy.array([0.5, -1, 2])
cost = T.sum((x * w) ** 2)


@item(11, "T.grad")
def test_grad():
    """Of a scalar with respect to one variable or a list; what the cost does not depend on is an error by default."""
    same(run([x, w], T.grad(cost, w), X, W), 2 * X * X * W)
    gx, gw = run([x, w], T.grad(cost, [x, w]), X, W)
    same(gx, 2 * X * W * W)
    with pytest.raises(theano.gradient.DisconnectedInputError):
        T.grad(x.sum(), w)
    same(run([w], T.grad(x.sum(), w, disconnected_inputs="ignore"), W), [0, 0, 0])
    with pytest.raises(TypeError, match="scalar"):
        T.grad(x, x)


@item(58, "T.grad(wrt=)")
def test_grad_wrt():
    """A list gives a list, a tuple a tuple, a variable a variable; shared variables, too."""
    assert isinstance(T.grad(cost, wrt=[x]), list) and isinstance(T.grad(cost, wrt=(x, w)), tuple)
    s = theano.shared(W)
    same(run([x], T.grad(T.sum(x * s), wrt=s), X), X)


@item(84, "T.grad(cost=)")
def test_grad_cost():
    """By keyword."""
    same(run([x, w], T.grad(cost=cost, wrt=x), X, W), 2 * X * W * W)


@item(173, "T.grad(consider_constant=)")
def test_grad_consider_constant():
    """What a gradient does not go through: the end of a chain in contrastive divergence."""
    end = x * w
    same(run([x, w], T.grad(T.sum(end * x), x, consider_constant=[end]), X, W), X * W)


@item(184, "theano.grad")
def test_theano_grad():
    """T.grad; also of a gradient."""
    second = theano.grad(theano.grad(T.sum(x ** 3), x).sum(), x)
    same(run([x], second, X), 6 * X)


@item(362, "theano.grad(known_grads=)")
def test_grad_known():
    """The gradient of inner variables, in place of a cost or beside it."""
    y = x ** 2
    same(run([x], theano.grad(None, x, known_grads={y: T.ones_like(y) * 5}), X), 10 * X)


@item(363, "theano.grad(wrt=)")
def test_theano_grad_wrt():
    """By keyword."""
    same(run([x, w], theano.grad(cost, wrt=[w])[0], X, W), 2 * X * X * W)


@item(364, "theano.gradient.grad_clip")
def test_grad_clip():
    """The value as it is, its gradient between two bounds."""
    clipped = theano.gradient.grad_clip(x, -3, 3)
    same(run([x], clipped, X), X)
    same(run([x], T.grad(T.sum(clipped ** 2), x), X), [2, 3, 3])


@item(319, "T.verify_grad")
def test_verify_grad():
    """Compares a gradient with differences of values, and raises where they are apart."""
    T.verify_grad(lambda a: T.tanh(a) * a, [X], rng=numpy.random.RandomState(3))

    class Wrong(theano.Op):
        __props__ = ()
        itypes, otypes = [T.dvector], [T.dvector]

        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] ** 2

        def grad(self, inputs, output_grads):
            return [output_grads[0] * inputs[0]]

    with pytest.raises(theano.gradient.GradientError):
        T.verify_grad(Wrong(), [X], rng=numpy.random.RandomState(3))


@item(320, "T.verify_grad(rng=)")
def test_verify_grad_rng():
    """Where the random projection comes from; without one it is an error."""
    T.verify_grad(T.exp, [X], rng=numpy.random.RandomState(3))
    with pytest.raises(TypeError, match="rng"):
        T.verify_grad(T.exp, [X])


@item(232, "theano.clone")
def test_clone():
    """A copy with variables replaced."""
    y = T.dvector("y")
    same(run([y], theano.clone(T.sum(x * 2), replace={x: y + 1}), X), 18)
    same(run([x, y], theano.clone([x * 2, x + w], replace=[(w, y)])[1], X, W), X + W)


@item(233, "theano.clone(share_inputs=)")
def test_clone_share_inputs():
    """False makes new inputs, too."""
    assert theano.gof.graph.inputs([theano.clone(x * 2)])[0] is x
    assert theano.gof.graph.inputs([theano.clone(x * 2, share_inputs=False)])[0] is not x


@item(338, "theano.OpFromGraph")
def test_op_from_graph():
    """A graph as an op, with its gradient."""
    a, b = T.dvectors("a", "b")
    squares = theano.OpFromGraph([a, b], [a ** 2 + b])
    same(run([x, w], squares(x, w) * 2, X, W), 2 * (X ** 2 + W))
    same(run([x, w], T.grad(squares(x, w).sum(), x), X, W), 2 * X)
    inline = theano.OpFromGraph([a, b], [a ** 2 + b], inline=True)
    same(run([x, w], inline(x, w), X, W), X ** 2 + W)


class Scaled(theano.Op):
    __props__ = ("factor",)

    def __init__(self, factor):
        self.factor = factor

    def make_node(self, value):
        value = T.as_tensor_variable(value)
        return theano.Apply(self, [value], [value.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] * self.factor

    def infer_shape(self, node, shapes):
        return shapes

    def grad(self, inputs, output_grads):
        return [output_grads[0] * self.factor]


@item(74, "theano.Op")
def test_op():
    """To be derived from: make_node or itypes and otypes, perform, grad, infer_shape; __props__ tell ops apart."""
    same(run([x], Scaled(3)(x), X), 3 * X)
    same(run([x], T.grad(T.sum(Scaled(3)(x) ** 2), x), X), 18 * X)
    assert Scaled(3) == Scaled(3) and Scaled(3) != Scaled(4) and str(Scaled(3)) == "Scaled{factor=3}"
    merged = theano.function([x], Scaled(3)(x) + Scaled(3)(x))
    assert sum(isinstance(node.op, Scaled) for node in merged.maker.fgraph.toposort()) == 1
    assert not any(isinstance(node.op, Scaled) for node in theano.function([x], Scaled(3)(x).shape[0]).maker.fgraph.toposort())


@item(93, "theano.Apply")
def test_apply():
    """Op, inputs and outputs: what make_node gives."""
    node = Scaled(2).make_node(x)
    assert isinstance(node, theano.Apply) and node.op == Scaled(2) and node.inputs == [x] and node.outputs[0].owner is node


@item(229, "theano.Apply(inputs=)")
def test_apply_inputs():
    """By keyword."""
    assert theano.Apply(op=Scaled(2), inputs=[x], outputs=[x.type()]).inputs == [x]


@item(230, "theano.Apply(outputs=)")
def test_apply_outputs():
    """By keyword; a variable that something computes already is refused."""
    made = T.dvector()
    assert theano.Apply(Scaled(2), inputs=[x], outputs=[made]).outputs == [made]
    with pytest.raises(ValueError):
        theano.Apply(Scaled(2), [x], [x + 1])
