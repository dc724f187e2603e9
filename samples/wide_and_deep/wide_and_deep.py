"""Two graphs of 5,000 nodes: one is a thousand short branches, the other one long chain."""
import numpy
import theano
import theano.tensor as T

x = T.vector("x")
weights = theano.shared(numpy.linspace(0.5, 1.5, 50).astype(theano.config.floatX), name="weights")
turn = theano.shared(numpy.roll(numpy.eye(8), 1, axis=0).astype(theano.config.floatX), name="turn")

# Wide: 1,000 branches of five nodes, which all begin at x and meet in one sum.
branches = [T.dot(T.tanh(x[k % 40:]), weights[:50 - k % 40]) * (k + 1.0) for k in range(1000)]
wide = theano.function([x], T.add(*branches), name="wide")

# Deep: 2,500 times a product and a tanh, each waiting for the one before.
state = T.vector("state")
last = state
for step in range(2500):
    last = T.tanh(T.dot(turn, last))
deep = theano.function([state], last, name="deep")

points = numpy.linspace(-1, 1, 50)
print("wide: %.4f" % wide(points))
print("deep: %s" % deep(numpy.linspace(-1, 1, 8)))
for name, output, function in [("wide", T.add(*branches), wide), ("deep", last, deep)]:
    before = len(theano.gof.graph.io_toposort(theano.gof.graph.inputs([output]), [output]))
    print("nodes of %s, as written and as run: %d %d" % (name, before, len(function.maker.fgraph.toposort())))
