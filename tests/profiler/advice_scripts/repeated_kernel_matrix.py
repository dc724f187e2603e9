"""Gaussian process: the kernel matrix of training points is built in each prediction."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

rng = numpy.random.RandomState(1)
train = theano.shared(rng.uniform(-3, 3, (500, 4)), name="train")
weights = theano.shared(rng.randn(500), name="weights")
query = T.matrix("query")


def squared_distance(a, b):
    return T.sqr(a).sum(axis=1).dimshuffle(0, "x") + T.sqr(b).sum(axis=1) - 2 * T.dot(a, b.T)


if NEAR_MISS:
    # Hyperparameters are learned: training points move with each call.
    moved = [(train, 0.999 * train)]
else:
    moved = []
covariance = T.exp(-0.5 * squared_distance(train, train))  # fault: repeated-work
smoothed = T.dot(covariance, weights)
prediction = T.dot(T.exp(-0.5 * squared_distance(query, train)), smoothed)
predict = theano.function([query], prediction, updates=moved)

for i in range(20):
    answer = predict(rng.uniform(-3, 3, (5, 4)))
print(answer)
