"""One array of integers turns a float32 model into float64: twice the bytes, half the speed, and nobody said so."""
import numpy
import theano
import theano.tensor as T

theano.config.floatX = "float32"
rng = numpy.random.RandomState(5)
data = rng.randn(500, 200).astype("float32")
seen = rng.randint(1, 5, size=500)  # how often each row was seen: int64

x = T.fmatrix("x")
n = T.lvector("n")
V = theano.shared(0.1 * rng.randn(200, 100).astype("float32"), name="V")
W = theano.shared(0.1 * rng.randn(100, 100).astype("float32"), name="W")


def model(n):
    hidden = T.tanh(T.dot(x, V)) * n.dimshuffle(0, "x")  # float32 * int64 is float64, by NumPy's rules
    return T.tanh(T.dot(hidden, W)).mean(axis=1)         # and from here on everything is


leaks = theano.function([x, n], model(n), name="leaks")
repaired = theano.function([x, n], model(T.cast(n, "float32")), name="repaired")


def wide(function):
    """How many apply nodes make float64 arrays."""
    return sum(node.outputs[0].dtype == "float64" and node.outputs[0].ndim > 0 for node in function.maker.fgraph.toposort())


for call in range(50):
    before, after = leaks(data, seen), repaired(data, seen)
print("results: %s %s" % (before.dtype, after.dtype))
print("apply nodes that make float64 arrays: %d %d" % (wide(leaks), wide(repaired)))
print("first three, leaking: %s" % before[:3])
print("first three, repaired: %s" % after[:3])
