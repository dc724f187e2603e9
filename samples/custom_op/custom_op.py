"""An op of one's own, in Python: the median of each row, with its gradient and its shape."""
import numpy
import theano
import theano.tensor as T


class RowMedian(theano.Op):
    __props__ = ()  # two RowMedians are the same op, so equal work is merged

    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return theano.Apply(self, [x], [T.TensorType(x.dtype, (False,))()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = numpy.median(inputs[0], axis=1).astype(inputs[0].dtype)

    def infer_shape(self, node, shapes):
        return [(shapes[0][0],)]

    def grad(self, inputs, gradients):
        # Moving the middle element moves the median; the others do not matter. With an odd number of columns there is one.
        middle = T.eq(inputs[0], self(inputs[0]).dimshuffle(0, "x"))
        return [gradients[0].dimshuffle(0, "x") * middle]


x = T.matrix("x")
median = RowMedian()(x)
f = theano.function([x], median, name="median")
centred = theano.function([x], abs(x - median.dimshuffle(0, "x")).mean(), name="mean_distance")
slope = theano.function([x], T.grad(median.sum(), x), name="slope")
rows = theano.function([x], median.shape[0], name="rows")  # answered by infer_shape: no median is taken

data = numpy.random.RandomState(3).randn(4, 5).astype(theano.config.floatX)
print("medians: %s" % f(data))
print("mean distance: %.6f" % centred(data))
print("slope: %s" % slope(data).ravel())
print("rows: %d" % rows(data))
print("ops that count the rows: %s" % " ".join(str(node.op) for node in rows.maker.fgraph.toposort()))
