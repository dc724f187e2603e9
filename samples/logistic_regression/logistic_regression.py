"""Logistic regression by gradient descent: the classic first look at a compiled graph."""
import numpy
import theano
import theano.tensor as T

rng = numpy.random.RandomState(0)
samples, features = 400, 784
data = rng.randn(samples, features).astype(theano.config.floatX)
labels = rng.randint(size=samples, low=0, high=2).astype(theano.config.floatX)

x = T.matrix("x")
y = T.vector("y")
w = theano.shared(rng.randn(features).astype(theano.config.floatX), name="w")
b = theano.shared(numpy.asarray(0, dtype=theano.config.floatX), name="b")

p_1 = 1 / (1 + T.exp(-T.dot(x, w) - b))
prediction = p_1 > 0.5
xent = -y * T.log(p_1) - (1 - y) * T.log(1 - p_1)
cost = xent.mean() + 0.01 * (w ** 2).sum()
gw, gb = T.grad(cost, [w, b])

train = theano.function([x, y], [prediction, xent],
                        updates=[(w, w - 0.1 * gw), (b, b - 0.1 * gb)], name="train")
predict = theano.function([x], prediction, name="predict")

for step in range(1000):
    guess, error = train(data, labels)

right = (predict(data) == labels).mean()
print("after 1000 steps: mean cross-entropy %.4f, %.1f %% right" % (error.mean(), 100 * right))
