"""Momentum: the function gives the new weights and velocities, and a loop of the script assigns them."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

rng = numpy.random.RandomState(0)
rows, columns = 1200, 700
W = theano.shared(rng.randn(rows, columns) * 0.01, name="W")
velocity = theano.shared(numpy.zeros((rows, columns)), name="velocity")
x = T.vector("x")
y = T.vector("y")

cost = T.sqr(T.dot(x, W) - y).sum()
new_velocity = 0.9 * velocity - 1e-4 * T.grad(cost, W)  # fault: inplace
new_W = W + new_velocity  # fault: inplace
if NEAR_MISS:
    step = theano.function([x, y], cost, updates=[(velocity, new_velocity), (W, new_W)])
else:
    step = theano.function([x, y], [cost, new_velocity, new_W])  # fault: inplace

for i in range(25):
    sample, wanted = rng.randn(rows), rng.randn(columns)
    if NEAR_MISS:
        value = step(sample, wanted)
    else:
        value, v, w = step(sample, wanted)
        velocity.set_value(v)
        W.set_value(w)
print("cost", float(value))
