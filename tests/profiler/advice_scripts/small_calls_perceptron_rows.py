"""Scores of a data set, row by row in a loop of the script."""
import numpy as np
import theano
import theano.tensor as T

NEAR_MISS = False

rng = np.random.RandomState(0)
w = theano.shared(rng.randn(8), name="w")
rows = rng.randn(8000, 8)
if NEAR_MISS:
    table = T.matrix("table")
    score = theano.function([table], T.nnet.sigmoid(T.dot(table, w)))
    scores = score(rows)
else:
    row = T.vector("row")
    score = theano.function([row], T.nnet.sigmoid(T.dot(row, w)))  # fault: small-calls
    scores = np.array([score(row) for row in rows])  # fault: small-calls
print("positive:", (scores > 0.5).mean())
