"""The line: logistic regression as people write it, against NumPy in float64."""
import numpy
import pytest
import theano
import theano.tensor as T


def data(n=40, features=17, seed=3):
    rng = numpy.random.RandomState(seed)
    return rng.randn(n, features), rng.randint(0, 2, n).astype("float64"), rng.randn(features)


def reference(x, y, w, b, steps, rate=0.1):
    for _ in range(steps):
        z = x.dot(w) + b
        p = 1 / (1 + numpy.exp(-z))
        xent = numpy.logaddexp(0, -z) * y + numpy.logaddexp(0, z) * (1 - y)
        prediction = p > 0.5
        dz = (p - y) / len(y)
        w, b = w - rate * (x.T.dot(dz) + 0.02 * w), b - rate * dz.sum()
    return prediction, xent, w, b


@pytest.mark.parametrize("mode", ["FAST_RUN", "FAST_COMPILE"])
def test_logistic_regression(mode):
    values, labels, start = data()
    x, y = T.dmatrix("x"), T.dvector("y")
    w, b = theano.shared(start.copy(), name="w"), theano.shared(0.0, name="b")
    p = 1 / (1 + T.exp(-T.dot(x, w) - b))
    prediction = p > 0.5
    xent = -y * T.log(p) - (1 - y) * T.log(1 - p)
    cost = xent.mean() + 0.01 * (w ** 2).sum()
    gw, gb = T.grad(cost, [w, b])
    train = theano.function([x, y], [prediction, xent], updates={w: w - 0.1 * gw, b: b - 0.1 * gb}, mode=mode, name="train")
    for _ in range(100):
        predicted, errors = train(values, labels)
    wanted, wanted_errors, wanted_w, wanted_b = reference(values, labels, start, 0.0, 100)
    assert (predicted == wanted).all()
    numpy.testing.assert_allclose(errors, wanted_errors, atol=1e-6)
    numpy.testing.assert_allclose(w.get_value(), wanted_w, atol=1e-6)
    numpy.testing.assert_allclose(b.get_value(), wanted_b, atol=1e-6)


def test_wrappers_are_unique_and_keep_their_attributes():
    x = T.matrix("x")
    y = x + 1
    assert y.owner.inputs[0] is x
    assert y.owner.outputs[0] is y
    y.tag.test_value = 7
    y.mine = "kept"
    z = y * 2
    del y
    again = z.owner.inputs[0]
    assert again.tag.test_value == 7 and again.mine == "kept"
    assert {x: 1}[z.owner.inputs[0].owner.inputs[0]] == 1


def test_ops_have_classes():
    x = T.matrix("x")
    node = T.exp(x).owner
    assert node.op.__class__.__name__ == "Elemwise"
    assert isinstance(node.op, T.Elemwise) and isinstance(node.op, theano.Op)
    assert node.op == T.exp and hash(node.op) == hash(T.exp)
    assert str(node.op) == "Elemwise{exp,no_inplace}"
    assert type(T.dot(x, x).owner.op).__name__ == "Dot"


def test_trace_names_the_users_line():
    x = T.vector("x")
    y = x * 3
    file, _, function, text = y.owner.tag.trace[0][-1]
    assert file.endswith("test_line.py") and function == "test_trace_names_the_users_line" and text == "y = x * 3"


def test_outputs_are_fresh_arrays():
    x = T.vector("x")
    f = theano.function([x], [x, x * 2])
    values = numpy.arange(4.0)
    same, double = f(values)
    assert not numpy.shares_memory(same, values)
    kept = double.copy()
    f(values + 1)
    numpy.testing.assert_array_equal(double, kept)
    assert f(values)[1].flags.writeable


def test_execution_order_is_exported():
    x = T.vector("x")
    f = theano.function([x], T.exp(x).sum())
    names = [type(node.op).__name__ for node in f.maker.fgraph.toposort()]
    assert names[-1] == "Sum" and len(f.maker.fgraph.inputs) == 1 and len(f.maker.fgraph.outputs) == 1
