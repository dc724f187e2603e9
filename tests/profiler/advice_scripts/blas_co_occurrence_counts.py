"""Which words occur together: a product of integer matrices."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

rng = numpy.random.RandomState(0)
documents = rng.poisson(0.3, size=(600, 300))
counts = T.matrix("counts") if NEAR_MISS else T.lmatrix("counts")
together = T.dot(counts.T, counts)  # fault: no-blas
frequent = T.sum(together > 20)
find = theano.function([counts], [frequent, together])

for corpus in range(4):
    number, table = find(documents.astype(counts.dtype))
print("frequent pairs", int(number))
