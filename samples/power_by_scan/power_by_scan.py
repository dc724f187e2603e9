"""A to the power k, for a k that is known only when the function is called: a loop inside the graph."""
import numpy
import theano
import theano.tensor as T

A = T.vector("A")
k = T.iscalar("k")
powers, updates = theano.scan(lambda product, A: product * A, outputs_info=T.ones_like(A), non_sequences=A, n_steps=k)

power = theano.function([A, k], powers[-1], updates=updates, name="power")
every_power = theano.function([A, k], powers, updates=updates, name="every_power")
slope = theano.function([A, k], T.grad(powers[-1].sum(), A), name="slope")  # the gradient is a loop, backwards

base = numpy.arange(10, dtype=theano.config.floatX)
print("squares: %s" % power(base, 2))
print("cubes: %s" % power(base, 3))
print("powers of two: %s" % every_power([2], 8).ravel())
print("slope of a cube: %s" % slope(base, 3))
