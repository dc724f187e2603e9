"""A data loader that hands rows as Python lists, as they came out of a CSV file."""
import random

import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

random.seed(5)
rows = [[random.random() for column in range(60)] for row in range(500)]
if NEAR_MISS:
    rows = numpy.array(rows)

X = T.matrix("X")
w = theano.shared(numpy.zeros(60), name="w")
cost = T.sqr(T.dot(X, w) - X[:, 0]).mean()
train = theano.function([X], cost, updates=[(w, w - 0.01 * T.grad(cost, w))])  # fault: input-conversion

for epoch in range(25):
    value = train(rows)  # fault: input-conversion
print("cost", float(value))
