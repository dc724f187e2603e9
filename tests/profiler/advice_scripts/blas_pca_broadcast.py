"""Principal components by power iteration, with products spelled out as sums."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

rng = numpy.random.RandomState(6)
X = theano.shared(rng.randn(400, 80), name="X")
V = theano.shared(rng.randn(80, 10), name="V")


def times(a, b):
    if NEAR_MISS:
        return T.dot(a, b)
    return T.sum(a.dimshuffle(0, 1, "x", "x") * b.dimshuffle("x", 0, "x", 1), axis=1)[:, 0]  # fault: no-blas


projected = times(X, V)
moved = times(X.T, projected)
length = T.sqrt(T.sqr(moved).sum(axis=0))
iterate = theano.function([], length, updates=[(V, moved / length)])

for i in range(30):
    eigenvalues = iterate()
print(numpy.sort(eigenvalues)[::-1][:4])
