"""Training with an own op that clips gradients, written as a class with perform()."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False


class SlowClip(theano.Op):
    __props__ = ()

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        flat = [min(1.0, max(-1.0, v)) for v in inputs[0].ravel()]
        outputs[0][0] = numpy.array(flat, dtype=inputs[0].dtype).reshape(inputs[0].shape)


rng = numpy.random.RandomState(0)
n = 60
X = T.matrix("X")
y = T.vector("y")
W = theano.shared(rng.randn(n, n) * 0.1)
hidden = T.tanh(T.dot(X, W))
cost = T.sqr(hidden.sum(axis=1) - y).mean()
gradient = T.grad(cost, W)
if NEAR_MISS:
    gradient = T.clip(gradient, -1, 1)
else:
    gradient = SlowClip()(gradient)  # fault: python-op
train = theano.function([X, y], cost, updates=[(W, W - 0.01 * gradient)])

data, labels = rng.randn(100, n), rng.randn(100)
for step in range(40):
    last = train(data, labels)
print("cost %.3f" % last)
