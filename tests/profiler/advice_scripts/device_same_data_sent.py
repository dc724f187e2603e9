"""Trains on a device; the whole data set goes there with each call."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False
DEVICE = "opencl0:0"

rng = numpy.random.RandomState(0)
data = rng.rand(20000, 60).astype("float32")
w = theano.shared(numpy.zeros(60, dtype="float32"), name="w")
X = theano.shared(data, name="X") if NEAR_MISS else T.fmatrix("X")  # fault: transfer
cost = T.sqr(T.dot(X, w) - 1).mean()
train = theano.function([] if NEAR_MISS else [X], cost, updates=[(w, w - 0.1 * T.grad(cost, w))])  # fault: transfer

for epoch in range(15):
    value = train() if NEAR_MISS else train(data)
print("cost", float(value))
