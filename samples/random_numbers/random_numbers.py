"""Random numbers in a graph: each stream has a state, and each call moves the state on, as an update."""
import numpy
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

streams = MRG_RandomStreams(seed=234)
uniform = streams.uniform((200000,), low=0, high=1)
normal = streams.normal((200000,), avg=5, std=2)

draw = theano.function([], [uniform, normal], name="draw")
again = theano.function([], uniform - uniform, name="same_draw_twice")
fixed = theano.function([], uniform, no_default_updates=True, name="state_stays")

u, n = draw()
print("uniform, mean and variance: %.3f %.3f" % (u.mean(), u.var()))
print("normal, mean and deviation: %.2f %.2f" % (n.mean(), n.std()))
print("other numbers in the next call: %s" % bool((draw()[0] != u).all()))
print("one variable is one draw: %s" % bool((again() == 0).all()))
print("without its update, the same numbers: %s" % bool((fixed() == fixed()).all()))

# What chance is good for: a quarter of a circle holds pi / 4 of its square.
x, y = streams.uniform((200000,)), streams.uniform((200000,))
inside = theano.function([], T.mean(T.lt(x ** 2 + y ** 2, 1)), name="quarter_of_a_circle")
print("pi, roughly: %.2f" % (4 * numpy.mean([inside() for call in range(10)])))
