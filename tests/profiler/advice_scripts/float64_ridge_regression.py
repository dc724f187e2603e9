"""Ridge regression by gradient descent; the weights begin at numpy.zeros."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False
theano.config.floatX = "float64" if NEAR_MISS else "float32"

rng = numpy.random.RandomState(3)
features, samples = 120, 2000
data = rng.randn(samples, features).astype(theano.config.floatX)
target = data.dot(rng.randn(features)).astype(theano.config.floatX)

X = T.matrix("X")
y = T.vector("y")
w = theano.shared(numpy.zeros(features), name="w")  # fault: float64
error = T.dot(X, w) - y
loss = T.sqr(error).mean() + 0.01 * T.sqr(w).sum()
gradient = T.grad(loss, w)
step = theano.function([X, y], loss, updates=[(w, w - numpy.float32(0.05) * gradient)], name="step")

for epoch in range(60):
    value = step(data, target)
print("loss", float(value))
