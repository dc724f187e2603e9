"""A simulation on a device with one op in the middle that only the host can do."""
import numpy
import theano
import theano.tensor as T

NEAR_MISS = False
DEVICE = "opencl0:0"


class Wrap(theano.Op):
    """Puts particles that left the box back on the other side."""
    __props__ = ()

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return theano.Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = numpy.mod(inputs[0], numpy.float32(10))


rng = numpy.random.RandomState(3)
place = theano.shared(rng.uniform(0, 10, (100000, 3)).astype("float32"), name="place")
speed = theano.shared(rng.randn(100000, 3).astype("float32"), name="speed")
moved = place + numpy.float32(0.01) * speed
wrapped = moved % numpy.float32(10) if NEAR_MISS else Wrap()(moved)  # fault: host-between or python-op
advance = theano.function([], [], updates=[(place, T.minimum(wrapped, numpy.float32(9.999)))])

for t in range(15):
    advance()
print(place.get_value().mean())
