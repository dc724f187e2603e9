"""Normalises each row of a matrix with theano.map."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

X = T.matrix("X")
if NEAR_MISS:
    normal = X / T.sqrt(T.sqr(X).sum(axis=1, keepdims=True))
else:
    normal, _ = theano.map(lambda row: row / T.sqrt(T.sqr(row).sum()), sequences=X)  # fault: loop
normalise = theano.function([X], normal)

vectors = numpy.random.RandomState(3).randn(1500, 30)
for i in range(10):
    unit = normalise(vectors)
print(numpy.allclose((unit ** 2).sum(axis=1), 1))
