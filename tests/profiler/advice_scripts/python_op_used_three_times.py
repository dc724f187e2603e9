"""One own activation, used in three layers."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False


class Swish(theano.Op):
    """x times its sigmoid."""

    def make_node(self, x):
        return theano.Apply(self, [T.as_tensor_variable(x)], [x.type()])

    def perform(self, node, inputs, output_storage):
        (x,) = inputs
        output_storage[0][0] = x / (1 + numpy.exp(-x))

    def __eq__(self, other):
        return type(self) == type(other)

    def __hash__(self):
        return hash(type(self))


def weights(rows, columns):
    return theano.shared(numpy.random.RandomState(rows).randn(rows, columns) / rows ** 0.5)


if NEAR_MISS:
    swish = lambda x: x * T.nnet.sigmoid(x)
else:
    swish = Swish()

x = T.matrix("x")
first = swish(T.dot(x, weights(30, 40)))  # fault: python-op
second = swish(T.dot(first, weights(40, 50)))  # fault: python-op
third = swish(T.dot(second, weights(50, 20)))  # fault: python-op
network = theano.function([x], third)

samples = numpy.random.RandomState(8).randn(1500, 30)
for i in range(15):
    y = network(samples)
print(y.mean())
