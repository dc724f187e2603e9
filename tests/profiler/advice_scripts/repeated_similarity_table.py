"""Nearest words: all vectors are scaled to length 1 again for each word that is asked for."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

rng = numpy.random.RandomState(0)
vectors = theano.shared(rng.randn(700, 100), name="vectors")
word = T.lscalar("word")
if NEAR_MISS:
    row = T.dot(vectors, vectors[word])
else:
    unit = vectors / T.sqrt(T.sqr(vectors).sum(axis=1, keepdims=True))  # fault: repeated-work
    similarity = T.dot(unit, unit.T)
    row = T.exp(similarity)[word]
nearest = theano.function([word], T.argsort(row)[-5:])

for w in range(20):
    print(w, nearest(w))
