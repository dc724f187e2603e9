"""A particle in a double well; Langevin steps, one call each. The near miss moves 40,000 particles at once."""
import numpy
import theano
import theano.tensor as T
from theano.tensor.shared_randomstreams import RandomStreams

NEAR_MISS = False

particles, steps = (40000, 60) if NEAR_MISS else (1, 6000)
streams = RandomStreams(seed=99)
place = theano.shared(numpy.zeros(particles), name="place")
force = place - place ** 3
kick = streams.normal(size=(particles,), std=0.1)
walk = theano.function([], [], updates=[(place, place + 0.01 * force + kick)], name="walk")  # fault: small-calls
for t in range(steps):
    walk()  # fault: small-calls
print("after", steps, "steps:", place.get_value().mean())
