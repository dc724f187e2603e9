"""The same eight changes of one array: each on a copy of it, and all in place."""
import numpy
import theano
import theano.tensor as T

floatX = theano.config.floatX
rows, columns, bands = 1024, 512, 8

x = T.matrix("x")
smooth = T.exp(-x ** 2)
for band in range(bands):  # each step asks for a new array; whether it gets one is the compiler's to say
    part = smooth[band::bands]
    smooth = T.set_subtensor(smooth[band::bands], T.tanh(part - part.mean(axis=0)))
result = smooth.sum()

copying = theano.compile.mode.get_default_mode().excluding("inplace")
hungry = theano.function([x], result, mode=copying, name="hungry")
modest = theano.function([x], result, name="modest")


def in_place(function):
    return sum(bool(getattr(node.op, "destroy_map", {})) for node in function.maker.fgraph.toposort())


data = numpy.linspace(-2, 2, rows * columns).reshape(rows, columns).astype(floatX)
for call in range(10):
    values = hungry(data), modest(data)
print("values: %.6f %.6f" % values)
print("apply nodes that work in place: %d %d" % (in_place(hungry), in_place(modest)))
print("one array has %d kB" % (data.nbytes // 1024))
