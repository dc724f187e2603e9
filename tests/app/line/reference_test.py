"""The numbers of a whole training: logistic regression under `croton run` against NumPy in float64."""
import numpy
import pytest

STEPS = 100
RATE = 0.1
DECAY = 0.01

SCRIPT = """
import sys
import numpy, theano, theano.tensor as T
floatX = theano.config.floatX
start = numpy.load(sys.argv[1])
x, y = T.matrix("x"), T.vector("y")
w = theano.shared(start["w"].astype(floatX), name="w")
b = theano.shared(numpy.asarray(0, dtype=floatX), name="b")
p = 1 / (1 + T.exp(-T.dot(x, w) - b))
prediction = p > 0.5
loss = (-y * T.log(p) - (1 - y) * T.log(1 - p)).mean() + %r * (w ** 2).sum()
gw, gb = T.grad(loss, [w, b])
train = theano.function([x, y], [prediction], updates=[(w, w - %r * gw), (b, b - %r * gb)])
predict = theano.function([x], prediction)
data, labels = start["data"].astype(floatX), start["labels"].astype(floatX)
for step in range(%d):
    train(data, labels)
numpy.savez(sys.argv[2], w=w.get_value(), b=b.get_value(), prediction=predict(data))
""" % (DECAY, RATE, RATE, STEPS)


def trained_by_hand(data, labels, w):
    """The same steps with the gradients written out."""
    b = 0.0
    for _ in range(STEPS):
        error = (1 / (1 + numpy.exp(-(data @ w + b))) - labels) / len(labels)
        w, b = w - RATE * (data.T @ error + 2 * DECAY * w), b - RATE * error.sum()
    return w, b, data @ w + b > 0


@pytest.mark.parametrize("floatX, tolerance", [("float64", 1e-10), ("float32", 1e-6)])
def test_weights_and_predictions_equal_numpy(croton, tmp_path, floatX, tolerance):
    random = numpy.random.RandomState(3)
    data = random.randn(400, 784).astype("float32").astype("float64")
    labels = (random.rand(400) > 0.5).astype("float64")
    w = 0.01 * random.randn(784).astype("float32").astype("float64")
    script, start, end = tmp_path / "train.py", tmp_path / "start.npz", tmp_path / "end.npz"
    script.write_text(SCRIPT)
    numpy.savez(start, data=data, labels=labels, w=w)
    croton("run", script, start, end, env={"THEANO_FLAGS": "floatX=" + floatX})

    expectedW, expectedB, expected = trained_by_hand(data, labels, w)
    reached = numpy.load(end)
    assert reached["w"].dtype == floatX
    assert numpy.abs(reached["w"] - expectedW).max() <= tolerance
    assert abs(reached["b"] - expectedB) <= tolerance
    assert (reached["prediction"] == expected).all()
