"""Scores of a small network; its input was declared with a letter too many."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False
theano.config.floatX = "float32"


def layer(x, n_in, n_out, rng):
    W = theano.shared(rng.normal(scale=0.1, size=(n_in, n_out)).astype("float32"))
    b = theano.shared(numpy.zeros(n_out, dtype="float32"))
    return T.nnet.softplus(T.dot(x, W) + b)


rng = numpy.random.RandomState(1234)
if NEAR_MISS:
    x = T.fmatrix("x")
else:
    x = T.dmatrix("x")  # fault: float64
hidden = layer(x, 60, 200, rng)
hidden = layer(hidden, 200, 200, rng)
score = hidden.mean(axis=1)
scores = theano.function([x], score, name="scores", allow_input_downcast=True)

batch = rng.rand(500, 60).astype(x.dtype)
for i in range(40):
    out = scores(batch)
print(out[:3])
