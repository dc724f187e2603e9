"""A graph of 100,000 nodes: the size at which a compiler may not be more than linear."""
import numpy
import theano
import theano.tensor as T

cells, layers = 50, 500
row = T.vector("row")
centre = theano.shared(numpy.asarray(0.5, dtype=theano.config.floatX), name="centre")

# A ring of cells; in each layer, a cell moves towards its neighbours: four nodes a cell, 25,000 cells.
ring = [row[k] for k in range(cells)]
for layer in range(layers):
    ring = [T.tanh(ring[k] + centre * (ring[k - 1] - ring[k])) for k in range(cells)]
relaxed = theano.function([row], T.stack(ring), name="relaxed")

start = numpy.cos(numpy.arange(cells))
print("relaxed: %s" % relaxed(start))
print("apply nodes as run: %d" % len(relaxed.maker.fgraph.toposort()))
