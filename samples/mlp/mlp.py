"""A small multi-layer perceptron: tanh layer, softmax layer, mini-batches by a symbolic index."""
import numpy
import theano
import theano.tensor as T

rng = numpy.random.RandomState(1)
floatX = theano.config.floatX
inputs, hidden, classes, batch = 784, 500, 10, 60

images = theano.shared(rng.rand(20 * batch, inputs).astype(floatX), name="images")
targets = rng.randint(0, classes, size=20 * batch)
one_hot = theano.shared(numpy.eye(classes, dtype=floatX)[targets], name="one_hot")


def weights(rows, columns, name):
    bound = numpy.sqrt(6.0 / (rows + columns))
    return theano.shared(rng.uniform(-bound, bound, (rows, columns)).astype(floatX), name=name)


W1, b1 = weights(inputs, hidden, "W1"), theano.shared(numpy.zeros(hidden, dtype=floatX), name="b1")
W2, b2 = weights(hidden, classes, "W2"), theano.shared(numpy.zeros(classes, dtype=floatX), name="b2")

x, t = T.matrix("x"), T.matrix("t")
layer = T.tanh(T.dot(x, W1) + b1)
output = T.nnet.softmax(T.dot(layer, W2) + b2)
cost = -T.mean(T.sum(t * T.log(output), axis=1))
parameters = [W1, b1, W2, b2]
updates = [(p, p - 0.1 * g) for p, g in zip(parameters, T.grad(cost, parameters))]

step = theano.function([x, t], cost, updates=updates, name="step")

data, labels = images.get_value(), one_hot.get_value()
for epoch in range(10):
    costs = [step(data[i:i + batch], labels[i:i + batch]) for i in range(0, len(data), batch)]
    print("epoch %d: cost %.4f" % (epoch, numpy.mean(costs)))
