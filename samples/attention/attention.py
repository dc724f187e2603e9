"""Attention learns to look up: of twelve pairs of a key and a value, answer with the value whose key is asked for."""
import numpy
import theano
import theano.tensor as T

rng = numpy.random.RandomState(11)
floatX = theano.config.floatX
keys, width, places, batch = 12, 16, 12, 32


def weights(rows, columns, name):
    return theano.shared((rng.randn(rows, columns) / numpy.sqrt(rows)).astype(floatX), name=name)


def batches(count):
    """Pairs in any order, one question each, and the value that answers it."""
    order = numpy.array([rng.permutation(keys) for k in range(count)])
    values = rng.randn(count, places).astype(floatX)
    asked = rng.randint(0, places, size=count)
    question = numpy.eye(keys, dtype=floatX)[order[numpy.arange(count), asked]]
    return numpy.eye(keys, dtype=floatX)[order], values, question, values[numpy.arange(count), asked]


key, value = T.tensor3("key"), T.matrix("value")
question, answer = T.matrix("question"), T.vector("answer")
Wk, Wq = weights(keys, width, "Wk"), weights(keys, width, "Wq")

match = T.batched_dot(T.dot(key, Wk), T.dot(question, Wq)) / numpy.sqrt(width).astype(floatX)
attention = T.nnet.softmax(match)               # how much of each place to take
guess = (attention * value).sum(axis=1)
cost = T.sqr(guess - answer).mean()

parameters = [Wk, Wq]
updates = [(p, p - 3 * g) for p, g in zip(parameters, T.grad(cost, parameters))]
train = theano.function([key, value, question, answer], cost, updates=updates, name="train")
look = theano.function([key, value, question], [attention, guess], name="look")

for epoch in range(10):
    costs = [train(*batches(batch)) for step in range(40)]
    print("epoch %d: mean squared error %.4f" % (epoch, numpy.mean(costs)))

seen, offered, asked, right = batches(100)
share, answers = look(seen, offered, asked)
place = (seen * asked[:, None, :]).sum(axis=2).argmax(axis=1)
print("looks at the right place: %.0f %%" % (100 * (share.argmax(axis=1) == place).mean()))
print("mean squared error of new answers: %.4f" % ((answers - right) ** 2).mean())
