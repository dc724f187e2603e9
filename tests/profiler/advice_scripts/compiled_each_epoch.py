"""Logistic regression: the training function is made anew in each epoch."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False

rng = numpy.random.RandomState(7)
data, labels = rng.randn(300, 25), rng.randint(0, 2, 300)
X = T.matrix("X")
y = T.ivector("y")
w = theano.shared(numpy.zeros(25), name="w")
p = T.nnet.sigmoid(T.dot(X, w))
cost = T.nnet.binary_crossentropy(p, y).mean()
updates = [(w, w - 0.1 * T.grad(cost, w))]

if NEAR_MISS:
    train = theano.function([X, y], cost, updates=updates)
for epoch in range(25):
    if not NEAR_MISS:
        train = theano.function([X, y], cost, updates=updates)  # fault: compiled-again
    for batch in range(0, 300, 100):
        value = train(data[batch:batch + 100], labels[batch:batch + 100].astype("int32"))
print("cost", float(value))
