"""exp of 230,400 numbers a hundred times: on the processor, or on the device that the flag `device` names."""
import numpy
import theano
import theano.tensor as T

count = 10 * 30 * 768
x = theano.shared(numpy.linspace(-1, 1, count).astype(theano.config.floatX), name="x")  # lives where functions run
f = theano.function([], T.exp(x), name="exp")                # the result is brought back after each call
g = theano.function([], T.exp(x).transfer(None), name="exp_stays")  # the result stays where it was made

for call in range(100):
    fetched = f()
    kept = g()

on_device = any(type(node.op).__name__.startswith("Gpu") for node in f.maker.fgraph.toposort())
print("ran on the " + ("device" if on_device else "processor"))
print("first and last: %.6f %.6f" % (fetched[0], fetched[-1]))
print("mean: %.6f" % fetched.mean())
print("the same in both: %d of %d" % ((numpy.asarray(kept) == fetched).sum(), count))
