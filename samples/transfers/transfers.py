"""The same sum a hundred times: the data travels to the device for each call, or lives there."""
import numpy
import theano
import theano.tensor as T

rng = numpy.random.RandomState(8)
data = rng.rand(500, 400).astype(theano.config.floatX)

x = T.matrix("x")
badly = theano.function([x], T.exp(-x), name="badly")  # all of it there and all of it back, each call

there = theano.shared(data, name="there")  # sent once
well = theano.function([], T.exp(-there).sum(), name="well")  # one number comes back

for call in range(100):
    sums = badly(data).sum(), well()


def moved(function):
    """How many arrays (single numbers are not counted) travel in a call."""
    return sum(type(node.op).__name__ in ("HostFromGpu", "GpuFromHost") and node.outputs[0].ndim > 0
               for node in function.maker.fgraph.toposort())


print("sums: %.2f %.2f" % sums)
print("arrays that travel in a call: %d %d" % (moved(badly), moved(well)))
