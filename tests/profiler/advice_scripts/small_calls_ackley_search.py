"""Random search on a function of two numbers."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

rng = numpy.random.RandomState(1)
a, b = T.dvectors("a", "b")
value = -20 * T.exp(-0.2 * T.sqrt(0.5 * (a ** 2 + b ** 2))) - T.exp(0.5 * (T.cos(2 * numpy.pi * a) + T.cos(2 * numpy.pi * b))) + numpy.e + 20
ackley = theano.function([a, b], value, name="ackley")  # fault: small-calls

best, where = numpy.inf, None
trials = 200000 if NEAR_MISS else 7000
chunk = 50000 if NEAR_MISS else 1
for first in range(0, trials, chunk):
    p, q = rng.uniform(-5, 5, chunk), rng.uniform(-5, 5, chunk)
    found = ackley(p, q)  # fault: small-calls
    if found.min() < best:
        best, where = found.min(), (p[found.argmin()], q[found.argmin()])
print(best, where)
