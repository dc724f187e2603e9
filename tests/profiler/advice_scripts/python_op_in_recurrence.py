"""An RNN whose step calls a Python op for its gate."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False


class HardGate(theano.Op):
    __props__ = ("slope",)

    def __init__(self, slope):
        self.slope = slope

    def make_node(self, gate):
        gate = T.as_tensor_variable(gate)
        return theano.Apply(self, [gate], [gate.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = numpy.asarray([max(0.0, min(1.0, self.slope * g + 0.5)) for g in inputs[0]])


size = 50
rng = numpy.random.RandomState(42)
W = theano.shared(rng.randn(size, size) * 0.1, "W")
V = theano.shared(rng.randn(size, size) * 0.1, "V")
sequence = T.matrix("sequence")


def advance(x, h):
    pre = T.dot(h, V) + x
    if NEAR_MISS:
        gate = T.clip(0.2 * pre + 0.5, 0, 1)
    else:
        gate = HardGate(0.2)(pre)  # fault: python-op
    return gate * T.tanh(T.dot(h, W) + x) + (1 - gate) * h


states, _ = theano.scan(advance, sequences=sequence, outputs_info=T.zeros((size,)))
run = theano.function([sequence], states[-1].sum())

steps = rng.randn(200, size)
for i in range(8):
    print(run(steps))
